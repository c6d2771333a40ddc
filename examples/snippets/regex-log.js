// Extracts structured records from server log lines with a named-group regular expression.
const log = `
127.0.0.1 - alice [10/Oct/2023:13:55:36 +0000] "GET /index.html HTTP/1.1" 200 2326
10.0.0.7 - - [10/Oct/2023:13:55:40 +0000] "POST /api/login HTTP/1.1" 401 12
this line is noise
10.0.0.7 - bob [10/Oct/2023:13:56:02 +0000] "GET /api/items?id=5&x=%20y HTTP/2" 500 0
`;
const pattern =
  /^(?<ip>[\d.]+) \S+ (?<user>\S+) \[(?<time>[^\]]+)\] "(?<method>[A-Z]+) (?<path>\S+) HTTP\/[\d.]+" (?<status>\d{3}) (?<bytes>\d+)$/gm;

const records = Array.from(log.matchAll(pattern), ({ groups }) => ({
  ...groups,
  user: groups.user === '-' ? null : groups.user,
  status: Number(groups.status),
  bytes: Number(groups.bytes),
}));

const summary = {
  records: records.length,
  failed: records.filter((record) => record.status >= 400).map((record) => `${record.method} ${record.path}`),
  users: records.flatMap((record) => record.user ?? []),
  query: new URL(records.at(-1).path, 'http://log.invalid').searchParams.get('x'),
  bytes: records.reduce((sum, record) => sum + record.bytes, 0),
};
summary
