package supervisor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
	"realm.internal/supervisor/pkg/value/valuetest"
)

// sample is one value of the contract's table: what Go has, and what must hold
// for v in the guest.
type sample struct {
	name string
	in   any
	is   string
}

func samples() []sample {
	shared := value.NewObject(value.Member{Key: "n", Value: 1.0})
	cycle := value.NewObject()
	cycle.Set("self", cycle)
	cyclic := []any{nil}
	cyclic[0] = cyclic
	var deep any = "bottom"
	for range 1000 {
		deep = []any{deep}
	}
	return []sample{
		{"undefined", supervisor.Undefined, `v === undefined`},
		{"null", nil, `v === null`},
		{"a boolean", true, `v === true`},
		{"an integer", 7.0, `v === 7`},
		{"a fraction", 0.1, `v === 0.1`},
		{"NaN", math.NaN(), `Number.isNaN(v)`},
		{"infinities", []any{math.Inf(1), math.Inf(-1)}, `v[0] === Infinity && v[1] === -Infinity`},
		{"minus zero", math.Copysign(0, -1), `Object.is(v, -0)`},
		{"the largest and the smallest", []any{math.MaxFloat64, 5e-324}, `v[0] === Number.MAX_VALUE && v[1] === Number.MIN_VALUE`},
		{"a bigint", new(big.Int).Lsh(big.NewInt(-3), 100), `v === -3n << 100n`},
		{"a string", "a\x00b😀é", `v === 'a\0b😀é'`},
		{"a string of lone surrogates", supervisor.String16{0xdc00, 'x', 0xd800}, `v === '\udc00x\ud800'`},
		{"a huge string", strings.Repeat("é", 1<<20), `v.length === 1 << 20 && v[1000] === 'é'`},
		{"a date", time.UnixMilli(1_700_000_000_123).UTC(), `v instanceof Date && v.getTime() === 1700000000123`},
		{"an invalid date", value.InvalidDate, `v instanceof Date && Number.isNaN(v.getTime())`},
		{"a regular expression", &supervisor.RegExp{Source: `a\/b`, Flags: "iu"}, `v instanceof RegExp && v.flags === 'iu' && v.test('A/B')`},
		{"a map", &supervisor.Map{Entries: []supervisor.Entry{{Key: shared, Value: "of object"}, {Key: 1.0, Value: shared}}},
			`v instanceof Map && v.size === 2 && v.get(v.get(1)) === 'of object'`},
		{"a set", &supervisor.Set{Values: []any{1.0, "1", math.NaN()}}, `v instanceof Set && v.size === 3 && v.has(NaN)`},
		{"bytes", []byte{0, 255}, `v instanceof Uint8Array && v.length === 2 && v[1] === 255`},
		{"an array buffer", &supervisor.ArrayBuffer{Bytes: []byte{1, 2, 3}}, `v instanceof ArrayBuffer && v.byteLength === 3`},
		{"floats", &supervisor.TypedArray{Kind: "Float32Array", Bytes: []byte{0, 0, 0xc0, 0x3f}}, `v instanceof Float32Array && v[0] === 1.5`},
		{"a data view", &supervisor.TypedArray{Kind: "DataView", Bytes: []byte{1, 2}}, `v instanceof DataView && v.getUint16(0) === 258`},
		{"an error", &supervisor.GuestError{Name: "RangeError", Message: "far", Stack: "RangeError: far\n    at host", Cause: &supervisor.GuestError{Name: "Error", Message: "why"},
			Fields: value.NewObject(value.Member{Key: "code", Value: "E_FAR"})},
			`v instanceof RangeError && v.message === 'far' && v.cause instanceof Error && v.cause.message === 'why' && v.code === 'E_FAR'`},
		{"an aggregate error", &supervisor.GuestError{Name: "AggregateError", Message: "all", Errors: []any{1.0, &supervisor.GuestError{Name: "TypeError"}}},
			`v instanceof AggregateError && v.errors[1] instanceof TypeError`},
		{"an object, its keys in order", value.NewObject(value.Member{Key: "z", Value: 1.0}, value.Member{Key: "a", Value: 2.0}, value.Member{Key: "", Value: 3.0}),
			`Object.keys(v).join() === 'z,a,'`},
		{"__proto__ and constructor as data", value.NewObject(value.Member{Key: "__proto__", Value: value.NewObject(value.Member{Key: "admin", Value: true})}, value.Member{Key: "constructor", Value: 1.0}),
			`Object.getPrototypeOf(v) === Object.prototype && v.admin === undefined && Object.hasOwn(v, '__proto__') && v.constructor === 1`},
		{"holes", []any{1.0, value.Hole, 3.0}, `v.length === 3 && !(1 in v) && v[2] === 3`},
		{"a very sparse array", &supervisor.SparseArray{Length: 1 << 31, Elements: []value.Element{{Index: 1 << 30, Value: "x"}}}, `v.length === 2 ** 31 && v[2 ** 30] === 'x'`},
		{"what occurs twice", []any{shared, shared}, `v[0] === v[1]`},
		{"a cyclic object", cycle, `v.self === v`},
		{"a cyclic array", cyclic, `v[0] === v`},
		{"a thousand arrays deep", deep, `(() => { let n = 0; while (Array.isArray(v)) { v = v[0]; n++ } return n === 1000 && v === 'bottom' })()`},
	}
}

// Every type of the table, as an argument, in the input, as a tool's answer, and
// back as the result.
func TestEveryValueCrossesAtEveryDoor(t *testing.T) {
	t.Parallel()
	var values []any
	var checks []string
	for _, s := range samples() {
		values = append(values, s.in)
		checks = append(checks, `v => `+s.is)
	}
	for door, changes := range map[string][]change{
		"arguments":   {args(values...)},
		"input":       {input(values)},
		"tool answer": {tools("values", func(context.Context, json.RawMessage) (any, error) { return values, nil })},
	} {
		res := succeed(t, `
			const checks = [`+strings.Join(checks, ",\n")+`];
			export default async (...args) => {
				const values = typeof input !== 'undefined' ? input : args.length > 0 ? args : await dataProxy.request('values');
				return { wrong: checks.flatMap((check, i) => check(values[i]) ? [] : [i]), values };
			}`, append(changes, limited(supervisor.Limits{MaxResultBytes: 64 << 20}))...)
		o := res.Value.(*supervisor.Object)
		for _, i := range o.Get("wrong").([]any) {
			t.Errorf("%s: %s does not arrive: %s", door, samples()[int(i.(float64))].name, checks[int(i.(float64))])
		}
		for i, s := range samples() {
			if got := o.Get("values").([]any)[i]; !valuetest.Same(s.in, got) {
				t.Errorf("%s: %s comes back as %.200s", door, s.name, value.Text(got))
			}
		}
	}
}

func tools(name string, f supervisor.Tool) change {
	return func(r *supervisor.Request) {
		r.Grants.Tools = grants.Tools{Allowed: []string{name}}
		r.Tools = map[string]supervisor.Tool{name: f}
	}
}

// The codec's own property tests draw more; this one goes the whole way.
func TestDrawnValuesGoToAGuestAndComeBack(t *testing.T) {
	t.Parallel()
	var sent []any
	for i := range 150 {
		sent = append(sent, valuetest.Tree(4).Example(i))
	}
	res := succeed(t, `export default (...all) => all`, args(sent...), limited(supervisor.Limits{MaxResultBytes: 64 << 20}))
	for i, got := range res.Value.([]any) {
		if !valuetest.Same(sent[i], got) {
			t.Errorf("seed %d: %.300s\nbecame %.300s", i, value.Text(sent[i]), value.Text(got))
		}
	}
}

func TestGoValuesArriveAsTheirJSONWould(t *testing.T) {
	t.Parallel()
	type point struct {
		X      int      `json:"x"`
		Y      *float64 `json:"y,omitempty"`
		Labels map[string]bool
		hidden int
	}
	yields(t, `[{"x":1,"Labels":{"a":true,"b":false}},[1,2],{"$type":"bigint","value":"9007199254740993"},{"k":[null]},"2024-02-29T00:00:00.000Z",[0,"<&>"]]`,
		`export default (...all) => all.map(v => v instanceof Date ? v.toISOString() : v)`,
		args(point{X: 1, Labels: map[string]bool{"b": false, "a": true}, hidden: 1}, [2]int8{1, 2}, int64(1<<53+1), json.RawMessage(`{"k":[null]}`),
			time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC), []any{json.Number("0"), "<&>"}))
}

func TestResultsDecodeIntoGoTypes(t *testing.T) {
	t.Parallel()
	var got struct {
		Name    string             `json:"name"`
		Total   *big.Int           `json:"total"`
		When    time.Time          `json:"when"`
		Bytes   []byte             `json:"bytes"`
		ByName  map[string]float64 `json:"byName"`
		Unique  []string           `json:"unique"`
		Nested  []struct{ A, B int }
		Missing *int `json:"missing"`
		Any     any  `json:"any"`
		Err     error
		Ordered *supervisor.Object `json:"ordered"`
	}
	res := succeed(t, `({
		name: 'x', total: 2n ** 70n, when: new Date(5), bytes: new Uint8Array([1, 2]), byName: new Map([['a', 1.5]]), unique: new Set(['p', 'q']),
		Nested: [{A: 1, B: 2}], missing: undefined, any: {deep: [1]}, Err: new TypeError('no'), ordered: {z: 1, a: 2}, unknown: 1,
	})`)
	if err := res.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Name != "x" || got.Total.String() != "1180591620717411303424" || got.When.UnixMilli() != 5 || !bytes.Equal(got.Bytes, []byte{1, 2}) ||
		got.ByName["a"] != 1.5 || strings.Join(got.Unique, "") != "pq" || len(got.Nested) != 1 || got.Nested[0].B != 2 || got.Missing != nil {
		t.Errorf("%+v", got)
	}
	if m, ok := got.Any.(map[string]any); !ok || len(m["deep"].([]any)) != 1 || got.Err == nil || got.Err.Error() != "TypeError: no" || got.Ordered.Keys()[0] != "z" {
		t.Errorf("%+v", got)
	}
	var wrong struct{ Name int }
	if err := res.Decode(&wrong); err == nil || !strings.Contains(err.Error(), "value.name") {
		t.Errorf("the error does not name the path: %v", err)
	}
}

// What a tool gets is the JSON form of its parameters.
func TestToolsGetTheJSONFormOfTheirParameters(t *testing.T) {
	t.Parallel()
	var got json.RawMessage
	take := tools("take", func(_ context.Context, params json.RawMessage) (any, error) { got = params; return nil, nil })
	_, err := run(t, `await dataProxy.request('take', { at: new Date(0), n: 10n, m: new Map([[1, 'a']]), u: undefined, s: '\ud800', list: [1, , 2] })`, take)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"at":{"$type":"date","value":"1970-01-01T00:00:00.000Z"},"n":{"$type":"bigint","value":"10"},"m":{"$type":"map","value":[[1,"a"]]},"u":{"$type":"undefined"},`
	if !strings.HasPrefix(string(got), want) {
		t.Errorf("%s\nwant %s…", got, want)
	}
	_, e := fails(t, supervisor.ErrRuntime, `await dataProxy.request('take', { list: [{ callback() {} }] })`, take)
	contains(t, e.Message, "list[0].callback")
}

func TestLargeValuesCross(t *testing.T) {
	t.Parallel()
	wide := limited(supervisor.Limits{MaxResultBytes: 128 << 20, MemoryMb: 512})
	res := succeed(t, `new Uint8Array(64 << 20).fill(7)`, wide)
	if b := res.Value.([]byte); len(b) != 64<<20 || b[len(b)-1] != 7 {
		t.Errorf("%d bytes", len(b))
	}
	res = succeed(t, `Array.from({length: 1_000_000}, (_, i) => i)`, wide)
	if a := res.Value.([]any); len(a) != 1_000_000 || a[999_999] != 999_999.0 {
		t.Errorf("%d elements", len(a))
	}
	res = succeed(t, `let v = 'bottom'; for (let i = 0; i < 1000; i++) v = {v}; v`)
	v, n := res.Value, 0
	for o, ok := v.(*supervisor.Object); ok; o, ok = v.(*supervisor.Object) {
		v, n = o.Get("v"), n+1
	}
	if n != 1000 || v != "bottom" {
		t.Errorf("%d deep, then %v", n, v)
	}
	yields(t, `16777216`, `export default s => s.length`, args(strings.Repeat("x", 16<<20)))
}

// Nothing that the guest defines takes part in serialising but its getters and
// proxies, and those only fail its own run.
func TestTheGuestCannotTrickTheCodec(t *testing.T) {
	t.Parallel()
	for _, patch := range []string{
		`Date.prototype.toJSON = Map.prototype.toJSON = RegExp.prototype.toJSON = () => 'tricked'`,
		`Array.prototype.map = Array.prototype[Symbol.iterator] = () => { throw 1 }`,
		`Map.prototype.entries = Map.prototype[Symbol.iterator] = Map.prototype.forEach = () => { throw 1 }`,
		`Date.prototype.getTime = Date.prototype.valueOf = () => 0`,
		`Object.defineProperty(Object.prototype, 'n', { set() { throw 1 }, get() { return 'tricked' } })`,
		`globalThis.Object = globalThis.Map = globalThis.Uint8Array = undefined`,
		`RegExp.prototype.exec = () => { throw 1 }; Object.defineProperty(RegExp.prototype, 'source', { get() { throw 1 } })`,
		`Object.setPrototypeOf(Array.prototype, new Proxy({}, { get() { throw 1 }, has() { throw 1 } }))`,
	} {
		yields(t, `{"m":{"$type":"map","value":[["k",{"$type":"date","value":"1970-01-01T00:00:00.005Z"}]]},"a":[1,2],"r":{"$type":"regexp","value":{"source":"x","flags":"g"}}}`,
			`const v = {m: new Map([['k', new Date(5)]]), a: [1, 2], r: /x/g}; `+patch+`; v`)
	}
	_, e := fails(t, supervisor.ErrRuntime, `({get a() { throw new TypeError('from a getter') }})`)
	if e.Phase != "serialize" || e.Name != "TypeError" {
		t.Errorf("%+v", e)
	}
	yields(t, `["https://x.org/",{"toJSON":1}]`, `[new URL('https://x.org'), {toJSON: 1}]`) // as JSON.stringify, objects say themselves what they are
}
