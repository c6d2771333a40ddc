package value_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	. "realm.internal/supervisor/pkg/value"
	"realm.internal/supervisor/pkg/value/valuetest"
)

func TestMarshalJSONSaysWhatJSONCannot(t *testing.T) {
	shared := NewObject(Member{"n", 1.0})
	cycle := NewObject(Member{"a/b~c", nil})
	cycle.Set("a/b~c", []any{cycle})
	inMap := &Map{Entries: []Entry{{"k", shared}, {shared, "v"}}}
	inError := &Error{Name: "E", Message: "m", Cause: shared, Fields: NewObject(Member{"code", 5.0}, Member{"again", shared})}
	typed := NewObject(Member{"$type", "date"}, Member{"x", shared}, Member{"y", shared})
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"undefined", Undefined, `{"$type":"undefined"}`},
		{"plain", []any{nil, true, 1.5, "é\"\\\n\u0001</"}, `[null,true,1.5,"é\"\\\n\u0001</"]`},
		{"numbers", []any{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1)},
			`[{"$type":"number","value":"NaN"},{"$type":"number","value":"Infinity"},{"$type":"number","value":"-Infinity"},{"$type":"number","value":"-0"}]`},
		{"numbers as JavaScript writes them", []any{1e21, 1e-7, 123456789012345680000.0, 0.1, 5e-324}, `[1e+21,1e-7,123456789012345680000,0.1,5e-324]`},
		{"bigint", big.NewInt(-10), `{"$type":"bigint","value":"-10"}`},
		{"dates", []any{time.UnixMilli(1).UTC(), InvalidDate, time.UnixMilli(-8.64e15).UTC(), time.UnixMilli(8.64e15).UTC()},
			`[{"$type":"date","value":"1970-01-01T00:00:00.001Z"},{"$type":"date","value":null},{"$type":"date","value":"-271821-04-20T00:00:00.000Z"},{"$type":"date","value":"+275760-09-13T00:00:00.000Z"}]`},
		{"regexp", &RegExp{"a/", "g"}, `{"$type":"regexp","value":{"source":"a/","flags":"g"}}`},
		{"map", inMap, `{"$type":"map","value":[["k",{"n":1}],[{"$type":"ref","value":"/value/0/1"},"v"]]}`},
		{"set", &Set{Values: []any{1.0, Undefined}}, `{"$type":"set","value":[1,{"$type":"undefined"}]}`},
		{"bytes", []byte{1, 2, 255}, `{"$type":"bytes","value":"AQL/"}`},
		{"buffer and view", []any{&ArrayBuffer{[]byte{1}}, &TypedArray{"Int8Array", []byte{1}}},
			`[{"$type":"bytes","kind":"ArrayBuffer","value":"AQ=="},{"$type":"bytes","kind":"Int8Array","value":"AQ=="}]`},
		{"error", inError, `{"$type":"error","value":{"name":"E","message":"m","cause":{"n":1},"code":5,"again":{"$type":"ref","value":"/value/cause"}}}`},
		{"shared", []any{shared, shared}, `[{"n":1},{"$type":"ref","value":"/0"}]`},
		{"cycle", cycle, `{"a/b~c":[{"$type":"ref","value":""}]}`},
		{"cycle below", []any{cycle}, `[{"a/b~c":[{"$type":"ref","value":"/0"}]}]`},
		{"own $type", typed, `{"$type":"object","value":{"$type":"date","x":{"n":1},"y":{"$type":"ref","value":"/value/x"}}}`},
		{"holes", []any{Hole, 1.0}, `[{"$type":"undefined"},1]`},
		{"sparse", &SparseArray{1 << 31, []Element{{5, "x"}}}, `{"$type":"array","length":2147483648,"value":[[5,"x"]]}`},
		{"lone surrogates", NewObject(Member{"\xed\xb0\x80", String16{'a', 0xd83d}}), `{"\udc00":"a\ud83d"}`},
		{"key order and __proto__", NewObject(Member{"z", 1.0}, Member{"__proto__", 2.0}, Member{"a", 3.0}), `{"z":1,"__proto__":2,"a":3}`},
		{"other Go types", map[string]int{"b": 1, "a": 2}, `{"a":2,"b":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := MarshalJSON(c.in)
			if err != nil || string(got) != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
			if !json.Valid(got) {
				t.Error("not JSON")
			}
		})
	}
	if got, err := json.Marshal(map[string]any{"v": inMap}); err != nil || !strings.Contains(string(got), `"$type":"map"`) {
		t.Errorf("inside encoding/json: %s, %v", got, err)
	}
}

func TestReferencesCannotBlowUpTheText(t *testing.T) {
	inner := &Object{}
	list := []any{NewObject(Member{strings.Repeat("k", 1<<20), inner})}
	for range 1000 {
		list = append(list, inner)
	}
	if _, err := MarshalJSON(list); !errors.Is(err, ErrLimit) {
		t.Errorf("got %v", err)
	}
}

func TestFromJSONReadsAsJSONParse(t *testing.T) {
	for _, c := range []struct {
		in   string
		want any
	}{
		{` {"z":1,"a":[true,false,null],"__proto__":{"x":1},"z":2} `, NewObject(Member{"z", 2.0}, Member{"a", []any{true, false, nil}}, Member{"__proto__", NewObject(Member{"x", 1.0})})},
		{`"\ud83d\ude00 \ud83d \u00e9\n\/"`, String16{0xd83d, 0xde00, ' ', 0xd83d, ' ', 0xe9, '\n', '/'}},
		{`"\ud83d\ud83d\ude00"`, String16{0xd83d, 0xd83d, 0xde00}},
		{`"\u0041é\t"`, "Aé\t"},
		{`{"\udc00":1}`, NewObject(Member{"\xed\xb0\x80", 1.0})},
		{`[-0, 1e400, -1.5E-3, 12345678901234567890]`, []any{math.Copysign(0, -1), math.Inf(1), -0.0015, 12345678901234567890.0}},
		{`[]`, []any{}},
		{`{}`, &Object{}},
		{`{"$type":"bigint","value":"1"}`, NewObject(Member{"$type", "bigint"}, Member{"value", "1"})},
	} {
		got, err := FromJSON([]byte(c.in))
		if err != nil || !valuetest.Same(got, c.want) {
			t.Errorf("%s: got %s, %v", c.in, Text(got), err)
		}
	}
	for _, bad := range []string{``, ` `, `{`, `[1,]`, `{"a":1,}`, `[1 2]`, `{"a" 1}`, `{a:1}`, `01`, `1.`, `.5`, `-`, `1e`, `+1`, `nul`, `"`, `"\x"`, `"\u12"`, `"\ud8`,
		"\"\n\"", "\"\xff\"", "\"a\\n\xff\"", "\"\xed\xa0\x80\"", `1 2`, `NaN`, `'a'`, "\ufeff1", strings.Repeat("[", 20_000)} {
		if v, err := FromJSON([]byte(bad)); err == nil {
			t.Errorf("%q: got %v", bad, v)
		}
	}
}

func FuzzFromJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\ud800"]}`, `"\ud83d\ude00"`, `-0.5e-3`, `[[[]]]`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := FromJSON(b)
		var std any
		stdErr := json.Unmarshal(b, &std)
		if err != nil {
			if stdErr == nil && json.Valid(b) && strings.ToValidUTF8(string(b), "") == string(b) && !errors.Is(err, ErrLimit) {
				t.Fatalf("%q: %v", b, err)
			}
			return
		}
		if !json.Valid(b) {
			t.Fatalf("%q was taken as %s", b, Text(v))
		}
		var plain any
		if stdErr == nil && Assign(v, &plain) == nil {
			if !reflect.DeepEqual(plain, std) && !strings.Contains(string(b), `\u`) {
				t.Fatalf("%q: %#v, encoding/json has %#v", b, plain, std)
			}
		}
	})
}
