'use strict';
(function (native, { apply, replace }) {
  // What the calls of group() put before each line.
  const margin = { __proto__: null, text: '' };

  const emit = (level, data) => {
    let message = data.length === 1 && typeof data[0] === 'string' ? data[0] : native.format(data);
    if (margin.text !== '') message = margin.text + replace(/\n/g, message, `\n${margin.text}`);
    native.log(level, message);
  };
  // The rarer methods are a part of their own.
  let rare;
  const more = (name, data) => apply((rare ??= native.part('console-more').methods(emit, margin))[name], undefined, data);

  return {
    console: {
      __proto__: { __proto__: Object.prototype, [Symbol.toStringTag]: 'console' },
      log: (...data) => emit('log', data),
      info: (...data) => emit('info', data),
      warn: (...data) => emit('warn', data),
      error: (...data) => emit('error', data),
      debug: (...data) => emit('debug', data),
      dir: (...data) => more('dir', data),
      table: (...data) => more('table', data),
      trace: (...data) => more('trace', data),
      assert: (...data) => more('assert', data),
      clear: () => {},
      count: (...data) => more('count', data),
      countReset: (...data) => more('countReset', data),
      group: (...data) => more('group', data),
      groupCollapsed: (...data) => more('group', data),
      groupEnd: (...data) => more('groupEnd', data),
      time: (...data) => more('time', data),
      timeLog: (...data) => more('timeLog', data),
      timeEnd: (...data) => more('timeEnd', data),
    },
  };
});
