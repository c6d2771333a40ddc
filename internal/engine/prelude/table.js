'use strict';
(function (native, { uncurryThis }) {
  const { inspect } = native;
  const index = '(index)';
  const values = 'Values';
  const padEnd = uncurryThis(String.prototype.padEnd);
  const repeat = uncurryThis(String.prototype.repeat);
  const join = uncurryThis(Array.prototype.join);
  const eachOfMap = uncurryThis(Map.prototype.forEach);
  const eachOfSet = uncurryThis(Set.prototype.forEach);

  // The rows of a table: a label and an object, or something else that stands in a column of its own.
  const rowsOf = (data) => {
    const rows = [];
    const add = (label, value) => { rows[rows.length] = { label, value, nested: typeof value === 'object' && value !== null }; };
    if (data instanceof Map) eachOfMap(data, (value, key) => add(inspect(key), value));
    else if (data instanceof Set) eachOfSet(data, (value) => add(`${rows.length}`, value));
    else each(Object.keys(data), (key) => add(key, data[key]));
    return rows;
  };
  const each = (list, visit) => { for (let i = 0; i < list.length; i++) visit(list[i], i); };
  const map = (list, make) => {
    const made = [];
    each(list, (item, at) => { made[at] = make(item, at); });
    return made;
  };
  const flat = (value) => typeof value === 'object' && value !== null ? (Array.isArray(value) ? '[Array]' : inspect(value)) : inspect(value);

  return {
    table: (data, columns) => {
      const rows = rowsOf(data);
      const heads = columns === undefined ? [] : Array.from(columns, String);
      let loose = false;
      if (columns === undefined) {
        const seen = { __proto__: null };
        each(rows, ({ value, nested }) => {
          if (!nested) loose = true;
          else each(Object.keys(value), (key) => { seen[`:${key}`] ??= heads[heads.length] = key; });
        });
      }
      const grid = [];
      const line = (first, cell, last) => {
        const cells = [first];
        each(heads, (head) => { cells[cells.length] = cell(head); });
        if (loose) cells[cells.length] = last;
        grid[grid.length] = cells;
      };
      line(index, (head) => head, values);
      each(rows, ({ label, value, nested }) =>
        line(label, (head) => nested && Object.hasOwn(value, head) ? flat(value[head]) : '', nested ? '' : inspect(value)));
      const widths = map(grid[0], () => 0);
      each(grid, (cells) => each(cells, (cell, at) => { if (cell.length > widths[at]) widths[at] = cell.length; }));
      const rule = (left, middle, right) => left + join(map(widths, (width) => repeat('\u2500', width + 2)), middle) + right;
      const lines = [rule('\u250c', '\u252c', '\u2510')];
      each(grid, (cells, at) => {
        lines[lines.length] = `\u2502 ${join(map(cells, (cell, at) => padEnd(cell, widths[at])), ' \u2502 ')} \u2502`;
        if (at === 0) lines[lines.length] = rule('\u251c', '\u253c', '\u2524');
      });
      lines[lines.length] = rule('\u2514', '\u2534', '\u2518');
      return join(lines, '\n');
    },
  };
});
