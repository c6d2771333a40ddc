package supervisor_test

import (
	"os"
	"testing"

	"realm.internal/supervisor/pkg/supervisor"
)

// Attacks on the end of a run: work that does not end, that is too much, or that
// goes on after the result.

func fills(name, source string) attack {
	return attack{name: name, source: source, want: supervisor.ErrOOM, limits: supervisor.Limits{MemoryMb: 64, WallClockMs: 60_000}}
}

func init() {
	classes["stalls"] = []attack{
		loops("a loop", `for (;;);`), loops("a loop in finally", `try { for (;;); } finally { for (;;); }`), loops("a loop that catches its end", `for (;;) try { for (;;); } catch {}`),
		loops("a generator", `function* g() { for (;;) yield } for (const _ of g());`), loops("an async generator", `async function* g() { for (;;) yield } for await (const _ of g());`),
		loops("awaits without end", `for (;;) await null`), loops("microtasks", `const f = () => queueMicrotask(f); f()`), loops("promises", `const f = () => Promise.resolve().then(f); f()`), loops("timers", `const f = () => setTimeout(f); f(); await new Promise(() => {})`),
		loops("a backtracking expression", `/^(a+)+$/.test('a'.repeat(40) + 'b')`), loops("nested quantifiers", `/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60))`), loops("a backreference", `/(x+x+)+\1y/.test('x'.repeat(60))`), loops("a lookahead", `/^(?=(a+)+b)/.test('a'.repeat(45))`),
		loops("replace", `'a'.repeat(40).replace(/^(a|a)*$/g, () => { for (;;); })`), loops("split", `('a'.repeat(50) + '!').split(/(a*)*$/)`), loops("a sticky expression in a callback", `for (;;) 'abc'.replace(/b/y, String)`),
		loops("a bigint power", `let x = 3n; for (;;) x = x * x % (1n << 100000n)`), loops("a bigint as text", `const x = 1n << (1n << 24n); for (;;) x.toString(7)`), loops("a division of bigints", `const a = (1n << 20000000n) - 1n, b = (1n << 9999999n) + 1n; for (;;) a / b`), loops("a text as bigint", `const s = '7'.repeat(1e6); for (;;) BigInt(s)`),
		loops("sort with a comparator", `const a = Array.from({ length: 1e5 }, Math.random); for (;;) a.sort(() => Math.random() - .5)`), loops("indexOf over a length", `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`), loops("join over a length", `Array.prototype.lastIndexOf.call({ length: 2 ** 53 - 1 }, 1)`),
		loops("includes over a proxy", `Array.prototype.includes.call(new Proxy({}, { get(_, k) { return k === 'length' ? 2 ** 53 - 1 : 0 } }), 1)`), loops("reverse of what is sparse", `Array.prototype.reverse.call({ length: 2 ** 53 - 1 })`), loops("copyWithin", `Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 1)`),
		loops("a sum over holes", `Array.prototype.reduce.call({ length: 2 ** 53 - 1 }, x => x, 0)`), loops("JSON.stringify of getters", `JSON.stringify({ get a() { for (;;); } })`), loops("JSON.parse with a reviver", `JSON.parse('[1]', () => { for (;;); })`), loops("a proxy's traps", `Object.keys(new Proxy({}, { ownKeys() { for (;;); } }))`),
		loops("a class's static block", `class A { static { for (;;); } }`), loops("a default argument", `((a = (() => { for (;;); })()) => a)()`), loops("a computed key", `({ [(() => { for (;;); })()]: 1 })`), loops("a tagged template", "(() => { for (;;); })``"), loops("toString", `'' + { toString() { for (;;); } }`),
		loops("a decorator", `const d = () => { for (;;); }; class A { @d m() {} }`), loops("a getter of the console", `console.log({ get a() { for (;;); } }); for (;;);`), loops("an error's cause", `throw new Error('x', { get cause() { for (;;); } })`), loops("localeCompare", `const s = 'é'.repeat(1e5); for (;;) s.localeCompare(s + 'a')`),
		loops("normalize", `const s = 'ﷺ'.repeat(1e6); for (;;) s.normalize('NFKD')`), loops("Intl", `for (;;) new Intl.DateTimeFormat('ar-EG', { dateStyle: 'full' }).format()`), loops("structuredClone", `const a = Array(1e5).fill({}); for (;;) structuredClone(a)`), loops("URLs", `for (;;) new URL('http://' + 'a.'.repeat(100) + 'x/' + '../'.repeat(1e3))`),
		loops("an abort listener", `const c = new AbortController(); c.signal.addEventListener('abort', () => { for (;;); }); c.abort()`), loops("listeners", `const t = new EventTarget(); for (;;) t.addEventListener('x', () => {})`), loops("a finalizer", `const r = new FinalizationRegistry(() => { for (;;); }); for (;;) r.register({}, 1)`), loops("an import that loops", `await import({ toString() { for (;;); } })`), loops("base64", `const s = btoa('x'.repeat(1e6)); for (;;) atob(s)`),
		loops("a waiting promise and an endless timer", `setInterval(() => {}, 1); await new Promise(() => {})`), loops("CPU behind a wait", `for (;;) { await new Promise(f => setTimeout(f, 1)); const t = performance.now(); while (performance.now() - t < 50); }`),
		{name: "nothing that can settle", source: `await new Promise(() => {})`, want: supervisor.ErrDeadlock},
		{name: "two that wait for each other", source: `let free; const a = new Promise(f => { free = f }), b = (async () => { await a; free() })(); await b`, want: supervisor.ErrDeadlock},
		{name: "a race that nobody wins", source: `await Promise.race([])`, want: supervisor.ErrDeadlock},
		{name: "a promise of itself", source: `const p = Promise.resolve().then(() => p); await p`, want: supervisor.ErrRuntime, error: "TypeError"},
		{name: "recursion", source: `const f = () => f() + 1; f()`, want: supervisor.ErrRuntime, error: "RangeError"},
		{name: "recursion through natives", source: `const a = []; a[0] = a; const f = x => [x].map(f); f(1)`, want: supervisor.ErrRuntime, error: "RangeError"},
		{name: "recursion through proxies", source: `let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x`, want: supervisor.ErrRuntime, error: "RangeError"},
		{name: "recursion through bind", source: `let f = () => 1; for (let i = 0; i < 1e6; i++) f = f.bind(); f()`},
		{name: "recursion through getters", source: `const o = { get a() { return this.a } }; o.a`, want: supervisor.ErrRuntime, error: "RangeError"},
		{name: "recursion that catches its end", source: `let n = 0; const f = () => { n++; try { f() } catch { if (n < 1e5) f() } }; f(); n > 1000`, value: `true`},
		{name: "JSON of great depth", source: `try { JSON.parse('['.repeat(1e6)) } catch (e) { e.name }`, value: `"SyntaxError"`},
		{name: "JSON of a great object's depth", source: `let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; try { JSON.stringify(o).length > 0 } catch (e) { e.name }`},
		{name: "an expression of great depth", source: `try { eval('('.repeat(1e5) + ')'.repeat(1e5)) } catch (e) { e.name }`},
		{name: "a regular expression of great depth", source: `try { new RegExp('('.repeat(1e5) + ')'.repeat(1e5)) } catch (e) { e.name }`, value: `"SyntaxError"`},
		{name: "a regular expression of great size", source: `try { new RegExp('(?:a{0,1000}){0,1000}').test('a') } catch (e) { e.name }`},
	}

	classes["sizes"] = []attack{
		fills("an array of texts", `const a = []; for (;;) a.push('x'.repeat(1e5) + a.length)`), fills("ropes made flat", `const a = []; for (;;) { let s = 'x'; for (let i = 0; i < 20; i++) s += s; a.push(s); /x$/.test(s) }`), fills("a spread", `[...'.'.repeat(5e8)]`), fills("a spread of an endless iterator", `[...function* () { for (let i = 0; ; i++) yield { i } }()]`),
		fills("objects", `const a = []; for (;;) a.push({ a: a.length, b: [1, 2, 3] })`), fills("closures", `let f = () => 1; for (;;) { const g = f, x = new Array(1000); f = () => [g, x] }`), fills("promises", `const a = []; for (;;) a.push(new Promise(() => {}).then(() => {}))`), fills("microtasks that are never run", `for (;;) queueMicrotask(() => {})`), fills("timers", `for (;;) setTimeout(() => {}, 1e6)`),
		fills("buffers", `const a = []; for (;;) a.push(new Uint8Array(1 << 24).fill(1))`), fills("small buffers", `const a = []; for (;;) a.push(new ArrayBuffer(1 << 12))`), fills("webassembly's memories", `const a = []; for (;;) { const m = new WebAssembly.Memory({ initial: 256 }); new Uint8Array(m.buffer).fill(1); a.push(m) }`), fills("symbols and maps", `const m = new Map(); for (;;) m.set(Symbol(m.size), new Array(100))`),
		fills("functions by eval", `const a = []; for (let i = 0; ; i++) a.push(Function('return ' + 'x'.repeat(10_000) + i))`), fills("regular expressions", `const a = []; for (let i = 0; ; i++) { const r = new RegExp('(a|b|' + i + ')*' + '(c|d)*'.repeat(200)); r.test('a'); a.push(r) }`), fills("errors with stacks", `const a = []; for (;;) a.push(new Error('x'.repeat(1000)))`),
		fills("property names", `const o = {}; for (let i = 0; ; i++) o['k' + i + 'x'.repeat(100)] = i`), fills("structuredClone", `let a = [1]; for (;;) a = structuredClone([a, a].flat())`), fills("a text encoder", `const a = []; for (;;) a.push(new TextEncoder().encode('x'.repeat(1 << 22)))`),
		{name: "a text of half a gigabyte", source: `try { 'x'.repeat(2 ** 29).length } catch (e) { e.name }`, value: `"RangeError"`},
		{name: "a text beyond the engine's limit", source: `try { 'x'.repeat(2 ** 30) } catch (e) { e.name }`, value: `"RangeError"`},
		{name: "padEnd beyond the limit", source: `try { ''.padEnd(2 ** 31, 'ab') } catch (e) { e.name }`, value: `"RangeError"`},
		{name: "concat beyond the limit", source: `try { let s = 'x'.repeat(2 ** 28); for (;;) s += s } catch (e) { e.name }`, value: `"RangeError"`},
		{name: "join beyond the limit", source: `try { new Array(1e9).join('xx') } catch (e) { e.name }`, value: `"RangeError"`},
		{name: "an array's length", source: `[(() => { try { new Array(-1) } catch (e) { return e.name } })(), new Array(4294967295).length]`, value: `["RangeError",4294967295]`},
		{name: "a buffer's length", source: `const r = []; for (const n of [-1, 2 ** 53, 2 ** 40, NaN]) try { r.push(new ArrayBuffer(n).byteLength) } catch (e) { r.push(e.name) } r`, value: `["RangeError","RangeError","RangeError",0]`},
		{name: "a bigint beyond the limit", source: `try { 2n ** (2n ** 40n) } catch (e) { e.name }`, value: `"RangeError"`},
		{name: "bytes of randomness", source: `try { crypto.getRandomValues(new Uint8Array(65537)) } catch (e) { e.name }`, value: `"QuotaExceededError"`},
		{name: "a flood of the console", source: `for (let i = 0; i < 1e5; i++) console.log('x'.repeat(100)); 1`, value: `1`, then: truncated},
		{name: "one great line of the console", source: `console.log('x'.repeat(2 ** 25)); 1`, value: `1`, then: truncated},
		{name: "a great object on the console", source: `console.log(Array.from({ length: 1e6 }, () => ({ a: {} }))); 1`, value: `1`},
		{name: "a flood of status events", source: `const s = 'x'.repeat(1e5); for (let i = 0; i < 5000; i++) reportStatus(s, s); 1`, value: `1`},
		{name: "a path of megabytes", source: `const c = await import('realm:capabilities'); try { await c.readText('/' + 'x'.repeat(1e7)) } catch (e) { e.name }`, value: `"TypeError"`},
		{name: "arguments of megabytes", source: `const c = await import('realm:capabilities'); try { await c.spawn('/bin/true', Array(1e5).fill('x'.repeat(100))) } catch (e) { e.name }`, value: `"TypeError"`},
		{name: "content above its limit", source: `const c = await import('realm:capabilities'); const r = []; for (const f of [() => c.writeText('$OUT/w', 'x'.repeat(2 ** 24)), () => c.writeBytes('$OUT/w', new Uint8Array(2 ** 27)), () => echo('x'.repeat(2 ** 24))]) try { await f(); r.push('done') } catch (e) { r.push(e.name) } r`,
			value: `["SandboxDeniedError","SandboxDeniedError","SandboxDeniedError"]`},
		{name: "a million waiting calls", source: `const c = await import('realm:capabilities'); for (let i = 0; i < 1e6; i++) c.readText('/etc/passwd').catch(() => {}); 1`, want: supervisor.ErrDenied, error: "resource.operations"},
	}

	classes["after the result"] = []attack{
		{name: "a timer", source: `setTimeout(() => { for (;;); }, 1); 1`, value: `1`}, {name: "an interval", source: `setInterval(() => { for (;;); }); 'x'`, value: `"x"`},
		{name: "a pending promise", source: `new Promise(() => {}).then(() => { for (;;); }); 1`, value: `1`},
		{name: "a microtask that goes on", source: `Promise.resolve().then(() => { for (;;); }); 1`, want: supervisor.ErrTimeout, limits: supervisor.Limits{WallClockMs: 400}},
		{name: "a rejection", source: `Promise.reject(new Error('late')); 1`, want: supervisor.ErrRuntime, error: "late"},
		{name: "a rejection in a microtask of a microtask", source: `queueMicrotask(() => queueMicrotask(() => { throw new Error('late') })); 1`, want: supervisor.ErrRuntime, error: "late"},
		{name: "a call that nobody awaits", source: `const c = await import('realm:capabilities'); c.writeText('$OUT/w', 'whole'); 1`, value: `1`, then: func(t *testing.T, w *battlefield, _ *supervisor.Result, _ *supervisor.Error) {
			if got := read(t, w.out+"/w"); got != "whole" {
				t.Errorf("the file is %q", got)
			}
		}},
		{name: "a denial that nobody awaits", source: `const c = await import('realm:capabilities'); c.readText('$OUTSIDE/secret'); 1`, want: supervisor.ErrDenied, error: "filesystem.read"},
		{name: "calls that call again", source: `const c = await import('realm:capabilities'); const f = () => c.readText('$IN/a').then(f); f(); 1`, want: supervisor.ErrDenied, error: "resource.operations"},
		{name: "a result that changes later", source: `const o = { a: 1 }; setTimeout(() => { o.a = 2 }); queueMicrotask(() => { o.b = 1 }); o`, value: `{"a":1,"b":1}`},
		{name: "a getter that schedules", source: `({ get x() { setTimeout(() => { for (;;); }); queueMicrotask(() => { for (;;); }); Promise.reject(1); return 1 } })`, value: `{"x":1}`},
		{name: "the console from a timer that is dropped", source: `setTimeout(() => console.log('late'), 10_000); 1`, value: `1`, then: func(t *testing.T, _ *battlefield, res *supervisor.Result, _ *supervisor.Error) {
			if len(res.Logs) != 0 {
				t.Errorf("logs %v", res.Logs)
			}
		}},
		{name: "a finalizer", source: `new FinalizationRegistry(() => { for (;;); }).register({}, 1); new Array(1e6).fill({}); 1`, value: `1`},
		{name: "two default exports at once", source: `export default function f() { setTimeout(f); Promise.resolve().then(() => globalThis.again = (globalThis.again ?? 0) + 1); return globalThis.again ?? 0 }`, value: `0`},
		{name: "an answer to an abort", source: `const s = AbortSignal.timeout(1); s.addEventListener('abort', () => { throw new Error('late') }); await new Promise(f => setTimeout(f, 50)); 1`, want: supervisor.ErrRuntime, error: "late"},
		{name: "a throw and a pending write", source: `const c = await import('realm:capabilities'); c.writeText('$OUT/w', 'x'.repeat(1e6)); throw new Error('now')`, want: supervisor.ErrRuntime, error: "now", then: func(t *testing.T, w *battlefield, _ *supervisor.Result, _ *supervisor.Error) {
			if got, err := os.ReadFile(w.out + "/w"); err == nil && len(got) != 1e6 {
				t.Errorf("a part of a file: %d bytes", len(got))
			}
		}},
	}
}

func truncated(t *testing.T, _ *battlefield, res *supervisor.Result, _ *supervisor.Error) {
	t.Helper()
	size := 0
	for _, l := range res.Logs {
		size += len(l.Message)
	}
	if !res.LogsTruncated || size > 257<<10 {
		t.Errorf("%d bytes, truncated %v", size, res.LogsTruncated)
	}
}
