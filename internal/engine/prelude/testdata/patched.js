// Guests polyfill and pollute; what they break here is theirs, the platform goes on.
Object.prototype.x = Object.prototype.name = () => 'polluted';
Array.prototype.last = function () { return this[this.length - 1]; };
Array.prototype[Symbol.iterator] = Array.prototype.forEach = Array.prototype.map = Array.prototype.push = null;
String.prototype.replaceAll = String.prototype.padEnd = String.prototype.trim = () => 'replaced';

const results = [];
const note = (value) => { results[results.length] = value; };
note(btoa('a'));
note(atob('YQ'));
note(new TextDecoder().decode(new TextEncoder().encode('\u20ac')));
note(new TextDecoder('utf-16le').decode(Uint8Array.of(0xac, 0x20)));
note(new URL('http://a/?b=c').searchParams.get('b'));
note(`${new URLSearchParams('a=1&b=2')}`);
note(structuredClone({ a: { b: 1 } }).a.b);
note(typeof crypto.randomUUID());
note(performance.now() >= 0);
const controller = new AbortController();
controller.signal.addEventListener('abort', () => note('aborted'));
controller.abort();
console.log('%s', { a: [1] }, new Map(), [2].last());
console.table({ a: 1 });
console.table([{ a: 1 }, 2]);
console.table(new Map(), Object('a'));
console.assert(false, {});
console.trace();
console.time();
console.timeLog(undefined, 1);
console.group('a');
let fired = 0;
await new Promise((resolve) => setTimeout((a) => { fired = a; resolve(); }, 0, 7));
note(fired);
const want = ['YQ==', 'a', '\u20ac', '\u20ac', 'c', 'a=1&b=2', 1, 'string', true, 'aborted', 7];
for (let i = 0; i < want.length; i++) {
  if (results[i] !== want[i]) failures[failures.length] = `${i}: ${results[i]}`;
}
