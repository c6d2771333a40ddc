// Summarises the software packages installed on a Debian-like host.
//
//   supervisor run --grants examples/packages.grants.yaml \
//     --read /var/lib/dpkg --write /tmp/report examples/packages.ts -- /var/lib/dpkg /tmp/report
//
// Nothing here touches the host: each call below asks the supervisor, which looks
// into the grants, does it, and writes it down.
import { readBytes, reportStatus, stat, writeText } from "realm:capabilities";

interface Package {
  name: string;
  version: string;
  section: string;
  kib: number;
}

interface Section {
  section: string;
  packages: number;
  kib: number;
}

const pieceBytes = 256 * 1024; // maxReadBytes in packages.grants.yaml

export default async function summarise(database: string, reports: string): Promise<string> {
  const packages: Package[] = [];
  for await (const stanza of stanzas(`${database}/status`)) {
    const installed = parse(stanza);
    if (installed) packages.push(installed);
  }
  if (packages.length === 0) throw new Error(`${database}/status lists no installed package`);

  const report = {
    database,
    packages: packages.length,
    installedKiB: packages.reduce((sum, p) => sum + p.kib, 0),
    sections: sections(packages),
    largest: packages.toSorted((a, b) => b.kib - a.kib || a.name.localeCompare(b.name)).slice(0, 10),
  };
  reportStatus("write", `${reports}/packages.json`);
  await writeText(`${reports}/packages.json`, JSON.stringify(report, null, 2) + "\n");

  return [
    `${report.packages} packages, ${size(report.installedKiB)} installed`,
    "",
    "largest sections:",
    ...report.sections.slice(0, 8).map((s) => row(s.section, `${s.packages} packages`, size(s.kib))),
    "",
    "ten largest packages:",
    ...report.largest.map((p) => row(p.name, p.version, size(p.kib))),
  ].join("\n");
}

/** Reads a file piece by piece and yields the paragraphs in it. */
async function* stanzas(path: string): AsyncGenerator<string> {
  const { size } = await stat(path);
  const decoder = new TextDecoder();
  let text = "";
  for (let offset = 0; offset < size; offset += pieceBytes) {
    const piece = await readBytes(path, { offset, length: Math.min(pieceBytes, size - offset) });
    text += decoder.decode(piece, { stream: true });
    const parts = text.split(/\n\n+/);
    text = parts.pop() ?? "";
    yield* parts;
  }
  yield text + decoder.decode();
}

/** Returns the package that a paragraph describes, unless it is not installed. */
function parse(stanza: string): Package | undefined {
  const field = (name: string) => new RegExp(`^${name}: *(.*)$`, "m").exec(stanza)?.[1] ?? "";
  if (!field("Status").endsWith(" installed")) return undefined;
  return {
    name: field("Package"),
    version: field("Version"),
    section: field("Section").split("/").pop() || "none",
    kib: Number(field("Installed-Size")) || 0,
  };
}

function sections(packages: Package[]): Section[] {
  return Object.entries(Object.groupBy(packages, (p) => p.section))
    .map(([section, all = []]) => ({ section, packages: all.length, kib: all.reduce((sum, p) => sum + p.kib, 0) }))
    .sort((a, b) => b.kib - a.kib);
}

function size(kib: number): string {
  return kib < 1024 ? `${kib} KiB` : kib < 1024 ** 2 ? `${(kib / 1024).toFixed(1)} MiB` : `${(kib / 1024 ** 2).toFixed(2)} GiB`;
}

function row(name: string, detail: string, amount: string): string {
  const cell = (text: string, width: number) => (text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width));
  return `  ${cell(name, 32)} ${cell(detail, 20)} ${amount.padStart(10)}`;
}
