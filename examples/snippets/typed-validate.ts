// TypeScript: a small schema validator whose types follow from the schema.
type Schema<T> = { parse(value: unknown, path?: string): T };
type Infer<S> = S extends Schema<infer T> ? T : never;

class Invalid extends Error {
  constructor(public readonly path: string, expected: string, got: unknown) {
    super(`${path || 'value'}: expected ${expected}, got ${got === null ? 'null' : typeof got}`);
  }
}

const primitive = <T>(type: string): Schema<T> => ({
  parse(value, path = '') {
    if (typeof value !== type) throw new Invalid(path, type, value);
    return value as T;
  },
});
const string = primitive<string>('string');
const number = primitive<number>('number');
const array = <T>(item: Schema<T>): Schema<T[]> => ({
  parse(value, path = '') {
    if (!Array.isArray(value)) throw new Invalid(path, 'array', value);
    return value.map((entry, i) => item.parse(entry, `${path}[${i}]`));
  },
});
const optional = <T>(inner: Schema<T>): Schema<T | undefined> => ({
  parse: (value, path) => (value === undefined ? undefined : inner.parse(value, path)),
});
const object = <S extends Record<string, Schema<unknown>>>(shape: S): Schema<{ [K in keyof S]: Infer<S[K]> }> => ({
  parse(value, path = '') {
    if (typeof value !== 'object' || value === null) throw new Invalid(path, 'object', value);
    const out: Record<string, unknown> = {};
    for (const [key, schema] of Object.entries(shape)) {
      out[key] = schema.parse((value as Record<string, unknown>)[key], path ? `${path}.${key}` : key);
    }
    return out as { [K in keyof S]: Infer<S[K]> };
  },
});

const Person = object({ name: string, age: optional(number), tags: array(object({ label: string })) });
type Person = Infer<typeof Person>;

export default function check(): { good: Person; errors: string[] } {
  const good = Person.parse({ name: 'Ada', tags: [{ label: 'math' }], extra: true });
  const errors: string[] = [];
  for (const bad of [{ name: 1, tags: [] }, { name: 'x', tags: [{ label: 'a' }, {}] }, null, { name: 'x', age: '3', tags: [] }]) {
    try {
      Person.parse(bad);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      errors.push(error.message);
    }
  }
  return { good, errors };
}
