'use strict';
(function (native, { uncurryThis, tag, replace }) {
  const indexOf = uncurryThis(String.prototype.indexOf);
  // What the calls of group() put before each line.
  const margin = { __proto__: null, text: '' };

  const shown = (value) => typeof value === 'string' ? value : native.part('inspect').inspect(value);
  const format = (args) => {
    const { length } = args;
    if (length === 0) return '';
    if (length > 1 && typeof args[0] === 'string' && indexOf(args[0], '%') >= 0) args = more().expand(args);
    let out = shown(args[0]);
    for (let i = 1; i < args.length; i++) out += ` ${shown(args[i])}`;
    return out;
  };
  const emit = (level, message) => {
    if (margin.text !== '') message = margin.text + replace(/\n/g, message, `\n${margin.text}`);
    native.log(level, message);
  };

  const console = {
    __proto__: {},
    log: (...data) => emit('log', format(data)),
    info: (...data) => emit('info', format(data)),
    warn: (...data) => emit('warn', format(data)),
    error: (...data) => emit('error', format(data)),
    debug: (...data) => emit('debug', format(data)),
  };
  // The rarer methods are a part of their own.
  let rare;
  const more = () => rare ??= native.part('console-more').methods({ emit, format, shown, margin });
  const names = [
    'dir', 'dirxml', 'table', 'trace', 'assert', 'clear', 'count', 'countReset', 'group', 'groupCollapsed', 'groupEnd',
    'time', 'timeLog', 'timeEnd', 'timeStamp', 'profile', 'profileEnd',
  ];
  for (let i = 0; i < names.length; i++) {
    const name = names[i];
    console[name] = { [name]: (...data) => more()[name](...data) }[name];
  }
  tag(console, 'console');
  return { console };
});
