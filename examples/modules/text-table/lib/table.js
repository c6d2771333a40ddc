import { width } from "./width.js";

/** Lays rows out in columns: numbers to the right, everything else to the left. */
export function table(rows) {
  const widths = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, width(cell))));
  return rows.map((row) => row.map((cell, i) => pad(cell, widths[i])).join("  ").trimEnd()).join("\n");
}

function pad(cell, to) {
  const space = " ".repeat(to - width(cell));
  return typeof cell === "number" ? space + cell : cell + space;
}
