'use strict';
(function (native, { uncurryThis }) {
  const { inspect } = native;
  const index = '(index)';
  const values = 'Values';
  const padEnd = uncurryThis(String.prototype.padEnd);
  const repeat = uncurryThis(String.prototype.repeat);

  // The rows of a table: a label and an object, or something else that stands in a column of its own.
  const rowsOf = (data) => {
    const rows = [];
    if (data instanceof Map) for (const [key, value] of data) rows.push([inspect(key), value]);
    else if (data instanceof Set) for (const value of data) rows.push([`${rows.length}`, value]);
    else for (const key of Object.keys(data)) rows.push([key, data[key]]);
    return rows;
  };
  const flat = (value) => typeof value === 'object' && value !== null ? (Array.isArray(value) ? '[Array]' : inspect(value)) : inspect(value);

  return {
    table: (data, columns) => {
      const rows = rowsOf(data);
      const heads = columns === undefined ? [] : Array.from(columns, String);
      let loose = false;
      if (columns === undefined) {
        const seen = new Set();
        for (const [, row] of rows) {
          if (typeof row === 'object' && row !== null) for (const key of Object.keys(row)) seen.add(key);
          else loose = true;
        }
        heads.push(...seen);
      }
      const grid = [[index, ...heads, ...loose ? [values] : []]];
      for (const [label, row] of rows) {
        const nested = typeof row === 'object' && row !== null;
        const line = [label];
        for (const head of heads) line.push(nested && Object.hasOwn(row, head) ? flat(row[head]) : '');
        if (loose) line.push(nested ? '' : inspect(row));
        grid.push(line);
      }
      const widths = grid[0].map((_, at) => Math.max(...grid.map((line) => line[at].length)));
      const rule = (left, middle, right) => left + widths.map((width) => repeat('\u2500', width + 2)).join(middle) + right;
      const text = grid.map((line) => `\u2502 ${line.map((cell, at) => padEnd(cell, widths[at])).join(' \u2502 ')} \u2502`);
      return [rule('\u250c', '\u252c', '\u2510'), text[0], rule('\u251c', '\u253c', '\u2524'), ...text.slice(1), rule('\u2514', '\u2534', '\u2518')].join('\n');
    },
  };
});
