// Groups, aggregates and ranks, with the newer helpers of the language.
const sales = [
  { rep: 'Kim', quarter: 'Q1', amount: 1200 },
  { rep: 'Lee', quarter: 'Q1', amount: 900 },
  { rep: 'Kim', quarter: 'Q2', amount: 700 },
  { rep: 'Lee', quarter: 'Q2', amount: 1600 },
  { rep: 'Max', quarter: 'Q2', amount: 300 },
];

const byRep = Object.groupBy(sales, ({ rep }) => rep);
const ranking = Object.entries(byRep)
  .map(([rep, list]) => ({ rep, total: list.reduce((sum, { amount }) => sum + amount, 0), deals: list.length }))
  .toSorted((a, b) => b.total - a.total);
const byQuarter = Map.groupBy(sales, ({ quarter }) => quarter);

({
  ranking,
  best: ranking.at(0)?.rep,
  quarters: new Map([...byQuarter].map(([quarter, list]) => [quarter, Math.max(...list.map((sale) => sale.amount))])),
});
