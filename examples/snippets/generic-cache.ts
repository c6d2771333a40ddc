// TypeScript: generics with constraints, overloads, and a least-recently-used cache.
interface Cache<K extends string | number, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): this;
}

class LRU<K extends string | number, V> implements Cache<K, V> {
  private readonly entries = new Map<K, V>();

  constructor(private readonly capacity: number, public onEvict?: (key: K, value: V) => void) {}

  get(key: K): V | undefined {
    if (!this.entries.has(key)) return undefined;
    const value = this.entries.get(key)!;
    this.entries.delete(key);
    this.entries.set(key, value);
    return value;
  }

  set(key: K, value: V): this {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) {
      const [oldest, evicted] = this.entries.entries().next().value as [K, V];
      this.entries.delete(oldest);
      this.onEvict?.(oldest, evicted);
    }
    return this;
  }

  keys(): K[] {
    return [...this.entries.keys()];
  }
}

function memoize<A extends readonly (string | number)[], R>(fn: (...args: A) => R, cache: Cache<string, R>): (...args: A) => R {
  return (...args) => {
    const key = args.join('|');
    const known = cache.get(key);
    if (known !== undefined) return known;
    const value = fn(...args);
    cache.set(key, value);
    return value;
  };
}

let calls = 0;
const evicted: string[] = [];
const cache = new LRU<string, number>(2, (key) => evicted.push(key));
const area = memoize((w: number, h: number) => (calls++, w * h), cache);

const results: number[] = [area(2, 3), area(4, 5), area(2, 3), area(6, 7), area(2, 3), area(4, 5)];
export default { results, calls, evicted, keys: cache.keys() };
