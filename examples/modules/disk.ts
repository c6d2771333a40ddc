// A table of what takes space, laid out by a granted package.
//
//   examples/modules/grants.sh text-table >/tmp/grants.yaml
//   supervisor run --grants /tmp/grants.yaml examples/modules/disk.ts
import { table } from "text-table";
import { bytes } from "text-table/units";

interface Entry {
  path: string;
  size: number;
}

const entries: Entry[] = [
  { path: "/srv/photos", size: 7_340_032_000 },
  { path: "/srv/café", size: 48_128 },
  { path: "/srv/notes 📓", size: 911 },
];

export default function disk(): string {
  return table([...entries].sort((a, b) => a.size - b.size).map((e, i) => [i + 1, e.path, bytes(e.size)]));
}
