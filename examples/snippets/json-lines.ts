// Reads JSON lines, survives the broken ones, and returns a typed summary with a Map and Dates.
interface Entry {
  at: string;
  level: 'info' | 'error';
  message: string;
  context?: Record<string, unknown>;
}

const text = [
  '{"at":"2024-05-01T10:00:00Z","level":"info","message":"started"}',
  '{"at":"2024-05-01T10:00:05.250Z","level":"error","message":"failed","context":{"code":500}}',
  '{"at": oops}',
  '',
  '{"at":"2024-05-01T11:30:00+02:00","level":"info","message":"earlier"}',
].join('\n');

const isEntry = (value: any): value is Entry => typeof value?.at === 'string' && typeof value?.message === 'string';

const entries: Entry[] = [];
const broken: number[] = [];
for (const [index, line] of text.split(/\r?\n/).entries()) {
  if (!line.trim()) continue;
  try {
    const value: unknown = JSON.parse(line);
    if (isEntry(value)) entries.push(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    broken.push(index + 1);
  }
}

const times = entries.map((entry) => new Date(entry.at)).sort((a, b) => a.getTime() - b.getTime());
const levels = new Map<Entry['level'], number>();
for (const { level } of entries) levels.set(level, (levels.get(level) ?? 0) + 1);

return { first: times[0], spanMs: times.at(-1)!.getTime() - times[0]!.getTime(), levels, broken, codes: entries.map((e) => e.context?.code) };
