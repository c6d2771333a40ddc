// Parses a CSV text with quoted fields and sums the revenue per region.
const csv = `date,region,product,revenue
2024-01-03,EMEA,"Widget, large",1200.50
2024-01-04,APAC,Gadget,800
2024-01-05,EMEA,"Gadget ""Pro""",99.5
2024-01-05,AMER,Widget,1500.25
2024-01-06,APAC,"Widget, large",200
`;

function parseLine(line) {
  const fields = [];
  let field = '';
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const char = line[i];
    if (quoted) {
      if (char === '"' && line[i + 1] === '"') {
        field += '"';
        i++;
      } else if (char === '"') quoted = false;
      else field += char;
    } else if (char === '"') quoted = true;
    else if (char === ',') {
      fields.push(field);
      field = '';
    } else field += char;
  }
  return [...fields, field];
}

const [header, ...lines] = csv.trim().split('\n').map(parseLine);
const rows = lines.map((fields) => Object.fromEntries(header.map((name, i) => [name, fields[i]])));

const totals = {};
for (const row of rows) totals[row.region] = (totals[row.region] ?? 0) + Number(row.revenue);

console.table(totals);
({ rows: rows.length, totals, products: [...new Set(rows.map((row) => row.product))].sort() });
