package v8

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"realm.internal/supervisor/pkg/value"
	"realm.internal/supervisor/pkg/value/valuetest"
)

func TestValuesReachGo(t *testing.T) {
	g := newGuest(t)
	o := value.NewObject
	m := func(k string, v any) value.Member { return value.Member{Key: k, Value: v} }
	for _, c := range []struct {
		js   string
		want any
		json string
	}{
		{`undefined`, value.Undefined, `{"$type":"undefined"}`},
		{`null`, nil, `null`},
		{`[true, 0, -1, 127, 128, -33, 2**31, -(2**31)-1, 2**53-1, 1.5]`, []any{true, 0.0, -1.0, 127.0, 128.0, -33.0, 2147483648.0, -2147483649.0, 9007199254740991.0, 1.5},
			`[true,0,-1,127,128,-33,2147483648,-2147483649,9007199254740991,1.5]`},
		{`[NaN, Infinity, -Infinity, -0, 2**53]`, []any{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), float64(1 << 53)},
			`[{"$type":"number","value":"NaN"},{"$type":"number","value":"Infinity"},{"$type":"number","value":"-Infinity"},{"$type":"number","value":"-0"},9007199254740992]`},
		{`[10n, -(2n**64n), 0n]`, []any{big.NewInt(10), new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 64)), big.NewInt(0)},
			`[{"$type":"bigint","value":"10"},{"$type":"bigint","value":"-18446744073709551616"},{"$type":"bigint","value":"0"}]`},
		{`'hé€😀\u0000'`, "hé€😀\x00", `"hé€😀\u0000"`},
		{`'a\ud800'`, value.String16{'a', 0xd800}, `"a\ud800"`},
		{`({'\udc00': 1})`, o(m("\xed\xb0\x80", 1.0)), `{"\udc00":1}`},
		{`({b: 1, a: 2, 1: 0, 0: 5, '-1': 6, 4294967295: 7})`, o(m("0", 5.0), m("1", 0.0), m("b", 1.0), m("a", 2.0), m("-1", 6.0), m("4294967295", 7.0)), `{"0":5,"1":0,"b":1,"a":2,"-1":6,"4294967295":7}`},
		{`({['__proto__']: 1, constructor: 2, toString: 3})`, o(m("__proto__", 1.0), m("constructor", 2.0), m("toString", 3.0)), `{"__proto__":1,"constructor":2,"toString":3}`},
		{`Object.create({inherited: 1}, {hidden: {value: 1}, seen: {value: 2, enumerable: true}})`, o(m("seen", 2.0)), `{"seen":2}`},
		{`({[Symbol()]: 1, a: undefined})`, o(m("a", value.Undefined)), `{"a":{"$type":"undefined"}}`},
		{`[1,,undefined]`, []any{1.0, value.Hole, value.Undefined}, `[1,{"$type":"undefined"},{"$type":"undefined"}]`},
		{`const a = []; a[5e8] = 'x'; a.named = 1; return a`, &value.SparseArray{Length: 5e8 + 1, Elements: []value.Element{{Index: 5e8, Value: "x"}}}, `{"$type":"array","length":500000001,"value":[[500000000,"x"]]}`},
		{`new Array(4294967295)`, &value.SparseArray{Length: 4294967295, Elements: []value.Element{}}, `{"$type":"array","length":4294967295,"value":[]}`},
		{`const a = new Array(3); a[0] = 'x'; a[1] = {}; a[2] = 2; return a`, []any{"x", o(), 2.0}, `["x",{},2]`},
		{`[new Date(0), new Date(NaN), new Date(-8.64e15)]`, []any{time.UnixMilli(0).UTC(), value.InvalidDate, time.UnixMilli(-8.64e15).UTC()},
			`[{"$type":"date","value":"1970-01-01T00:00:00.000Z"},{"$type":"date","value":null},{"$type":"date","value":"-271821-04-20T00:00:00.000Z"}]`},
		{`/a\/b[\n]/giu`, &value.RegExp{Source: `a\/b[\n]`, Flags: "giu"}, `{"$type":"regexp","value":{"source":"a\\/b[\\n]","flags":"giu"}}`},
		{`new RegExp('\ud800\\\udc00')`, &value.RegExp{Source: `\ud800\udc00`}, `{"$type":"regexp","value":{"source":"\\ud800\\udc00","flags":""}}`},
		{`new Map([['a', {x: 1}], [{}, 2]])`, &value.Map{Entries: []value.Entry{{Key: "a", Value: o(m("x", 1.0))}, {Key: o(), Value: 2.0}}}, `{"$type":"map","value":[["a",{"x":1}],[{},2]]}`},
		{`new Set([1, 'x', NaN])`, &value.Set{Values: []any{1.0, "x", math.NaN()}}, `{"$type":"set","value":[1,"x",{"$type":"number","value":"NaN"}]}`},
		{`new Uint8Array([1, 2])`, []byte{1, 2}, `{"$type":"bytes","value":"AQI="}`},
		{`({v: new Uint8Array([1, 2, 3, 4]).subarray(1, 3), w: new Uint8Array(1000).subarray(998)})`, o(m("v", []byte{2, 3}), m("w", []byte{0, 0})), `{"v":{"$type":"bytes","value":"AgM="},"w":{"$type":"bytes","value":"AAA="}}`},
		{`[new Int16Array([-2]), new DataView(new ArrayBuffer(8), 2, 3), new ArrayBuffer(2)]`,
			[]any{&value.TypedArray{Kind: "Int16Array", Bytes: []byte{0xfe, 0xff}}, &value.TypedArray{Kind: "DataView", Bytes: []byte{0, 0, 0}}, &value.ArrayBuffer{Bytes: []byte{0, 0}}},
			`[{"$type":"bytes","kind":"Int16Array","value":"/v8="},{"$type":"bytes","kind":"DataView","value":"AAAA"},{"$type":"bytes","kind":"ArrayBuffer","value":"AAA="}]`},
		{`[new Uint8Array(new SharedArrayBuffer(2)), new SharedArrayBuffer(1)]`, []any{[]byte{0, 0}, &value.ArrayBuffer{Bytes: []byte{0}}}, `[{"$type":"bytes","value":"AAA="},{"$type":"bytes","kind":"ArrayBuffer","value":"AA=="}]`},
		{`[new Number(1), new String('s'), new Boolean(false), Object(5n)]`, []any{1.0, "s", false, big.NewInt(5)}, `[1,"s",false,{"$type":"bigint","value":"5"}]`},
		{`new (class A { x = 1; #y = 2; get z() { return 3 } })`, o(m("x", 1.0)), `{"x":1}`},
		{`({get a() { return this.b + 1 }, b: 1})`, o(m("a", 2.0), m("b", 1.0)), `{"a":2,"b":1}`},
		{`let n = 0; const a = Array(9).fill(1); Object.defineProperty(a, 3, {enumerable: true, get() { return {n: ++n} }}); return a`,
			[]any{1.0, 1.0, 1.0, o(m("n", 1.0)), 1.0, 1.0, 1.0, 1.0, 1.0}, `[1,1,1,{"n":1},1,1,1,1,1]`},
		{`let n = 0; const a = Array(9); a[8] = 1; Object.defineProperty(a, 0, {enumerable: true, get() { return n++ ? 1 : undefined }}); return a`,
			[]any{value.Undefined, value.Hole, value.Hole, value.Hole, value.Hole, value.Hole, value.Hole, value.Hole, 1.0},
			`[{"$type":"undefined"},{"$type":"undefined"},{"$type":"undefined"},{"$type":"undefined"},{"$type":"undefined"},{"$type":"undefined"},{"$type":"undefined"},{"$type":"undefined"},1]`},
		{`let n = 0; const e = new Error('x'); e.stack = ''; Object.defineProperty(e, 'errors', {enumerable: true, get() { return ++n }}); return e`,
			&value.Error{Name: "Error", Message: "x", Fields: o(m("errors", 1.0))}, `{"$type":"error","value":{"name":"Error","message":"x","errors":1}}`},
		{`const e = new Error('x', {cause: null}); e.stack = ''; return e`,
			&value.Error{Name: "Error", Message: "x", Fields: o(m("cause", nil))}, `{"$type":"error","value":{"name":"Error","message":"x","cause":null}}`},
		{`({d: {toJSON(key) { return ['for', key] }}})`, o(m("d", []any{"for", "d"})), `{"d":["for","d"]}`},
		{`({toJSON() { return {toJSON: 1} }})`, o(m("toJSON", 1.0)), `{"toJSON":1}`},
		{`const s = {}; return [s, s, [s]]`, nil, `[{},{"$type":"ref","value":"/0"},[{"$type":"ref","value":"/0"}]]`},
		{`const o = {a: {}}; o.a.up = o; return o`, nil, `{"a":{"up":{"$type":"ref","value":""}}}`},
		{`const d = new Uint8Array(2), e = []; return {d, again: d, e, e2: e}`, nil, `{"d":{"$type":"bytes","value":"AAA="},"again":{"$type":"ref","value":"/d"},"e":[],"e2":{"$type":"ref","value":"/e"}}`},
		{`const e = new TypeError('bad', {cause: {x: 1}}); e.stack = 's'; e.code = 5; return e`,
			&value.Error{Name: "TypeError", Message: "bad", Stack: "s", Cause: o(m("x", 1.0)), Fields: o(m("code", 5.0))},
			`{"$type":"error","value":{"name":"TypeError","message":"bad","stack":"s","cause":{"x":1},"code":5}}`},
		{`const e = new AggregateError([1, 'x'], 'm'); e.stack = ''; return [e]`, []any{&value.Error{Name: "AggregateError", Message: "m", Errors: []any{1.0, "x"}}},
			`[{"$type":"error","value":{"name":"AggregateError","message":"m","errors":[1,"x"]}}]`},
		{`class Mine extends Error { constructor() { super('q'); this.name = 'Mine'; this.stack = '' } } return new Mine`, &value.Error{Name: "Mine", Message: "q"}, `{"$type":"error","value":{"name":"Mine","message":"q"}}`},
		{`({$type: 'x'})`, o(m("$type", "x")), `{"$type":"object","value":{"$type":"x"}}`},
	} {
		body := c.js
		if !strings.Contains(body, "return ") || strings.HasPrefix(body, "(") || strings.HasPrefix(body, "new (") {
			body = "return (" + body + ")"
		}
		got := g.value(body)
		if c.want != nil && !valuetest.Same(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.js, value.Text(got), value.Text(c.want))
		}
		if j, err := value.MarshalJSON(got); err != nil || string(j) != c.json {
			t.Errorf("%s: JSON %s, %v, want %s", c.js, j, err, c.json)
		}
	}
}

func TestWhatCannotCrossIsNamedByItsPath(t *testing.T) {
	g := newGuest(t)
	for _, c := range []struct{ js, path, reason string }{
		{`({items: [1, 2, 3, {callback() {}}]})`, "result.items[3].callback", "a function cannot cross"},
		{`Symbol('x')`, "result", "a symbol cannot cross"},
		{`new Map([['k', Symbol()]])`, `result.get("k")`, "a symbol cannot cross"},
		{`new Map([[{}, () => 1]])`, `result.values()[0]`, "a function cannot cross"},
		{`new Map([[() => 1, 1]])`, `result.keys()[0]`, "a function cannot cross"},
		{`new Set([1, new Proxy({}, {})])`, `result.values()[1]`, "a Proxy cannot cross"},
		{`[new Proxy([], {get() { throw 1 }})]`, `result[0]`, "a Proxy cannot cross"},
		{`({'a b': {'"': new WeakMap}})`, `result["a b"]["\""]`, "a WeakMap cannot cross"},
		{`[new WeakSet]`, "result[0]", "a WeakSet cannot cross"},
		{`[new WeakRef({})]`, "result[0]", "a WeakRef cannot cross"},
		{`[Promise.resolve()]`, "result[0]", "a Promise (is an await missing?) cannot cross"},
		{`[(function* () {})()]`, "result[0]", "a generator (spread it into an array) cannot cross"},
		{`[new Map().keys()]`, "result[0]", "an iterator (spread it into an array) cannot cross"},
		{`[[1].values()]`, "result[0]", "an iterator (spread it into an array) cannot cross"},
		{`[''[Symbol.iterator]()]`, "result[0]", "an iterator (spread it into an array) cannot cross"},
		{`[[Object(Symbol())]]`, "result[0][0]", "a symbol cannot cross"},
		{`(() => { const e = new Error('x'); e.cause = {f() {}}; return e })()`, "result.cause.f", "a function cannot cross"},
		{`Object.assign(new Error('x'), {f() {}})`, "result.f", "a function cannot cross"},
		{`({a: {toJSON() { return () => 1 }}})`, "result.a", "a function cannot cross"},
		{`(() => { const m = new WebAssembly.Memory({initial: 1}), b = new Uint8Array(m.buffer); m.grow(1); return [b] })()`, "result[0]", "a view of a detached ArrayBuffer cannot cross"},
		{`(() => { const a = []; a[1e6] = () => 1; return a })()`, "result[1000000]", "a function cannot cross"},
	} {
		_, why, status := g.run("return "+c.js, 1<<20)
		if status != Syntax || why.Path != c.path || why.Reason != c.reason {
			t.Errorf("%s: status %d, %q: %q, want %q: %q", c.js, status, why.Path, why.Reason, c.path, c.reason)
		}
	}
}

// Covers T1 of the cases: nothing that a guest patches is consulted.
func TestPatchedPrototypesDoNotReachTheCodec(t *testing.T) {
	g := newGuest(t)
	got := g.value(`
		const o = {a: [1, {b: 2}], m: new Map([[1, 2]]), s: new Set([3]), d: new Date(5), r: /x/g, u: new Uint8Array([9]), e: new RangeError('m')}
		o.e.stack = ''
		const bad = () => { throw new Error('consulted') }
		const classes = [Map, Set, Date, RegExp, Uint8Array, Object.getPrototypeOf(Uint8Array), String, Number, Error, Array]
		const own = Reflect.ownKeys, define = Object.defineProperty
		for (let i = 0; i < classes.length; i++) {
			const names = own(classes[i].prototype)
			for (let j = 0; j < names.length; j++) {
				if (names[j] === 'constructor' || names[j] === 'name' || names[j] === 'message') continue
				try { define(classes[i].prototype, names[j], {get: bad, set: bad, configurable: true}) } catch {}
			}
		}
		Object.keys = Object.values = Object.entries = Object.getOwnPropertyNames = Object.getOwnPropertyDescriptor = bad
		Reflect.ownKeys = JSON.stringify = bad
		Object.prototype.polluted = 'x'
		Array.prototype.polluted = 'x'
		return o`)
	want := `{"a":[1,{"b":2}],"m":{"$type":"map","value":[[1,2]]},"s":{"$type":"set","value":[3]},"d":{"$type":"date","value":"1970-01-01T00:00:00.005Z"},` +
		`"r":{"$type":"regexp","value":{"source":"x","flags":"g"}},"u":{"$type":"bytes","value":"CQ=="},"e":{"$type":"error","value":{"name":"RangeError","message":"m"}}}`
	if j, err := value.MarshalJSON(got); err != nil || string(j) != want {
		t.Errorf("got %s, %v", j, err)
	}
}

func TestHostileGettersOnlyThrow(t *testing.T) {
	g := newGuest(t)
	for _, js := range []string{
		`({get x() { throw new TypeError('mine') }})`,
		`({toJSON() { throw new TypeError('mine') }})`,
		`[{get toJSON() { throw new TypeError('mine') }}]`,
		`Object.defineProperty(new Error, 'name', {get() { throw new TypeError('mine') }})`,
		`Object.defineProperty([1], 0, {get() { throw new TypeError('mine') }})`,
	} {
		_, why, status := g.run("return "+js, 1<<20)
		if e := g.Error(); status != Threw || e.Name != "TypeError" || e.Message != "mine" {
			t.Errorf("%s: status %d, %+v, %+v", js, status, e, why)
		}
		g.Forget()
	}
	// What a getter changes behind the walk is met safely.
	for _, js := range []string{
		`const a = [{get x() { a.length = 0; return 1 }}, 2, 3]; return a`,
		`const a = [{get x() { for (let i = 0; i < 1e5; i++) a.push(i); return 1 }}, 2]; return a`,
		`const o = {get x() { delete o.y; o.z = 5; return 1 }, y: 2}; return o`,
		`const m = new Map([[1, {get x() { m.clear(); return 1 }}], [2, 3]]); return m`,
		`const b = new ArrayBuffer(8); return [new Uint8Array(b), {get x() { try { b.transfer() } catch {} return 1 }}]`,
		`const b = new ArrayBuffer(8, {maxByteLength: 16}); return [{get x() { b.resize?.(0); return 1 }}, new Uint8Array(b), new Uint8Array(b, 2)]`,
	} {
		wire, _, status := g.run(js, 1<<24)
		if _, err := value.Decode(wire, value.Limits{}); status != OK && status != Syntax || status == OK && err != nil {
			t.Errorf("%s: status %d, %v", js, status, err)
		}
	}
}

// Whatever else is in the value, and whoever encodes it.
func TestGettersAreReadOnceAndInOrder(t *testing.T) {
	for _, rest := range []string{"1", "new Error('x')", "/x/", "{toJSON() { return 1 }}", "new Array(1e6)", "new ArrayBuffer(1)", "new Uint8Array(new ArrayBuffer(1, {maxByteLength: 2}))"} {
		g := newGuest(t)
		wire, why, status := g.run(`let seen = ''; const note = k => ({get [k]() { return seen += k }});
			const made = {a: note('a'), get b() { return seen += 'b' }, c: [note('c')], d: new Map([[note('d'), note('e')]]), rest: `+rest+`,
			get z() { return seen += 'z' }}; return made`, 1<<24)
		got, err := value.Decode(wire, value.Limits{})
		if status != OK || err != nil {
			t.Fatalf("%s: status %d, %+v, %v", rest, status, why, err)
		}
		if last := got.(*value.Object).Get("z"); last != "abcdez" {
			t.Errorf("%s: getters gave %v", rest, last)
		}
	}
}

func TestEncodingEndsAtTheDeadline(t *testing.T) {
	for _, js := range []string{`({get x() { for (;;); }})`, `[new Error, {toJSON() { for (;;); }}]`} {
		g := newGuest(t)
		if s := g.RunFunction("return "+js, false); s != OK || g.Loop() != Settled {
			t.Fatalf("%s: %d", js, s)
		}
		go g.Stop(Deadline)
		if _, why, status := g.EncodeMain(1 << 20); status != Terminated || g.Stopped() != Deadline {
			t.Errorf("%s: status %d, %+v", js, status, why)
		}
	}
}

func TestTheLimitStopsEarlyAndExactly(t *testing.T) {
	g := newGuest(t)
	for _, js := range []string{`'x'.repeat(1000)`, `Array(1000).fill('x')`, `Array(1000).fill(1)`, `new Uint8Array(1000)`, `({a: new ArrayBuffer(1000)})`, `Array(300).fill(0).map(() => ({a: 1}))`, `Array(1000).fill(1.5)`} {
		wire, _, status := g.run("return "+js, 1<<20)
		if status != OK {
			t.Fatalf("%s: %d", js, status)
		}
		n := int64(len(wire))
		if _, _, status := g.run("return "+js, n); status != OK {
			t.Errorf("%s: %d bytes of %d: status %d", js, n, n, status)
		}
		if _, why, status := g.run("return "+js, n-1); status != Syntax || !strings.Contains(why.Reason, "larger than") {
			t.Errorf("%s: %d bytes of %d: status %d, %+v", js, n, n-1, status, why)
		}
	}
	start := time.Now()
	if _, _, status := g.run(`const big = 'x'.repeat(2**28); return Array(1000).fill(big)`, 1<<20); status != Syntax {
		t.Errorf("status %d", status)
	}
	if _, _, status := g.run(`const a = []; for (let i = 0; i < 8; i++) a[i * 536870911] = i; return a`, 1<<20); status != OK {
		t.Errorf("status %d", status)
	}
	t.Logf("%v for what would be 256 GiB", time.Since(start))
}

func TestDepthAndSize(t *testing.T) {
	g := newGuest(t)
	nest := func(n int) string {
		return fmt.Sprintf(`let x = 1; for (let i = 0; i < %d; i++) x = i %% 2 ? [x] : {a: x}; return x`, n)
	}
	for _, n := range []int{1000, 9999} {
		if got := value.Text(g.value(nest(n))); !strings.HasPrefix(got, "[") && !strings.HasPrefix(got, "{") {
			t.Errorf("%d: %s", n, got)
		}
	}
	if _, why, status := g.run(nest(10_001), 1<<30); status != Syntax || !strings.Contains(why.Reason, "nested deeper than 10000") || !strings.HasPrefix(why.Path, "result.a[0].a") {
		t.Errorf("status %d, %.60s: %s", status, why.Path, why.Reason)
	}
	if got := g.value(`return Array.from({length: 1e6}, (_, i) => i % 3 ? i : 's' + i)`).([]any); len(got) != 1_000_000 || got[999_999] != "s999999" {
		t.Error("a million elements changed")
	}
	if got := g.value(`return Object.fromEntries(Array.from({length: 1e5}, (_, i) => ['k' + i, i]))`).(*value.Object); got.Get("k99999") != 99_999.0 {
		t.Error("a large object changed")
	}
	many := make([]any, 1_000_000)
	deep := any(nil)
	for i := range many {
		many[i] = float64(i)
	}
	for range 5000 {
		deep = []any{deep}
	}
	if got := g.value(`return [arguments[0].length, arguments[0][999999], (() => { let n = 0, d = arguments[1]; while (d) { d = d[0]; n++ } return n })()]`, many, deep); !valuetest.Same(got, []any{1e6, 999_999.0, 5000.0}) {
		t.Errorf("into the guest: %s", value.Text(got))
	}
}

func TestValuesArriveInTheGuestAsWhatTheyAre(t *testing.T) {
	g := newGuest(t)
	shared := value.NewObject(value.Member{Key: "__proto__", Value: 1.0}, value.Member{Key: "10", Value: 2.0})
	cycle := []any{nil}
	cycle[0] = cycle
	jsErr := &value.Error{Name: "RangeError", Message: "m", Stack: "s", Cause: 1.0, Fields: value.NewObject(value.Member{Key: "code", Value: "c"})}
	for _, c := range []struct {
		in   any
		test string
	}{
		{shared, `Object.getPrototypeOf(v) === Object.prototype && Object.hasOwn(v, '__proto__') && v['10'] === 2`},
		{[]any{shared, shared}, `v[0] === v[1]`},
		{cycle, `v[0] === v`},
		{[]any{1.0, value.Hole}, `v.length === 2 && !(1 in v)`},
		{&value.SparseArray{Length: 1 << 31, Elements: []value.Element{{Index: 5, Value: 1.0}}}, `v.length === 2**31 && v[5] === 1 && Object.keys(v).length === 1`},
		{time.UnixMilli(5).UTC(), `v instanceof Date && v.getTime() === 5`},
		{value.InvalidDate, `v instanceof Date && isNaN(v)`},
		{&value.RegExp{Source: "a", Flags: "gi"}, `v instanceof RegExp && v.flags === 'gi' && v.test('A')`},
		{[]byte{1, 2}, `v instanceof Uint8Array && v.length === 2 && v[1] === 2`},
		{&value.TypedArray{Kind: "Float64Array", Bytes: make([]byte, 16)}, `v instanceof Float64Array && v.length === 2`},
		{&value.ArrayBuffer{Bytes: []byte{7}}, `v instanceof ArrayBuffer && new Uint8Array(v)[0] === 7`},
		{&value.Map{Entries: []value.Entry{{Key: shared, Value: 1.0}}}, `v instanceof Map && v.size === 1`},
		{&value.Set{Values: []any{1.0, 1.0}}, `v instanceof Set && v.size === 1`},
		{value.String16{0xd800, 'a'}, `v === '\ud800a'`},
		{new(big.Int).Lsh(big.NewInt(-3), 100), `v === -3n << 100n`},
		{math.Copysign(0, -1), `Object.is(v, -0)`},
		{value.Undefined, `v === undefined`},
		{jsErr, `v instanceof RangeError && v.message === 'm' && v.cause === 1 && v.stack === 's' && v.code === 'c' && Object.keys(v).join() === 'code'`},
		{&value.Error{Name: "Mine", Message: "x"}, `v instanceof Error && v.name === 'Mine' && String(v) === 'Mine: x'`},
		{&value.Error{Name: "AggregateError", Errors: []any{1.0}}, `v instanceof AggregateError && v.errors[0] === 1`},
		{"a\x00b😀é", `v === 'a\0b😀é'`},
		{map[string]any{"b": 1, "a": []string{"x"}}, `JSON.stringify(v) === '{"a":["x"],"b":1}'`},
	} {
		if got := g.value(`const v = arguments[0]; return `+c.test, c.in); got != true {
			t.Errorf("%s is not %s", value.Text(c.in), c.test)
		}
	}
}

func TestGoToGuestToGoKeepsEveryValue(t *testing.T) {
	g := newGuest(t)
	rapid.Check(t, func(rt *rapid.T) {
		v := valuetest.Tree(4).Draw(rt, "value")
		if got := g.value(`return arguments[0]`, v); !valuetest.Same(v, got) {
			rt.Fatalf("%s\nbecame\n%s", value.Text(v), value.Text(got))
		}
		// An Error beside it keeps plain data from the faster of the two encoders.
		if got := g.value(`return [arguments[0], new Error]`, v).([]any)[0]; !valuetest.Same(v, got) {
			rt.Fatalf("%s\nbecame, beside an Error,\n%s", value.Text(v), value.Text(got))
		}
	})
}

func TestGuestToGoToGuestKeepsEveryValue(t *testing.T) {
	g := newGuest(t)
	if s := g.RunScript(`globalThis.same = (a, b, seen = new Map) => {
		if (Object.is(a, b)) return true
		if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false
		if (seen.has(a)) return seen.get(a) === b
		seen.set(a, b)
		if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
		if (a instanceof Date) return Object.is(a.getTime(), b.getTime())
		if (a instanceof RegExp) return String(a) === String(b)
		if (a instanceof Map) return same([...a], [...b], seen)
		if (a instanceof Set) return same([...a], [...b], seen)
		if (ArrayBuffer.isView(a)) return a.byteLength === b.byteLength && new Uint8Array(a.buffer, a.byteOffset, a.byteLength).join() === new Uint8Array(b.buffer, b.byteOffset, b.byteLength).join()
		if (a instanceof Error && (a.message !== b.message || a.stack !== b.stack || !same(a.cause, b.cause, seen))) return false
		const ka = Object.keys(a), kb = Object.keys(b)
		return a.length === b.length && ka.length === kb.length && ka.every((k, i) => k === kb[i] && same(a[k], b[k], seen))
	}
	globalThis.samples = () => {
		const shared = {s: 1}, cycle = {name: 'c'}, holes = [1, , 3], named = new TypeError('t', {cause: shared})
		cycle.self = cycle; named.code = 'E'
		return [undefined, null, true, NaN, -0, 0, 1e21, 2**53, -1.5, 'x', '', '\ud800', '😀', 5n, -(1n << 70n), new Date(1), new Date(NaN), /r/dgimsuy,
			new Map([[shared, shared], ['k', cycle]]), new Set([shared, cycle, NaN]), new Uint8Array([1]), new Float32Array([1.5]), new BigUint64Array(2),
			new DataView(new ArrayBuffer(3)), shared, cycle, holes, [[[]]], {}, {z: 1, a: 2, 5: 3, ['__proto__']: 4}, named, new AggregateError([1, shared], 'g'), [, ], new Array(1000)]
	}`); s != OK {
		t.Fatalf("%d %+v", s, g.Error())
	}
	sent := g.value(`globalThis.first = samples(); return first`)
	if got := g.value(`return first.map((s, i) => same(s, arguments[0][i]) ? '' : i + ' ').join('')`, sent); got != "" {
		t.Errorf("changed: %v", got)
	}
	if got := g.value(`const r = arguments[0], m = r[18]; return r[24] === m.keys().next().value && r[25] === m.get('k') && r[25].self === r[25] && r[30].cause === r[24]`, sent); got != true {
		t.Error("an identity was lost")
	}
}
