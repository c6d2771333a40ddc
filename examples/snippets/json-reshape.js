// Joins two JSON answers of an API by id and reshapes them for a report.
const users = JSON.parse('[{"id":1,"name":"Ada"},{"id":2,"name":"Linus"},{"id":3,"name":"Grace"}]');
const orders = JSON.parse(`[
  {"id": 10, "userId": 1, "items": [{"sku": "A", "qty": 2, "price": 9.99}, {"sku": "B", "qty": 1, "price": 20}]},
  {"id": 11, "userId": 3, "items": [{"sku": "A", "qty": 1, "price": 9.99}]},
  {"id": 12, "userId": 1, "items": []}
]`);

const byUser = new Map(users.map((user) => [user.id, { name: user.name, orders: 0, spent: 0, skus: new Set() }]));
for (const { userId, items } of orders) {
  const entry = byUser.get(userId);
  entry.orders += 1;
  for (const { sku, qty, price } of items) {
    entry.spent += qty * price;
    entry.skus.add(sku);
  }
}

return [...byUser.values()]
  .map(({ skus, spent, ...rest }) => ({ ...rest, spent: Math.round(spent * 100) / 100, skus: [...skus] }))
  .sort((a, b) => b.spent - a.spent);
