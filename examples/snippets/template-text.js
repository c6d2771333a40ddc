// Renders a report with tagged templates, Intl formatting and padded columns.
const escapeHtml = (text) => String(text).replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);
const html = (strings, ...values) => String.raw({ raw: strings }, ...values.map((v) => (Array.isArray(v) ? v.join('') : escapeHtml(v))));

const items = [
  { name: 'Tea & <Coffee>', price: 1234.5, growth: 0.0725 },
  { name: 'Milk', price: 2, growth: -0.5 },
];
const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

const list = html`<ul>${items.map((item) => html`<li title="${item.name}">${money.format(item.price)}</li>`)}</ul>`;
const lines = items.map(({ name, price, growth }) => `${name.padEnd(16)}|${money.format(price).padStart(12)}|${percent.format(growth).padStart(7)}`);
const joined = new Intl.ListFormat('en', { type: 'conjunction' }).format(items.map(({ name }) => name));

`${list}
${lines.join('\n')}
${joined}`;
