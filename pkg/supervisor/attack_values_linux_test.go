package supervisor_test

import "realm.internal/supervisor/pkg/supervisor"

// Attacks by values: in the place of every argument and of the result.

// hostileValues are objects that act while they are looked at. Each maker gets
// the value that would have been good.
const hostileValues = `
	const c = await import('realm:capabilities');
	let acted = 0;
	const makers = {
		'toString that answers otherwise each time': v => { let n = 0; return { toString() { return n++ ? '$OUTSIDE/secret' : String(v) } } },
		'toPrimitive': v => ({ [Symbol.toPrimitive]() { return '$OUTSIDE/secret' } }),
		'valueOf': v => ({ valueOf() { acted++; return '$OUTSIDE/secret' } }),
		'a String object': v => Object.assign(new String('$OUTSIDE/secret'), { toString: () => v }),
		'an array of one': v => [v],
		'a proxy of a String': v => new Proxy(new String(String(v)), { get(t, k) { acted++; return k === Symbol.toPrimitive ? () => '$OUTSIDE/secret' : Reflect.get(t, k) } }),
		'a proxy that throws': v => new Proxy({}, new Proxy({}, { get() { throw new RangeError('trap') } })),
		'a revoked proxy': v => { const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy },
		'a thenable': v => ({ then(f) { f('$OUTSIDE/secret') } }),
		'a thenable that never calls back': v => ({ then() {} }),
		'a promise': v => Promise.resolve('$OUTSIDE/secret'),
		'a getter that throws': v => ({ get offset() { throw new RangeError('getter') }, get length() { throw new RangeError('getter') }, get headers() { throw new RangeError('getter') } }),
		'getters that change': v => { let n = 0; return { get offset() { return n++ ? -5 : 0 }, get length() { return n++ ? 2 ** 53 : 1 }, get method() { return n++ ? 'DELETE' : 'GET' }, get body() { return n++ ? {} : 'x' } } },
		'a getter that calls back in': v => ({ get offset() { acted++; c.readText('$OUTSIDE/secret').catch(() => {}); return 0 }, get headers() { c.fetchText('http://127.0.0.1:1').catch(() => {}); return [] } }),
		'a function': v => () => v,
		'a symbol': v => Symbol(v),
		'a bigint': v => 10n,
		'nothing': v => undefined,
		'null': v => null,
		'not a number': v => NaN,
		'a NUL': v => '$IN/a\0.txt',
		'a lone surrogate': v => '$IN/\ud800',
		'a long text': v => '$IN/' + 'x/'.repeat(1e5),
		'a rope': v => { let s = '$IN/'; for (let i = 0; i < 15; i++) s += s; return s },
		'a circle': v => { const o = {}; o.o = o; return o },
		'a depth': v => { let o = 1; for (let i = 0; i < 1e5; i++) o = [o]; return o },
		'toJSON': v => ({ toJSON() { return '$OUTSIDE/secret' } }),
		'toJSON that throws': v => ({ toJSON() { throw new RangeError('toJSON') } }),
		'a class': v => class { static toString() { return '$OUTSIDE/secret' } },
		'a date': v => new Date(NaN),
		'a map': v => new Map([[v, v]]),
		'a regexp': v => /x/g,
		'an iterator that throws': v => ({ *[Symbol.iterator]() { yield ['a', 'b']; throw new RangeError('iterator') } }),
		'an iterator of junk': v => ({ [Symbol.iterator]: () => ({ next: () => ({ done: ++acted % 9 === 0, value: acted % 2 ? [1] : null }) }) }),
		'an array that changes': v => { const a = ['x', { toString() { a.length = 0; return 'y' } }, 'z']; return a },
		'a sparse array': v => { const a = []; a[1e6] = 'x'; return a },
		'a length': v => ({ length: 2 ** 31 }),
		'a detached buffer': v => { const b = new ArrayBuffer(8), u = new Uint8Array(b); structuredClone(b, { transfer: [b] }); return u },
		'a shared buffer': v => new Uint8Array(new SharedArrayBuffer(8)),
		'a resizable buffer': v => new Uint8Array(new ArrayBuffer(8, { maxByteLength: 2 ** 20 })),
		'a view with a lying length': v => Object.defineProperties(new Uint8Array(4), { length: { value: 2 ** 30 }, byteLength: { value: 2 ** 30 } }),
		'a subclass of bytes': v => new (class extends Uint8Array { get length() { return 2 ** 30 } get buffer() { return new ArrayBuffer(2 ** 20) } })(4),
	};`

// argued puts every hostile value into one place of a call. A call may be
// answered or refused; what reached the supervisor is checked there.
func argued(name, call string) attack {
	return attack{name: name, source: hostileValues + `
		const strange = [];
		for (const [name, make] of Object.entries(makers)) {
			const v = make('$IN/a');
			const call = async () => { return ` + call + ` };
			const answer = await Promise.race([call().then(() => 'answered', e => { try { return e instanceof Error ? 'refused' : String(e) } catch { return 'refused' } }), new Promise(f => setTimeout(f, 5000, 'nothing'))]);
			if (answer !== 'answered' && answer !== 'refused') strange.push([name, answer]);
		}
		strange`, value: `[]`}
}

func result(name, source, value string) attack {
	return attack{name: name, source: source, value: value}
}

func loops(name, source string) attack {
	return attack{name: name, source: source, want: supervisor.ErrTimeout, limits: supervisor.Limits{WallClockMs: 400}}
}

func init() {
	classes["arguments"] = []attack{
		argued("readText path", `c.readText(v)`), argued("readText options", `c.readText('$IN/a', v)`), argued("readText offset", `c.readText('$IN/a', {offset: v})`), argued("readText length", `c.readText('$IN/a', {length: v})`),
		argued("readBytes path", `c.readBytes(v)`), argued("readBytes options", `c.readBytes('$IN/a', v)`), argued("list", `c.list(v)`), argued("stat", `c.stat(v)`),
		argued("writeText path", `c.writeText(v, 'x')`), argued("writeText content", `c.writeText('$OUT/w', v)`), argued("writeBytes path", `c.writeBytes(v, new Uint8Array(1))`), argued("writeBytes content", `c.writeBytes('$OUT/w', v)`),
		argued("appendText path", `c.appendText(v, 'x')`), argued("appendText content", `c.appendText('$OUT/w', v)`), argued("makeDirectory", `c.makeDirectory(v)`), argued("remove", `c.remove(v)`),
		argued("fetchText url", `c.fetchText(v)`), argued("fetchText options", `c.fetchText('http://127.0.0.1:1', v)`), argued("fetch url", `c.fetch(v)`), argued("fetch method", `c.fetch('http://127.0.0.1:1', {method: v})`),
		argued("fetch headers", `c.fetch('http://127.0.0.1:1', {headers: v})`), argued("fetch header value", `c.fetch('http://127.0.0.1:1', {headers: {a: v}})`), argued("fetch header pair", `c.fetch('http://127.0.0.1:1', {headers: [v, [v, v]]})`), argued("fetch body", `c.fetch('http://127.0.0.1:1', {method: 'POST', body: v})`),
		argued("spawn path", `c.spawn(v, [])`), argued("spawn arguments", `c.spawn('/bin/true', v)`), argued("spawn an argument", `c.spawn('/bin/true', ['a', v])`), argued("spawn options", `c.spawn('/bin/true', [], v)`), argued("spawn stdin", `c.spawn('/bin/true', [], {stdin: v})`),
		argued("environment", `c.environment(v)`), argued("secret", `c.secret(v)`), argued("request method", `c.request(v, 1)`), argued("request params", `c.request('echo', v)`), argued("a tool's params", `echo(v)`), argued("dataProxy", `dataProxy.request('echo', {a: [v]})`),
		argued("reportStatus", `reportStatus(v, v)`), argued("console", `console.log(v, '%s %d %o %O %c', v, v, v, v, v)`), argued("console format", `console.error(v + '', v)`),
		argued("structuredClone", `structuredClone({v})`), argued("URL", `new URL(v, v)`), argued("timers", `clearTimeout(setTimeout(() => {}, v))`), argued("abort reasons", `[AbortSignal.abort(v)].map(s => { try { s.throwIfAborted() } catch {} })`), argued("text codecs", `new TextDecoder(v).decode(v)`), argued("random bytes", `crypto.getRandomValues(v)`),
		argued("import", `import(v)`), argued("import options", `import('realm:capabilities', v)`),
		result("host tools by inherited names", `const r = []; for (const k of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'echo\0', 'Echo', ' echo', 'echo '])  try { await dataProxy.request(k, 1); r.push(k) } catch (e) { if (e.name !== 'SandboxDeniedError') r.push(e.name) } r`, `[]`),
		result("a tool's answer that looks like more", `const a = await echo(JSON.parse('{"__proto__": {"polluted": 1}, "then": 1, "constructor": {"prototype": {"polluted": 1}}, "toJSON": 1}')); [Object.keys(a), {}.polluted === undefined, Object.getPrototypeOf(a) === Object.prototype]`,
			`[["__proto__","then","constructor","toJSON"],true,true]`),
		result("content that changes after the call", `const c = await import('realm:capabilities'); const u = new Uint8Array([97, 98]); const p = c.writeBytes('$OUT/w', u); u.fill(120); structuredClone(u.buffer, { transfer: [u.buffer] }); await p; 1`, `1`),
		result("answers and questions that fill both pipes", `const c = await import('realm:capabilities'); const big = 'x'.repeat(1 << 20); await c.writeText('$OUT/big', big); const all = []; for (let i = 0; i < 40; i++) all.push(echo(big.slice(0, 1 << 18))); for (let i = 0; i < 40; i++) all.push(c.writeText('$OUT/w' + i % 4, big));
			(await Promise.all(all)).length`, `80`),
		result("three thousand calls at once", `const c = await import('realm:capabilities'); const all = []; for (let i = 0; i < 2900; i++) all.push(c.readText('/etc/passwd')); const r = await Promise.allSettled(all); [...new Set(r.map(x => x.status + x.reason?.name))]`, `["rejectedSandboxDeniedError"]`),
		{name: "more calls than any budget", source: `const c = await import('realm:capabilities'); const all = []; for (let i = 0; i < 10_000; i++) all.push(c.readText('/etc/passwd')); await Promise.allSettled(all); 1`, want: supervisor.ErrDenied, error: "resource.operations"},
	}

	classes["results"] = []attack{
		loops("a getter that loops", `({ get x() { for (;;); } })`), loops("toJSON that loops", `({ toJSON() { for (;;); } })`), loops("a then that loops", `({ then() { for (;;); } })`),
		loops("a thenable of itself", `const p = { then(f) { f(p) } }; p`), loops("thenables without end", `const next = () => ({ then(f) { f(next()) } }); next()`),
		loops("a getter that waits busily", `({ get x() { const t = Date.now(); while (Date.now() - t < 1e9); } })`),
		{name: "a getter that gives a getter", source: `const deep = () => ({ get x() { return deep() } }); deep()`, want: supervisor.ErrValidation, error: "nested deeper"},
		{name: "a getter that throws", source: `({ get x() { throw new Error('from the getter') } })`, want: supervisor.ErrRuntime, error: "from the getter"},
		{name: "a then that throws", source: `({ then() { throw new Error('from then') } })`, want: supervisor.ErrRuntime, error: "from then"},
		{name: "a then that calls back twice", source: `({ then(f, r) { f(1); f(2); r(new Error('no')); throw new Error('no') } })`, value: `1`},
		{name: "a then that never calls back", source: `({ then() {} })`, want: supervisor.ErrDeadlock},
		{name: "a rejecting thenable", source: `({ then(f, r) { r(new Error('rejected')) } })`, want: supervisor.ErrRuntime, error: "rejected"},
		{name: "a proxy", source: `new Proxy({}, { get() { return 1 }, ownKeys() { return ['a'] } })`, want: supervisor.ErrValidation, error: "result"},
		{name: "a proxy of an array", source: `[1, new Proxy([], {})]`, want: supervisor.ErrValidation, error: "result[1]"},
		{name: "a revoked proxy", source: `const p = Proxy.revocable({}, {}); p.revoke(); ({ a: { b: p.proxy } })`, want: supervisor.ErrValidation, error: "result.a.b"},
		{name: "a proxy as prototype", source: `Object.setPrototypeOf({ a: 1 }, new Proxy({}, { get(_, k) { return k === 'toJSON' ? undefined : 'lie' }, ownKeys() { throw 1 }, getPrototypeOf() { throw 2 } }))`},
		{name: "a function deep inside", source: `({ items: [new Map([['k', { f() {} }]])] })`, want: supervisor.ErrValidation, error: "result.items[0]"},
		{name: "a path with terminal codes", source: `({ ['\x1b[2J' + 'k'.repeat(1e6)]: () => {} })`, want: supervisor.ErrValidation, error: "result"},
		{name: "a symbol", source: `[Symbol.iterator]`, want: supervisor.ErrValidation, error: "result[0]"},
		{name: "the global object", source: `globalThis`, value: `{}`},
		{name: "the capabilities", source: `import('realm:capabilities')`, want: supervisor.ErrValidation, error: "result"},
		{name: "weak collections and private state", source: `[new WeakRef({})]`, want: supervisor.ErrValidation, error: "result[0]"},
		{name: "an iterator", source: `({ i: [][Symbol.iterator]() })`, want: supervisor.ErrValidation, error: "result.i"},
		{name: "a promise inside", source: `[Promise.resolve(1)]`, want: supervisor.ErrValidation, error: "await"},
		{name: "webassembly's memory", source: `new WebAssembly.Memory({ initial: 1 })`, want: supervisor.ErrValidation, error: "result"},
		{name: "a depth of a million", source: `let o = 1; for (let i = 0; i < 1e6; i++) o = [o]; o`, want: supervisor.ErrValidation},
		{name: "a depth of objects", source: `let o = {}; for (let i = 0; i < 1e6; i++) o = { o }; o`, want: supervisor.ErrValidation},
		{name: "a width above the limit", source: `new Array(1e7).fill('0123456789')`, want: supervisor.ErrValidation, error: "larger than"},
		{name: "a text above the limit", source: `'x'.repeat(2 ** 28)`, want: supervisor.ErrValidation, error: "larger than"},
		{name: "bytes above the limit", source: `new Uint8Array(2 ** 26)`, want: supervisor.ErrValidation, error: "larger than"},
		{name: "a tree that is a thousand times itself", source: `let a = [1]; for (let i = 0; i < 1000; i++) a = [a, a]; a`, value: ""},
		{name: "an array that shrinks while it is read", source: `const a = [1, { get x() { a.length = 1; return 1 } }, { y: 2 }, 3]; a`},
		{name: "an array that grows while it is read", source: `const a = [{ get x() { for (let i = 0; i < 1e5; i++) a.push({}); return 1 } }]; a`},
		{name: "an array that becomes a dictionary", source: `const a = [1, { get x() { a[2 ** 31] = 1; delete a[2]; return 1 } }, {}, {}]; a`},
		{name: "an array whose elements become doubles", source: `const a = [{ get x() { a[1] = 1.5; a.fill(1.5, 1); return 1 } }, {}, {}]; a`},
		{name: "an object that loses keys while it is read", source: `const o = { get a() { delete o.b; delete o.c; o.z = 1; return 1 }, b: {}, c: {} }; o`},
		{name: "an object whose keys change kind", source: `const o = { get a() { for (let i = 0; i < 2000; i++) o['k' + i] = i; return 1 }, b: 2 }; o`},
		{name: "an object that freezes and changes prototype", source: `const o = { get a() { Object.setPrototypeOf(o, Array.prototype); Object.freeze(o); return 1 }, b: 2 }; o`},
		{name: "a Map that changes while it is read", source: `const m = new Map([[1, { get x() { m.clear(); for (let i = 0; i < 1e4; i++) m.set(i, i); return 1 } }], [2, {}]]); m`},
		{name: "a Set that changes while it is read", source: `const s = new Set([{ get x() { s.clear(); for (let i = 0; i < 1e4; i++) s.add({ i }); return 1 } }, {}]); s`},
		{name: "a buffer detached while it is read", source: `const b = new ArrayBuffer(1 << 16), u = new Uint8Array(b); ({ get a() { b.byteLength && structuredClone(b, { transfer: [b] }); return 1 }, u, b, v: new DataView(new ArrayBuffer(8)) })`, want: supervisor.ErrValidation, error: "result.u"},
		{name: "a buffer shrunk while it is read", needs: "resizable buffers", source: `const b = new ArrayBuffer(1 << 16, { maxByteLength: 1 << 20 }), u = new Uint8Array(b), v = new Float64Array(b, 8, 100); ({ a: u, get x() { b.resize(4); return 1 }, u, v, b })`},
		{name: "a buffer grown while it is read", needs: "resizable buffers", source: `const b = new ArrayBuffer(8, { maxByteLength: 1 << 22 }), u = new Uint8Array(b); ({ u, get x() { b.resize(1 << 22); return 1 }, w: new Uint8Array(b), b })`, want: supervisor.ErrValidation, error: "larger than"},
		{name: "a view out of its buffer", needs: "resizable buffers", source: `const b = new ArrayBuffer(64, { maxByteLength: 64 }), v = new Float64Array(b, 32, 4), d = new DataView(b, 32, 8); b.resize(8); [v, d]`},
		{name: "webassembly's memory that moved", source: `const m = new WebAssembly.Memory({ initial: 1 }); const u = new Uint8Array(m.buffer, 0, 16); ({ get x() { m.grow(10); return 1 }, u })`, want: supervisor.ErrValidation, error: "result.u"},
		{name: "a shared buffer that grows", needs: "resizable buffers", source: `const b = new SharedArrayBuffer(8, { maxByteLength: 1 << 20 }); const u = new Uint8Array(b); ({ u, get x() { b.grow(1 << 20); return 1 }, b })`},
		{name: "subclasses with lies", source: `class A extends Array { get length() { return 2 ** 32 } } class M extends Map { get size() { return -1 } *[Symbol.iterator]() { for (;;) yield [1, 1] } entries() { throw 1 } } class U extends Uint8Array { get length() { return 2 ** 40 } } class D extends Date { getTime() { throw 1 } valueOf() { for (;;); } } class R extends RegExp { get source() { return '(' } get flags() { throw 1 } } [new M([[1, 2]]), new U(2), new D(0), new R('a')]`},
		{name: "toStringTag", source: `[{ [Symbol.toStringTag]: 'Map' }, { get [Symbol.toStringTag]() { throw 1 } }, Object.defineProperty(new Map(), Symbol.toStringTag, { get() { for (;;); } })]`},
		{name: "an error with getters", source: `const e = new Error('x'); for (const k of ['cause', 'stack', 'message', 'name', 'errors', 'extra']) Object.defineProperty(e, k, { enumerable: true, get() { throw new RangeError(k) } }); e`, want: supervisor.ErrRuntime, error: "RangeError"},
		{name: "an error that is its own cause", source: `const e = new Error('x'); e.cause = e; e.errors = [e]; e`},
		{name: "dates, numbers and texts at their ends", source: `[new Date(8.64e15), new Date(-8.64e15), new Date(NaN), -0, NaN, 2 ** 1023, 5e-324, '\ud800', '\0', (2n ** 4000n), -(2n ** 64n)]`},
		{name: "a bigint of megabytes", source: `2n ** (2n ** 26n)`, want: supervisor.ErrValidation},
		{name: "an arguments object, a boxed value and a class", source: `(function () { return [arguments, Object(1n), Object('x'), new (class A { #p = 1; get q() { return 2 } })] })(1, 2)`},
		{name: "a getter that calls a capability", source: `const c = await import('realm:capabilities'); ({ get x() { c.readText('$OUTSIDE/secret').catch(() => {}); c.writeText('$OUT/late', 'x'); return 1 } })`},
		{name: "a getter that calls eval", source: `({ get x() { return eval('1 + 1') } })`, value: `{"x":2}`},
		{name: "a getter that prints", source: `({ get x() { console.log('while it is read'); return 1 } })`, value: `{"x":1}`},
		{name: "a getter that fills the heap", source: `({ get x() { const a = []; for (;;) a.push(new Array(1e5).fill(1)) } })`, want: supervisor.ErrOOM, limits: supervisor.Limits{MemoryMb: 64}},
		{name: "a getter that recurses", source: `const o = { get x() { return o.x } }; o`, want: supervisor.ErrRuntime, error: "RangeError"},
		{name: "an own __proto__", source: `JSON.parse('{"__proto__": {"a": 1}, "constructor": 1, "toJSON": 2}')`, value: `{"__proto__":{"a":1},"constructor":1,"toJSON":2}`},
		{name: "keys that are markers", source: `({ $type: 'ref', value: '/', a: { $type: 'bigint', value: '1' } })`, value: `{"$type":"object","value":{"$type":"ref","value":"/","a":{"$type":"object","value":{"$type":"bigint","value":"1"}}}}`},
	}

	classes["shared memory"] = []attack{
		{name: "Atomics.wait", source: `try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) } catch (e) { e.name }`, value: `"TypeError"`},
		{name: "Atomics.wait with a time", source: `try { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e9) } catch (e) { e.name }`, value: `"TypeError"`},
		{name: "Atomics.waitAsync for ever", source: `await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value`, want: supervisor.ErrDeadlock},
		{name: "ten thousand waiters", source: `const a = new Int32Array(new SharedArrayBuffer(4)); const all = []; for (let i = 0; i < 1e4; i++) all.push(Atomics.waitAsync(a, 0, 0).value); [Atomics.notify(a, 0), (await Promise.all(all)).length]`, value: `[10000,10000]`},
		{name: "waitAsync left behind", source: `Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e6).value.then(() => { for (;;); }); 1`, value: `1`},
		{name: "a clock of shared memory", source: `typeof Worker + typeof SharedWorker + typeof MessageChannel`, value: `"undefinedundefinedundefined"`},
		{name: "shared memory as content", source: `const c = await import('realm:capabilities'); const u = new Uint8Array(new SharedArrayBuffer(4)); try { await c.writeBytes('$OUT/w', u); 'written' } catch (e) { e.name }`},
		{name: "shared memory by clone", source: `const s = new SharedArrayBuffer(4); try { structuredClone(s) instanceof SharedArrayBuffer } catch (e) { e.name }`},
		{name: "webassembly's shared memory", source: `const m = new WebAssembly.Memory({ initial: 1, maximum: 65536, shared: true }); m.grow(100); m.buffer.byteLength`, value: `6619136`},
		{name: "many large shared buffers", source: `const a = []; for (;;) a.push(new Uint8Array(new SharedArrayBuffer(1 << 26)).fill(1))`, want: supervisor.ErrOOM, limits: supervisor.Limits{MemoryMb: 64}},
	}
}
