// Checks orders against a schema and works out when they are due, with two packages of the npm registry.
//
//   examples/modules/install.sh
//   examples/modules/grants.sh date-fns zod >/tmp/grants.yaml
//   supervisor run --grants /tmp/grants.yaml examples/modules/orders.ts
import { addBusinessDays, formatISO, parseISO } from "date-fns";
import { z } from "zod";

const Order = z.object({
  id: z.string().regex(/^A-\d+$/),
  placed: z.iso.date(),
  days: z.number().int().positive(),
});
type Order = z.infer<typeof Order>;

const incoming: unknown[] = [
  { id: "A-1", placed: "2024-02-28", days: 2 },
  { id: "A-2", placed: "2024-02-30", days: 1 },
  { id: "B-3", placed: "2024-03-01", days: 0 },
];

export default function orders() {
  const due: Record<string, string> = {};
  const refused: string[] = [];
  for (const candidate of incoming) {
    const checked = Order.safeParse(candidate);
    if (checked.success) due[checked.data.id] = dueDate(checked.data);
    else refused.push(checked.error.issues.map((issue) => issue.path.join(".")).join(", "));
  }
  return { due, refused };
}

function dueDate({ placed, days }: Order): string {
  return formatISO(addBusinessDays(parseISO(placed), days), { representation: "date" });
}
