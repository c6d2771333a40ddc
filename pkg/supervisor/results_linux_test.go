package supervisor_test

import (
	"math/big"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

// Case R1
func TestValuesKeepTheirType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, want string }{
		{`undefined`, `{"$type":"undefined"}`},
		{`null`, `null`},
		{`true`, `true`},
		{`10n`, `{"$type":"bigint","value":"10"}`},
		{`-(2n ** 80n)`, `{"$type":"bigint","value":"-1208925819614629174706176"}`},
		{`[NaN, Infinity, -Infinity, -0, 0.1, 2 ** 53]`,
			`[{"$type":"number","value":"NaN"},{"$type":"number","value":"Infinity"},{"$type":"number","value":"-Infinity"},{"$type":"number","value":"-0"},0.1,9007199254740992]`},
		{`"a\u0000é😀"`, `"a\u0000é😀"`},
		{`new Date(0)`, `{"$type":"date","value":"1970-01-01T00:00:00.000Z"}`},
		{`/a\/b/gi`, `{"$type":"regexp","value":{"source":"a\\/b","flags":"gi"}}`},
		{`new Map([[1, "a"], ["k", new Set([2])]])`, `{"$type":"map","value":[[1,"a"],["k",{"$type":"set","value":[2]}]]}`},
		{`({b: 1, a: 2, 10: 3, "": 4})`, `{"10":3,"b":1,"a":2,"":4}`},
		{`JSON.parse('{"__proto__": {"admin": true}}')`, `{"__proto__":{"admin":true}}`},
		{`({$type: "date", value: 1})`, `{"$type":"object","value":{"$type":"date","value":1}}`},
		{`const a = {}; a.self = a; a`, `{"self":{"$type":"ref","value":""}}`},
		{`const s = [1]; ({x: s, y: s})`, `{"x":[1],"y":{"$type":"ref","value":"/x"}}`},
	} {
		yields(t, c.want, c.source)
	}
}

// Case R1
func TestValuesArriveAsGoValues(t *testing.T) {
	t.Parallel()
	res := succeed(t, `({
		big: 2n ** 64n, bytes: new Uint8Array([0, 255]), half: new Float32Array([1.5]), buffer: new ArrayBuffer(2),
		lone: "\ud800x", holes: [1, , 3], error: Object.assign(new TypeError("no", {cause: 1}), {code: "E"}), date: new Date(NaN),
	})`)
	o := res.Value.(*value.Object)
	if b := o.Get("big").(*big.Int); b.String() != "18446744073709551616" {
		t.Errorf("bigint %s", b)
	}
	if b := o.Get("bytes").([]byte); len(b) != 2 || b[1] != 255 {
		t.Errorf("Uint8Array %v", b)
	}
	if a := o.Get("half").(*value.TypedArray); a.Kind != "Float32Array" || len(a.Bytes) != 4 {
		t.Errorf("Float32Array %+v", a)
	}
	if b := o.Get("buffer").(*value.ArrayBuffer); len(b.Bytes) != 2 {
		t.Errorf("ArrayBuffer %v", b)
	}
	if s := o.Get("lone").(value.String16); len(s) != 2 || s[0] != 0xd800 {
		t.Errorf("lone surrogate %v", s)
	}
	if a := o.Get("holes").([]any); len(a) != 3 || a[1] != value.Hole {
		t.Errorf("holes %v", a)
	}
	if e := o.Get("error").(*value.Error); e.Name != "TypeError" || e.Message != "no" || e.Cause != 1.0 || e.Fields.Get("code") != "E" {
		t.Errorf("error %+v", e)
	}
	if o.Get("date") != value.InvalidDate {
		t.Errorf("date %v", o.Get("date"))
	}
	var decoded struct{ Bytes []byte }
	if err := res.Decode(&decoded); err != nil || len(decoded.Bytes) != 2 {
		t.Errorf("decoded %v, %v", decoded, err)
	}
}

func TestWhatCannotCrossNamesItsPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, path string }{
		{`({items: [1, 2, 3, {callback() {}}]})`, "result.items[3].callback"},
		{`Symbol("x")`, "result"},
		{`({w: new WeakMap()})`, "result.w"},
		{`new Map([["k", () => 1]])`, "result"},
		{`({p: new Proxy({}, {})})`, "result.p"},
	} {
		_, e := fails(t, supervisor.ErrValidation, c.source)
		contains(t, e.Message, c.path)
		if e.Phase != "serialize" {
			t.Errorf("%s: phase %s", c.source, e.Phase)
		}
	}
}

// Case R2
func TestPromisesAreAwaited(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, want string }{
		{`async function f() { return 7 } f()`, `7`},
		{`(async () => { await null; return {a: await Promise.resolve(1)} })()`, `{"a":1}`},
		{`export default async () => 8`, `8`},
		{`export default Promise.resolve(9)`, `9`},
		{`new Promise(done => setTimeout(done, 5, "late"))`, `"late"`},
		{`({then(done) { done(3) }})`, `3`},
	} {
		yields(t, c.want, c.source)
	}
}

// Case R3
func TestAnUnhandledRejectionFailsThisRunOnly(t *testing.T) {
	t.Parallel()
	res, e := fails(t, supervisor.ErrRuntime, "console.log('before');\nPromise.reject(new Error('x')); 1")
	if e.Name != "Error" || e.Line != 2 {
		t.Errorf("name %q, line %d", e.Name, e.Line)
	}
	contains(t, e.Message, "x")
	if len(res.Logs) != 1 {
		t.Errorf("logs %v", res.Logs)
	}
	yields(t, `2`, `Promise.reject(1).catch(() => {}); 2`)
	yields(t, `3`, `const p = Promise.reject(1); setTimeout(() => p.catch(() => {}), 1); new Promise(d => setTimeout(d, 10, 3))`)
}

// Case R4
func TestWhatIsThrownIsKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, message string
		thrown          func(any) bool
	}{
		{`throw 'x'`, "x", func(v any) bool { return v == "x" }},
		{`throw null`, "null", func(v any) bool { return v == nil }},
		{`throw {a: 1}`, "a", func(v any) bool { o, ok := v.(*value.Object); return ok && o.Get("a") == 1.0 }},
		{`throw Object.assign(new RangeError('far'), {code: 'E_FAR'})`, "far", func(v any) bool {
			e, ok := v.(*value.Error)
			return ok && e.Name == "RangeError" && e.Fields.Get("code") == "E_FAR"
		}},
		{`throw undefined`, "undefined", func(v any) bool { return v == supervisor.Undefined }},
		{`await null; throw 5n`, "5", func(v any) bool { b, ok := v.(*big.Int); return ok && b.Int64() == 5 }},
		{`throw () => {}`, "", func(v any) bool { return v == nil }},
	} {
		_, e := fails(t, supervisor.ErrRuntime, c.source)
		contains(t, e.Message, c.message)
		if !c.thrown(e.Thrown) {
			t.Errorf("%s: thrown %#v", c.source, e.Thrown)
		}
	}
}

// Case R5
// Covers: T-JS-01
func TestAHostileResultEndsAtTheDeadline(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`({get x() { for (;;); }})`,
		`({toJSON() { for (;;); }})`,
		`({get toJSON() { for (;;); }})`,
		`({get [Symbol.toStringTag]() { for (;;); }, get y() { for (;;); }})`,
		`new Proxy({}, {get() { for (;;); }})`, // is asked whether it is a promise
	} {
		fails(t, supervisor.ErrTimeout, source, limited(supervisor.Limits{WallClockMs: 300}))
	}
	fails(t, supervisor.ErrValidation, `new Proxy({}, {ownKeys() { for (;;); }})`) // is refused unasked
}

// Case R6
func TestTypeScriptRuns(t *testing.T) {
	t.Parallel()
	yields(t, `{"colour":1,"name":"b","total":6}`, `
		enum Colour { Red, Green }
		interface Item { name: string; n?: number }
		const item = { name: 'b' } satisfies Item as Item;
		function sum<T extends number>(...all: T[]): number { return all.reduce((a, b) => a + b, 0) }
		abstract class Base<T> { constructor(protected readonly value: T) {} abstract get(): T }
		class Leaf extends Base<number> { get(): number { return this.value! } }
		namespace N { export const two = 2 }
		({ colour: Colour.Green, name: item.name, total: sum<number>(1, N.two, new Leaf(3).get()) })`)
	yields(t, `["a"]`, `
		const seen: string[] = [];
		function log(_: unknown, c: ClassMethodDecoratorContext) { seen.push(String(c.name)) }
		class A { @log a() {} }
		export default seen;`)
}

// Case R7
func TestCommonGlobalsArePresentAndCorrect(t *testing.T) {
	t.Parallel()
	yields(t, `["aGk=","hi",[226,130,172],"€",true,"a=1&b=2","https://x.org/b?q=1",{"a":[1]},"function"]`, `
		await new Promise(f => setTimeout(f));
		[btoa('hi'), atob('aGk='), [...new TextEncoder().encode('€')], new TextDecoder().decode(new Uint8Array([226, 130, 172])),
		 performance.now() > 0, String(new URLSearchParams({a: 1, b: 2})), new URL('../b?q=1', 'https://x.org/a/').href,
		 structuredClone({a: [1]}), typeof queueMicrotask]`)
	yields(t, `["undefined"]`, `[...new Set([typeof fetch, typeof process, typeof require, typeof Buffer, typeof Deno, typeof Bun, typeof window, typeof document, typeof XMLHttpRequest, typeof WebSocket])]`)
	_, e := fails(t, supervisor.ErrRuntime, `fetch("https://example.com")`)
	contains(t, e.Hint, "realm:capabilities")
}

// Case R8
func TestAnErrorTellsPhaseAndEffects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	res, e := fails(t, supervisor.ErrRuntime, `
		import { writeText } from 'realm:capabilities';
		export default async () => {
			await writeText(`+quoted(dir+"/done")+`, 'x');
			await writeText(`+quoted(dir+"/../no")+`, 'x').catch(() => {});
			throw new Error('after');
		}`, writable(dir))
	if e.Phase != "run" || res.Stats.Operations != 2 || res.Stats.DeniedOperations != 1 || res.Stats.BytesWritten != 1 {
		t.Errorf("phase %s, stats %+v", e.Phase, res.Stats)
	}
	contains(t, res.Observation().ReflectionPrompt, "2 (1 refused)", "Error: after")
	if _, e := fails(t, supervisor.ErrValidation, "let x = ;"); e.Phase != "compile" {
		t.Errorf("phase %s", e.Phase)
	}
	_, e = fails(t, supervisor.ErrDenied, `import { secret } from 'realm:capabilities'; await secret('NONE')`)
	if e.Capability != grants.CapabilitySecret || e.Target != "NONE" || e.Hint == "" {
		t.Errorf("denial %+v", e)
	}
}
