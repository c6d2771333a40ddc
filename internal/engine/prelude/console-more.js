'use strict';
(function (native, { uncurryThis, replace }) {
  const { inspect } = native.part('inspect');
  const sliceText = uncurryThis(String.prototype.slice);

  const integer = (value) => typeof value === 'bigint' ? `${value}n` : typeof value === 'object' ? 'NaN' : `${Number.parseInt(value, 10)}`;
  const number = (value) => typeof value === 'bigint' ? `${value}n` : typeof value === 'symbol' ? 'NaN' : inspect(typeof value === 'object' ? NaN : Number(value));
  const json = (value) => {
    try {
      return `${JSON.stringify(value)}`;
    } catch {
      return inspect(value);
    }
  };
  const directives = {
    __proto__: null,
    s: (value) => typeof value === 'object' && value !== null || typeof value === 'function' ? inspect(value) : typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : String(value),
    d: number,
    i: (value) => typeof value === 'symbol' ? 'NaN' : integer(value),
    f: (value) => typeof value === 'symbol' ? 'NaN' : `${Number.parseFloat(value)}`,
    j: json,
    o: inspect,
    O: inspect,
    c: () => '',
  };

  const methods = ({ emit, format, shown, margin }) => {
    const counts = new Map();
    const clocks = new Map();
    const elapsed = (since) => {
      const ms = native.now() - since;
      return ms < 1000 ? `${+ms.toPrecision(4)}ms` : `${(ms / 1000).toFixed(3)}s`;
    };
    const group = (...label) => {
      if (label.length > 0) emit('log', format(label));
      margin.text += '  ';
    };

    const rare = {
      __proto__: null,
      // Replaces the directives of the first argument; what they used up is gone from the answer.
      expand: (args) => {
        let next = 1;
        const head = replace(/%[%sdifjoOc]/g, args[0], (found) => {
          if (found === '%%') return '%';
          return next < args.length ? directives[found[1]](args[next++]) : found;
        });
        const rest = [head];
        while (next < args.length) rest[rest.length] = args[next++];
        return rest;
      },
      dir: (item) => emit('log', inspect(item)),
      dirxml: (...data) => emit('log', format(data)),
      table: (data, columns) =>
        emit('log', typeof data === 'object' && data !== null ? native.part('table').table(data, columns) : shown(data)),
      trace: (...data) => {
        const holder = { name: 'Trace', message: format(data) };
        Error.captureStackTrace(holder);
        emit('log', `${holder.stack}`);
      },
      assert: (condition = false, ...data) => {
        if (condition) return;
        if (typeof data[0] === 'string') data[0] = `Assertion failed: ${data[0]}`;
        else data = ['Assertion failed', ...data];
        emit('error', format(data));
      },
      clear: () => {},
      count: (label = 'default') => {
        label = `${label}`;
        const count = (counts.get(label) ?? 0) + 1;
        counts.set(label, count);
        emit('log', `${label}: ${count}`);
      },
      countReset: (label = 'default') => {
        if (!counts.delete(`${label}`)) emit('warn', `Count for '${label}' does not exist`);
      },
      group,
      groupCollapsed: group,
      groupEnd: () => { margin.text = sliceText(margin.text, 2); },
      time: (label = 'default') => {
        label = `${label}`;
        if (clocks.has(label)) emit('warn', `Timer '${label}' already exists`);
        else clocks.set(label, native.now());
      },
      timeLog: (label = 'default', ...data) => {
        label = `${label}`;
        if (!clocks.has(label)) emit('warn', `Timer '${label}' does not exist`);
        else emit('log', format([`${label}: ${elapsed(clocks.get(label))}`, ...data]));
      },
      timeEnd: (label = 'default') => {
        rare.timeLog(label);
        clocks.delete(`${label}`);
      },
      timeStamp: () => {},
      profile: () => {},
      profileEnd: () => {},
    };
    return rare;
  };
  return { methods };
});
