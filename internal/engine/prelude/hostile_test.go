package prelude_test

import (
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/internal/v8"
)

func TestConsoleRunsNoGuestCodeButTheStackGetter(t *testing.T) {
	var h host
	var ran int
	evaluate(t, open(t, &h), `
let ran = 0;
const trap = () => { ran++; throw new Error('ran'); };
const handler = new Proxy({}, { get: () => trap });
const getters = Object.defineProperties({}, {
  a: { get: trap, enumerable: true }, toString: { get: trap }, toJSON: { value: trap }, constructor: { get: trap },
  [Symbol.toStringTag]: { get: trap }, [Symbol.toPrimitive]: { value: trap }, [Symbol.iterator]: { value: trap }, length: { get: trap },
});
class Sub extends Array { static get [Symbol.species]() { return trap(); } get length() { return trap(); } }
Object.defineProperty(Map.prototype, 'size', { get: trap });
Map.prototype.forEach = Set.prototype.forEach = Date.prototype.toISOString = RegExp.prototype.toString = Symbol.prototype.toString = trap;
const values = [
  getters, new Proxy({ x: 1 }, handler), new Proxy([1], handler), new Proxy(() => {}, handler), Object.create(new Proxy({}, handler)),
  new Map([[getters, getters]]), new Set([getters]), new Date(0), /x/, Object(Symbol('s')), Symbol('s'), [getters], { getters },
  Object.setPrototypeOf([1, 2], new Proxy({}, handler)), Object.setPrototypeOf(new Map(), null), Object.setPrototypeOf(() => {}, getters),
  Object.setPrototypeOf(new Error('plain'), getters), new Uint8Array(2), Object.setPrototypeOf(new Uint8Array(2), null), new Sub(),
  Object.defineProperty(function f() {}, 'name', { get: trap }), Object.defineProperty(class {}, 'name', { get: trap }),
];
Object.defineProperty(Object.prototype, 'get', { get: trap, configurable: true });
for (const value of values) console.log('%s %d %i %f %o', value, value, value, value, value);
console.log(...values);
delete Object.prototype.get;
return ran;`, &ran)
	if ran != 0 || len(h.logs) != 23 {
		t.Errorf("%d pieces of guest code ran, %d messages", ran, len(h.logs))
	}
}

func TestConsoleShowsEverythingThatIsReachable(t *testing.T) {
	var h host
	var count int
	evaluate(t, open(t, &h), `
const seen = new Set();
const queue = [globalThis, (function* () {})(), (async function* () {})(), new Map([[1, 2]]).entries(), new Set([1]).values(), [][Symbol.iterator](),
  'a'[Symbol.iterator](), 'a'.matchAll(/a/g), (function () { return arguments; })(1), new Intl.NumberFormat('en'), new WeakRef({}), Object(1n)];
while (queue.length > 0 && seen.size < 4000) {
  const value = queue.pop();
  if (typeof value !== 'object' && typeof value !== 'function' || value === null || seen.has(value) || value === seen || value === queue) continue;
  seen.add(value);
  for (const key of Reflect.ownKeys(value)) {
    const { value: v, get, set } = Object.getOwnPropertyDescriptor(value, key);
    queue.push(v, get, set);
  }
  queue.push(Object.getPrototypeOf(value));
  console.log(value);
}
return seen.size;`, &count)
	if count < 700 || len(h.logs) != count {
		t.Errorf("%d objects, %d messages", count, len(h.logs))
	}
	for _, line := range h.logs {
		if strings.Contains(line, "realm:") {
			t.Errorf("shows a name of ours: %.200s", line)
		}
	}
}

func TestConsoleSurvivesTheEndOfTheStack(t *testing.T) {
	var h host
	var name string
	evaluate(t, open(t, &h), `
let depth = 0;
const deeper = () => { depth++; console.log({ depth, list: [[[depth]]] }); deeper(); };
try { deeper(); } catch (error) { return error.name; }`, &name)
	if name != "RangeError" {
		t.Errorf("ended with %q", name)
	}
}

// A getter of a stack is the one piece of guest code that printing runs. It must not swallow the end of the run.
func TestStopReachesCodeThatPrintingRuns(t *testing.T) {
	for _, body := range []string{
		`const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { for (;;); } }); console.log(e); for (;;);`,
		`console.log('%j', { toJSON() { for (;;); } }); for (;;);`,
		`class U extends URL { get href() { for (;;); } } console.log(new U('http://h')); for (;;);`,
		`structuredClone({ get a() { for (;;); } });`,
		`new EventTarget().addEventListener('x', { get handleEvent() { for (;;); } }); const t = new EventTarget(); t.addEventListener('x', () => { for (;;); }); t.dispatchEvent(new Event('x')); for (;;);`,
	} {
		r := open(t, &host{})
		r.SetSource("guest.js")
		timer := time.AfterFunc(30*time.Millisecond, func() { r.Stop(v8.Deadline) })
		status := r.RunFunction(body, false)
		timer.Stop()
		if status != v8.Terminated || r.Stopped() != v8.Deadline {
			t.Errorf("%s\nended with status %d", body, status)
		}
	}
}
