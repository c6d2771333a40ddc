'use strict';
(function (native, { uncurryThis }) {
  const slice = uncurryThis(String.prototype.slice);
  const counts = new Map();
  const clocks = new Map();

  const before = (first, data) => {
    const all = [first];
    for (let i = 0; i < data.length; i++) all[i + 1] = data[i];
    return all;
  };

  const methods = (emit, margin) => {
    const elapsed = (since) => {
      const ms = native.now() - since;
      return ms < 1000 ? `${+ms.toPrecision(4)}ms` : `${(ms / 1000).toFixed(3)}s`;
    };

    const rare = {
      __proto__: null,
      dir: (item) => emit('log', [native.inspect(item)]),
      table: (data, columns) =>
        emit('log', [typeof data === 'object' && data !== null ? native.part('table').table(data, columns) : data]),
      trace: (...data) => {
        const holder = { name: 'Trace', message: native.format(data) };
        Error.captureStackTrace(holder);
        emit('log', [`${holder.stack}`]);
      },
      assert: (condition = false, ...data) => {
        if (condition) return;
        if (typeof data[0] === 'string') data[0] = `Assertion failed: ${data[0]}`;
        else data = before('Assertion failed', data);
        emit('error', data);
      },
      count: (label = 'default') => {
        label = `${label}`;
        const count = (counts.get(label) ?? 0) + 1;
        counts.set(label, count);
        emit('log', [`${label}: ${count}`]);
      },
      countReset: (label = 'default') => {
        if (!counts.delete(`${label}`)) emit('warn', [`Count for '${label}' does not exist`]);
      },
      group: (...label) => {
        if (label.length > 0) emit('log', label);
        margin.text += '  ';
      },
      groupEnd: () => { margin.text = slice(margin.text, 2); },
      time: (label = 'default') => {
        label = `${label}`;
        if (clocks.has(label)) emit('warn', [`Timer '${label}' already exists`]);
        else clocks.set(label, native.now());
      },
      timeLog: (label = 'default', ...data) => {
        label = `${label}`;
        if (!clocks.has(label)) emit('warn', [`Timer '${label}' does not exist`]);
        else emit('log', before(`${label}: ${elapsed(clocks.get(label))}`, data));
      },
      timeEnd: (label = 'default') => {
        rare.timeLog(label);
        clocks.delete(`${label}`);
      },
    };
    return rare;
  };
  return { methods };
});
