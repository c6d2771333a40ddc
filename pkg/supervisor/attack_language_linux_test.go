package supervisor_test

import (
	"testing"

	"realm.internal/supervisor/pkg/supervisor"
)

// Attacks by changing the language under the feet of what is not the guest's.

// useAll calls every capability with good arguments. Its answers are what an
// unharmed language gives.
const useAll = `
	const c = await import('realm:capabilities');
	const use = async () => {
		const r = [await c.readText('$IN/a'), (await c.readBytes('$IN/a')).length, (await c.list('$IN')).length, (await c.stat('$IN/a')).size, await c.environment('MODE')];
		await c.writeText('$OUT/w', 'x'); await c.writeBytes('$OUT/w', new Uint8Array([121])); await c.appendText('$OUT/w', 'z'); await c.makeDirectory('$OUT/d'); await c.remove('$OUT/d');
		const e = await c.request('echo', {p: [1]}), f = await dataProxy.request('echo', 5), g = await echo('s');
		let no = [];
		for (const call of [() => c.readText('$OUTSIDE/secret'), () => c.secret('KEY'), () => c.fetchText('http://127.0.0.1:1/'), () => c.spawn('/bin/true', []), () => c.request('none', 1)])
			try { no = [...no, await call()] } catch (x) { no = [...no, x.name] }
		reportStatus('s', 'm'); console.log('m', {a: [1]});
		return [r, e, f, g, no];
	};`

const allUsed = `[["text",4,2,4,"v"],{"p":[1]},5,"s",["SandboxDeniedError","SandboxDeniedError","SandboxDeniedError","SandboxDeniedError","SandboxDeniedError"]]`

func init() {
	// The change is undone, where it can be, before the result is encoded: what
	// is tried here is the way of the calls.
	polluted := func(name, change string) attack {
		return attack{name: name, source: useAll + change + `; const done = await use(); undo(); done`, value: allUsed}
	}
	everyField := `const undo = () => { for (const k of fields) delete Object.prototype[k] }; const fields = ['path','offset','length','method','headers','body','stdin','append','text','size','data','code','message','name','kind',
		'capability','target','hint','ok','value','id','error','get','set','level','stage','status','url','type','modifiedMs','params','source','mode','args','input','cause','stack','__proto','0','1','-1'];`
	classes["prototypes"] = []attack{
		polluted("values on Object.prototype", everyField+`for (const k of fields) Object.prototype[k] = '/etc/passwd'`),
		polluted("numbers on Object.prototype", everyField+`for (const k of fields) Object.prototype[k] = 2 ** 53`),
		polluted("accessors that throw on Object.prototype", everyField+`for (const k of fields) if (k !== 'get' && k !== 'set') Object.defineProperty(Object.prototype, k, { __proto__: null, configurable: true, get() { throw new Error(k) }, set() { throw new Error(k) } })`),
		polluted("accessors that lie on Object.prototype", everyField+`for (const k of fields) if (k !== 'get' && k !== 'set') Object.defineProperty(Object.prototype, k, { __proto__: null, configurable: true, get() { return '$OUTSIDE/secret' }, set(v) { globalThis.stolen = this } })`),
		polluted("indices on Array.prototype", `const undo = () => { for (let i = 0; i < 9; i++) delete Array.prototype[i] }; for (let i = 0; i < 9; i++) Object.defineProperty(Array.prototype, i, { configurable: true, get() { return '/etc/passwd' }, set() { throw 1 } })`),
		polluted("toJSON everywhere", `const undo = () => { for (const P of [Object, Array, String, Number, Boolean]) delete P.prototype.toJSON }; for (const P of [Object, Array, String, Number, Boolean]) P.prototype.toJSON = function () { return this }`),
		polluted("Symbol.toPrimitive everywhere", `const undo = () => { for (const P of [Object, Array, String, Number]) delete P.prototype[Symbol.toPrimitive] }; for (const P of [Object, Array, String, Number]) P.prototype[Symbol.toPrimitive] = () => '/etc/passwd'`),
		polluted("a constructor that promises have not", `const C = Promise; const undo = () => { Promise.prototype.constructor = C }; Promise.prototype.constructor = class { constructor() { throw 1 } }`),
		polluted("species", `const undo = () => {}; for (const C of [Array, Map, Set, RegExp, ArrayBuffer, Object.getPrototypeOf(Uint8Array)]) Object.defineProperty(C, Symbol.species, { value: class { constructor() { throw 1 } } })`),
		polluted("Error", `const undo = () => {}; Object.defineProperty(Error.prototype, 'message', { get() { throw 1 }, set() { throw 2 } }); Error.prototype.toString = null; Error.captureStackTrace = () => { throw 3 }`),
		polluted("what strings are", `const undo = () => {}; for (const k of Object.getOwnPropertyNames(String.prototype)) if (k !== 'constructor') try { Object.defineProperty(String.prototype, k, { value() { return '/etc/passwd' } }) } catch {}`),
		polluted("what typed arrays are", `const undo = () => {}; const T = Object.getPrototypeOf(Uint8Array.prototype); for (const k of ['buffer', 'byteLength', 'byteOffset', 'set', 'subarray', 'slice']) Object.defineProperty(T, k, { value: 2 ** 40 }); Object.defineProperty(Uint8Array, Symbol.hasInstance, { value: () => false })`),
		polluted("what functions are", `const undo = () => {}; for (const k of ['call', 'apply', 'bind', 'toString']) Function.prototype[k] = () => { throw k };`),
		polluted("Reflect, JSON, Math and Symbol", `const undo = () => {}; for (const o of [Reflect, JSON, Math]) for (const k of Object.getOwnPropertyNames(o)) try { o[k] = () => { throw k } } catch {}; Symbol.prototype.toString = null`),
		polluted("Object's functions", `const undo = () => {}; for (const k of ['assign', 'create', 'defineProperty', 'entries', 'fromEntries', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'is', 'keys', 'setPrototypeOf', 'values']) Object[k] = () => { throw k }`),
		polluted("globals that are gone", `const undo = () => {}; for (const k of ['Promise', 'Object', 'Error', 'Map', 'Set', 'JSON', 'Reflect', 'Symbol', 'String', 'console', 'queueMicrotask', 'TextDecoder']) delete globalThis[k]; globalThis.console = { log() {} }`),
		polluted("globals that are others", `const undo = () => {}; for (const k of ['Promise', 'Error', 'TypeError', 'Map', 'Set', 'JSON', 'Symbol', 'String', 'TextDecoder', 'AbortSignal']) globalThis[k] = class { constructor() { throw k } }`),
		polluted("frozen intrinsics", `const undo = () => {}; for (const k of Object.getOwnPropertyNames(globalThis)) { const v = globalThis[k]; if (k !== 'globalThis' && v && (typeof v === 'object' || typeof v === 'function')) { Object.freeze(v); if (v.prototype) Object.freeze(v.prototype) } }`),
		polluted("setTimeout and microtasks", `const undo = () => {}; globalThis.setTimeout = globalThis.queueMicrotask = () => { throw 1 }`),
		{name: "a then for every object", source: useAll + `Object.prototype.then = function (f) { delete Object.prototype.then; f('$OUTSIDE/secret') }; const first = await c.stat('$IN/a'); delete Object.prototype.then; [first, await use()]`,
			then: func(t *testing.T, w *battlefield, res *supervisor.Result, _ *supervisor.Error) {
				if first := res.Value.([]any)[0]; first != w.outside+"/secret" { // the guest has deceived itself
					t.Errorf("%v", first)
				}
			}},
		{name: "a then for every object that never calls back", source: `Object.prototype.then = () => {}; ({a: 1})`, want: supervisor.ErrDeadlock},
		{name: "a species of promises that throws", source: `const { readText } = await import('realm:capabilities'); Object.defineProperty(Promise, Symbol.species, { value: class { constructor() { throw 1 } } }); try { await readText('/etc/passwd') } catch {} 1`,
			want: supervisor.ErrDenied, error: "filesystem.read"}, // its rejection has lost whoever would have caught it
		{name: "patched then of promises", source: useAll + `Promise.prototype.then = function () { throw new Error('patched') }; await use()`, want: supervisor.ErrRuntime, error: "patched"},
		{name: "then that takes the engine's functions", source: useAll + `const then = Promise.prototype.then, taken = []; Promise.prototype.then = function (...f) { taken.push(...f); return then.apply(this, f) }; const done = await use(); Promise.prototype.then = then;
			for (const f of taken) for (const v of [undefined, {}, 'x']) try { f?.(v) } catch {}; done`, value: allUsed},
		{name: "a prototype that is no prototype", source: `const r = []; for (const f of [() => Object.setPrototypeOf(Object.prototype, {}), () => { Object.prototype.__proto__ = {} }, () => Object.defineProperty(Object.prototype, '__proto__', { get() { return 1 }, configurable: true })]) try { f(); r.push('done') } catch (e) { r.push(e.name) } r`,
			value: `["TypeError","TypeError","done"]`},
		{name: "the global object's prototype", source: `Object.setPrototypeOf(globalThis, new Proxy({}, { get(_, k) { throw new Error(String(k)) }, has() { return true } })); 1`},
		{name: "pollution at the result", source: `Object.prototype.toJSON = function () { return {stolen: Object.keys(this)} }; ({a: 1})`, value: `{"stolen":["a"]}`},
		{name: "setters at the result", source: `Object.defineProperty(Object.prototype, 'a', { set() { throw 1 }, get() { throw 2 } }); Object.defineProperty(Array.prototype, 0, { set() { throw 3 } }); const o = {a: 1}, l = [1]; [o, l]`, value: `[{"a":1},[1]]`},
		{name: "iterators at the result", source: `const all = [[1], new Map([]), new Set()]; Array.prototype[Symbol.iterator] = Map.prototype[Symbol.iterator] = Set.prototype[Symbol.iterator] = Map.prototype.entries = Map.prototype.forEach = function* () { yield 'stolen' }; all`, value: `[[1],{"$type":"map","value":[]},{"$type":"set","value":[]}]`},
		{name: "pollution at an error", source: `Object.prototype.code = 'TIMEOUT'; Object.prototype.capability = 'filesystem.read'; Object.prototype.hint = 'x'; Object.prototype.phase = 'launch'; throw new Error('mine')`, want: supervisor.ErrRuntime, error: "mine"},
		{name: "pollution at a syntax error", source: `Object.defineProperty(SyntaxError.prototype, 'message', { get() { for (;;); } }); Object.prototype.line = -1; eval('}')`, want: supervisor.ErrRuntime, error: "SyntaxError"},
		{name: "pollution before a denial that nobody catches", source: `const { readText } = await import('realm:capabilities'); Object.prototype.capability = 'none'; Object.defineProperty(Object.prototype, 'target', { set() { throw 1 } }); await readText('/etc/passwd')`,
			want: supervisor.ErrDenied, error: "filesystem.read"},
	}

	// The engine's own functions see arguments that its JavaScript part has
	// checked with patched checks.
	checkless := `const undo = () => {}; ArrayBuffer.isView = Array.isArray = Number.isSafeInteger = Number.isInteger = () => true; Object.defineProperty(ArrayBuffer, Symbol.hasInstance, { value: () => true });`
	deceived := func(name, calls string) attack {
		return attack{name: name, source: `const c = await import('realm:capabilities'); ` + checkless + `
			const odd = [undefined, null, true, -1, 1.5, NaN, Infinity, 2 ** 53, 10n, 's', '\ud800', Symbol('s'), {}, [], [1], [[]], [[1, 2]], [['a']], () => {}, new Proxy({}, {}), new Date(NaN), /r/, new Map(), new WeakMap(),
				new Uint8Array(1), new ArrayBuffer(1), new SharedArrayBuffer(1), {length: -1}, {length: 2 ** 40}, {byteLength: 2 ** 40, buffer: 1}, Object.create(null), Proxy.revocable({}, {}).proxy];
			{ const { proxy, revoke } = Proxy.revocable([], {}); revoke(); odd[odd.length] = proxy }
			{ const b = new ArrayBuffer(8); odd[odd.length] = new Uint8Array(b); structuredClone(b, {transfer: [b]}) }
			let n = 0; for (const o of odd) for (const call of [` + calls + `]) { try { await call(o) } catch (e) { if (e instanceof Error === false) throw e } n++ } n > 30`, value: `true`}
	}
	classes["natives"] = []attack{
		deceived("read", `o => c.readText('$IN/a', {offset: o}), o => c.readBytes('$IN/a', {length: o}), o => c.readText(o), o => c.list(o), o => c.stat(o), o => c.readText('$IN/a', o)`),
		deceived("write", `o => c.writeBytes('$OUT/w', o), o => c.writeText('$OUT/w', o), o => c.appendText(o, 'x'), o => c.makeDirectory(o), o => c.remove(o)`),
		deceived("fetch", `o => c.fetchText('http://127.0.0.1:1/', {headers: o}), o => c.fetch(o), o => c.fetch('http://127.0.0.1:1/', {method: o}), o => c.fetch('http://127.0.0.1:1/', {body: o, method: 'POST'}), o => c.fetch('http://127.0.0.1:1/', {headers: [[o, o]]}), o => c.fetch('http://127.0.0.1:1/', {headers: [o]})`),
		deceived("spawn", `o => c.spawn('/bin/true', o), o => c.spawn('/bin/true', [o]), o => c.spawn(o), o => c.spawn('/bin/true', [], {stdin: o}), o => c.spawn('/bin/true', [], o)`),
		deceived("tools", `o => c.request('echo', o), o => c.request(o, 1), o => dataProxy.request(o), o => echo(o), o => reportStatus(o, o), o => c.environment(o), o => c.secret(o)`),
		deceived("platform", `o => structuredClone(o), o => new TextDecoder().decode(o), o => new TextEncoder().encode(o), o => new TextEncoder().encodeInto('x', o), o => atob(o), o => btoa(o), o => new URL(o), o => new URL('x', o), o => new URLSearchParams(o), o => crypto.getRandomValues(o),
			o => setTimeout(o, 1), o => setTimeout(() => {}, o), o => clearTimeout(o), o => queueMicrotask(o), o => new AbortController().abort(o), o => AbortSignal.timeout(o), o => new Event(o), o => new EventTarget().dispatchEvent(o), o => console.log(o), o => console.table?.(o)`),
		{name: "arrays that are not what map gave", source: `const c = await import('realm:capabilities'); const r = []; const map = Array.prototype.map, from = Array.from;
			for (const answer of [5, null, {}, 'ab', [[1, 2]], [['a']], [null], {length: 3}, new Proxy([], { get() { throw 1 } })]) {
				Array.prototype.map = () => answer; Array.from = () => answer;
				try { await c.fetchText('http://127.0.0.1:1/', {headers: {a: 'b'}}) } catch (e) { r.push(e?.name) }
				try { await c.spawn('/bin/true', ['x']) } catch (e) { r.push(e?.name) }
				Array.prototype.map = map; Array.from = from;
			} r.length`, value: `18`},
		{name: "constructors without new and with others' this", source: `const r = []; for (const C of [URL, URLSearchParams, TextEncoder, TextDecoder, AbortController, Event, EventTarget]) { try { C('x') } catch (e) { r.push(e.name) } try { Reflect.construct(C, ['http://a/'], Object) ; r.push('made') } catch (e) { r.push(e.name) } } r.length`},
		{name: "methods on receivers that are none", source: `const r = []; const odd = [undefined, null, 1, {}, Object.create(URL.prototype), new Proxy(new URL('http://a/'), {}), globalThis];
			for (const C of [URL, URLSearchParams, TextEncoder, TextDecoder, AbortController, AbortSignal, Event, EventTarget]) for (const k of Reflect.ownKeys(C.prototype)) { const d = Object.getOwnPropertyDescriptor(C.prototype, k); if (k !== 'constructor') for (const o of odd) for (const f of [d.value, d.get, d.set]) if (typeof f === 'function') try { f.call(o, 'x', 'y'); r.push(1) } catch { r.push(0) } } r.length > 100`, value: `true`},
	}

	classes["code"] = []attack{
		{name: "Function returns this realm's global", source: `[Function('return this')() === globalThis, (0, eval)('this') === globalThis, typeof Function('return process')]`, value: `[true,true,"function"]`},
		{name: "process by any name", source: `const r = []; for (const name of ['process', 'require', 'module', 'Deno', 'Bun', 'd8', 'os', 'load', 'read', 'print', 'quit', 'Realm', 'ShadowRealm', 'Worker', 'importScripts', 'gc', 'native', 'primordials', 'v8', 'chrome', 'Debug', '%DebugPrint'])
			try { r.push(Function('return typeof ' + name)()) } catch (e) { r.push(e.name) } [...new Set(r)]`, value: `["undefined","SyntaxError"]`},
		{name: "constructors of every kind of function", source: `const r = []; for (const f of [function () {}, async function () {}, function* () {}, async function* () {}]) { const F = f.constructor; r.push(typeof F('return this')) ; try { F('}); evil(); (function () {') } catch (e) { r.push(e.name) } try { F('a = super.x', '') } catch (e) { r.push(e.name) } } r`,
			value: `["function","SyntaxError","SyntaxError","function","SyntaxError","SyntaxError","function","SyntaxError","SyntaxError","function","SyntaxError","SyntaxError"]`},
		{name: "parameters that close their list", source: `try { Function('a){}); evil(); (function(', '') } catch (e) { e.name }`, value: `"SyntaxError"`},
		{name: "native syntax", source: `[eval, Function].map(f => { try { f('%SystemBreak()') } catch (e) { return e.name } })`, value: `["SyntaxError","SyntaxError"]`},
		{name: "import in evaluated code", source: `const all = [() => eval("import('node:fs')"), () => Function("return import('node:fs')")(), () => (0, eval)("import('/etc/passwd')"), () => new (async () => {}).constructor("return import('realm:internal')")(), () => setTimeout && import('data:text/javascript,export default 1')];
			(await Promise.allSettled(all.map(f => f()))).map(r => r.status)`, value: `["rejected","rejected","rejected","rejected","rejected"]`},
		{name: "capabilities in evaluated code are the same", source: `const a = await import('realm:capabilities'), b = await eval("import('realm:capabilities')"); a === b`, value: `true`},
		{name: "strings to timers", source: `const r = []; for (const f of [setTimeout, setInterval, queueMicrotask]) try { r.push(typeof f('globalThis.evil = 1')) } catch (e) { r.push(e.name) } await new Promise(f => setTimeout(f, 5)); [r.length, typeof evil]`, value: `[3,"undefined"]`},
		{name: "a namespace that cannot be changed", source: `const c = await import('realm:capabilities'); const r = []; for (const f of [() => { 'use strict'; c.readText = 1 }, () => { 'use strict'; delete c.readText }, () => Object.defineProperty(c, 'evil', {value: 1}), () => Object.setPrototypeOf(c, {})]) try { f(); r.push('done') } catch (e) { r.push(e.name) } r`,
			value: `["TypeError","TypeError","TypeError","TypeError"]`},
		{name: "caller and arguments of what is not the guest's", source: `const c = await import('realm:capabilities'); const r = []; for (const f of [c.readText, echo, console.log, setTimeout, structuredClone]) for (const k of ['caller', 'arguments', 'prototype']) try { r.push(String(f[k])) } catch (e) { r.push(e.name) } r.every(x => x === 'TypeError' || x === 'undefined' || x === 'null')`, value: `true`},
		{name: "what was left on functions", source: `const c = await import('realm:capabilities'); [await c.readText.constructor('return typeof native')(), /native|primordials/.test(Object.keys(c.readText).join()), Function.prototype.toString.call(c.readText).includes('/root')]`, value: `["undefined",false,false]`},
		{name: "a webassembly module that imports", source: `const bytes = new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,2,9,1,1,101,3,102,110,99,0,0]); const m = new WebAssembly.Module(bytes); const r = []; for (const i of [undefined, {}, {e: {}}, {e: {fnc: 1}}]) try { new WebAssembly.Instance(m, i); r.push('made') } catch (e) { r.push(e.name) } r`,
			value: `["TypeError","TypeError","LinkError","LinkError"]`},
		{name: "webassembly that traps, recurses and grows", source: `const mk = (...b) => new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10, b.length + 4, 1, b.length + 2, 0, ...b, 11])));
			const r = []; for (const b of [[0], [16, 0]]) try { mk(...b).exports.f(); r.push('done') } catch (e) { r.push(e.constructor.name) }
			const m = new WebAssembly.Memory({initial: 1}); try { m.grow(65535) ; r.push('grown') } catch (e) { r.push(e.name) } r.slice(0, 2)`, value: `["RuntimeError","RangeError"]`},
		{name: "webassembly that never ends", source: `new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11]))).exports.f()`, want: supervisor.ErrTimeout, limits: supervisor.Limits{WallClockMs: 400}},
		{name: "webassembly that is none", source: `const r = []; for (const b of [new Uint8Array(0), new Uint8Array([0, 97, 115, 109]), new Uint8Array(1e6), crypto.getRandomValues(new Uint8Array(1000)), new Uint8Array([0,97,115,109,1,0,0,0,1,255,255,255,255,15])]) try { new WebAssembly.Module(b); r.push('made') } catch (e) { r.push(e.name) } [...new Set(r)]`, value: `["CompileError"]`},
		{name: "with, and a scope that is a proxy", source: `const seen = []; const f = Function('s', 'with (s) { return typeof native + typeof readText }'); f(new Proxy({}, { has(_, k) { seen.push(String(k)); return false } }))`, value: `"undefinedundefined"`},
		{name: "globalThis as a proxy's target", source: `const p = new Proxy(globalThis, {}); Reflect.ownKeys(p).length > 50 && Object.getOwnPropertyDescriptor(p, 'native') === undefined`, value: `true`},
	}

	classes["stacks"] = []attack{
		{name: "prepareStackTrace sees no frame of ours", source: `Error.prepareStackTrace = (e, sites) => sites.map(s => [s.getFunctionName(), s.getFileName(), typeof s.getThis(), typeof s.getFunction()]); const c = await import('realm:capabilities');
			const r = []; for (const f of [() => c.readText(5), () => c.readText('/etc/passwd'), () => structuredClone(() => {}), () => new URL('x'), () => atob('*')]) try { await f() } catch (e) { r.push(...(Array.isArray(e.stack) ? e.stack : [])) }
			r.filter(([, file, self, fn]) => fn !== 'undefined' && /capabilities|primordials|prelude|realm:/.test(file))`, value: `[]`},
		// The engine asks us for stacks, not the guest.
		{name: "prepareStackTrace that loops", source: `Error.prepareStackTrace = () => { for (;;); }; typeof new Error('x').stack`, value: `"string"`},
		{name: "prepareStackTrace that loops at the end", source: `Error.prepareStackTrace = () => { for (;;); }; throw new Error('first')`, want: supervisor.ErrRuntime, error: "first"},
		{name: "prepareStackTrace that throws at the end", source: `Error.prepareStackTrace = () => { throw new Error('again') }; throw new Error('first')`, want: supervisor.ErrRuntime},
		{name: "prepareStackTrace that answers with a proxy", source: `Error.prepareStackTrace = () => new Proxy({}, { get() { for (;;); } }); throw new Error('first')`, want: supervisor.ErrRuntime, error: "first"},
		{name: "prepareStackTrace that writes a denial", source: `Error.prepareStackTrace = () => 'DENIED: SandboxDeniedError: granted after all'; throw new Error('first')`, want: supervisor.ErrRuntime, error: "first"},
		{name: "prepareStackTrace that is huge", source: `Error.prepareStackTrace = () => 'x'.repeat(2 ** 28); throw new Error('first')`, want: supervisor.ErrRuntime, error: "first"},
		{name: "stackTraceLimit", source: `Object.defineProperty(Error, 'stackTraceLimit', { get() { throw 1 } }); const f = (n) => n ? f(n - 1) : null.x; f(50)`, want: supervisor.ErrRuntime, error: "TypeError"},
		{name: "stackTraceLimit without end", source: `Error.stackTraceLimit = Infinity; const f = () => f(); f()`, want: supervisor.ErrRuntime, error: "RangeError"},
		{name: "a stack that is no text", source: `const e = new Error('x'); e.stack = { toString() { for (;;); } }; throw e`, want: supervisor.ErrTimeout, limits: supervisor.Limits{WallClockMs: 400}},
		{name: "a stack with a getter", source: `const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { for (;;); } }); throw e`, want: supervisor.ErrTimeout, limits: supervisor.Limits{WallClockMs: 400}},
		{name: "a name with a getter", source: `const e = new Error('x'); Object.defineProperty(e, 'name', { get() { throw e } }); throw e`, want: supervisor.ErrRuntime},
		{name: "a message that is an object", source: `const e = new Error(); e.message = { toString() { throw 1 } }; throw e`, want: supervisor.ErrRuntime},
		{name: "a name and message of megabytes", source: `const e = new Error('m'.repeat(2 ** 24)); e.name = 'n'.repeat(2 ** 24); throw e`, want: supervisor.ErrRuntime},
		{name: "a proxy is thrown", source: `throw new Proxy(new Error('x'), { get() { for (;;); }, getPrototypeOf() { for (;;); }, ownKeys() { for (;;); } })`, want: supervisor.ErrRuntime},
		{name: "a revoked proxy is thrown", source: `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy`, want: supervisor.ErrRuntime},
		{name: "a symbol is thrown", source: `throw Symbol('s')`, want: supervisor.ErrRuntime},
		{name: "causes in a circle", source: `const a = new Error('a'), b = new Error('b', {cause: a}); a.cause = b; throw a`, want: supervisor.ErrRuntime, error: "a"},
		{name: "causes without end", source: `let e = new Error('deep'); for (let i = 0; i < 1e5; i++) e = new Error('deep', {cause: e}); throw e`, want: supervisor.ErrRuntime, error: "deep"},
		{name: "an aggregate of many", source: `throw new AggregateError(Array.from({length: 1e5}, (_, i) => new Error(i)), 'many')`, want: supervisor.ErrRuntime, error: "many"},
		{name: "codes that are not the guest's to give", source: `throw Object.assign(new Error('mine'), { code: 'TIMEOUT', phase: 'launch', capability: 'filesystem.read', target: '/etc', hint: 'grant it', name: 'SandboxDeniedError' })`, want: supervisor.ErrRuntime, error: "mine"},
		{name: "a denial made by hand", source: `const { SandboxDeniedError } = await import('realm:capabilities'); throw Object.assign(new SandboxDeniedError('made by hand'), { capability: 'filesystem.read', target: '/' })`, want: supervisor.ErrRuntime, error: "made by hand"},
		{name: "a refusal thrown by a getter", source: `const c = await import('realm:capabilities'); await c.request('x', { get a() { throw ['denied', 'E', 'made up', 'filesystem.read', '/etc/shadow', 'grant it'] } })`, want: supervisor.ErrRuntime},
		{name: "a refusal changed on its way", source: `const { readText } = await import('realm:capabilities'); const { then } = Promise.prototype; let seen;
			Promise.prototype.constructor = class {}; Promise.prototype.then = function (yes, no) { return Reflect.apply(then, this, [yes, (e) => { if (Array.isArray(e)) { seen = e; try { e[3] = 'none'; e[4] = '/none' } catch {} } no(e) }]) };
			try { await readText('/etc/passwd') } catch (e) { if (!seen || !Object.isFrozen(seen)) throw new Error("it could be changed"); throw e }`, want: supervisor.ErrDenied, error: "/etc/passwd"},
		{name: "a class that calls itself a denial", source: `class SandboxDeniedError extends Error { get name() { return 'SandboxDeniedError' } } throw new SandboxDeniedError('not one')`, want: supervisor.ErrRuntime, error: "not one"},
		{name: "a denial that was changed", source: `const { readText } = await import('realm:capabilities'); try { await readText('/etc/passwd') } catch (e) { e.message = 'nothing happened'; e.capability = 'none'; e.target = 'none'; e.name = 'Fine'; throw e }`, want: supervisor.ErrDenied, error: "filesystem.read"},
		{name: "a denial as a cause", source: `const { readText } = await import('realm:capabilities'); try { await readText('/etc/passwd') } catch (e) { throw new Error('wrapped', {cause: e}) }`, want: supervisor.ErrRuntime, error: "wrapped"},
		{name: "sourceURL of another", source: `eval("throw new Error('there')\n//# sourceURL=realm:capabilities")`, want: supervisor.ErrRuntime, error: "there"},
		{name: "toString of a source that is not the guest's", source: `const c = await import('realm:capabilities'); Object.values(c).every(f => typeof f === 'function' && String(f).length < 10_000 && !String(f).includes('/work'))`, value: `true`},
	}
}
