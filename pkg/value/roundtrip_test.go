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

	"pgregory.net/rapid"

	. "realm.internal/supervisor/pkg/value"
	"realm.internal/supervisor/pkg/value/valuetest"
)

func roundTrip(t interface {
	Helper()
	Fatalf(string, ...any)
}, v any) any {
	t.Helper()
	b, err := Encode(v)
	if err != nil {
		t.Fatalf("encode %#v: %v", v, err)
	}
	back, err := Decode(b, Limits{})
	if err != nil {
		t.Fatalf("decode % x: %v", b, err)
	}
	return back
}

func TestDecodedTreesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := valuetest.Tree(5).Draw(t, "value")
		if back := roundTrip(t, v); !valuetest.Same(v, back) {
			t.Fatalf("%s\nbecame\n%s", Text(v), Text(back))
		}
	})
}

func TestGoValuesEncodeAsJSONWould(t *testing.T) {
	type inner struct {
		X int `json:"x,omitempty"`
	}
	type Embedded struct{ E string }
	type all struct {
		Embedded
		*inner
		B    bool              `json:"b"`
		N    int64             `json:"n,string"`
		F    float32           `json:"f"`
		M    map[string]int    `json:"m"`
		K    map[int]string    `json:"k"`
		L    []inner           `json:"l"`
		P    *inner            `json:"p"`
		Nil  *inner            `json:"nil"`
		Raw  json.RawMessage   `json:"raw"`
		Num  json.Number       `json:"num"`
		Skip string            `json:"-"`
		Zero time.Time         `json:"zero,omitzero"`
		A    [2]string         `json:"a"`
		Any  any               `json:"any"`
		U    map[string]string `json:"u,omitempty"`
	}
	p := &inner{X: 7}
	in := all{
		Embedded: Embedded{"e"}, inner: &inner{X: 3}, B: true, N: 5, F: 0.5,
		M: map[string]int{"z": 1, "a": 2}, K: map[int]string{10: "ten", 9: "nine"},
		L: []inner{{}, {X: 1}}, P: p, Raw: json.RawMessage(`{"q":[1,"\u00e9"]}`),
		Num: "1e3", Skip: "no", A: [2]string{"x", "y"}, Any: map[string]any{"d": 1.5},
	}
	want, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := MarshalJSON(in)
	if err != nil {
		t.Fatal(err)
	}
	var w, g any
	if json.Unmarshal(want, &w) != nil || json.Unmarshal(got, &g) != nil || !reflect.DeepEqual(w, g) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestEncodeGivesEachGoValueItsJavaScriptType(t *testing.T) {
	at := time.Date(2024, 1, 31, 12, 0, 0, 5e6, time.FixedZone("", 3600))
	for _, c := range []struct {
		name     string
		in, want any
	}{
		{"a safe int64 is a number", int64(1<<53 - 1), float64(1<<53 - 1)},
		{"a larger int64 is a bigint", int64(math.MaxInt64), big.NewInt(math.MaxInt64)},
		{"a large uint64 is a bigint", uint64(math.MaxUint64), new(big.Int).SetUint64(math.MaxUint64)},
		{"minus zero stays", math.Copysign(0, -1), math.Copysign(0, -1)},
		{"a time is a Date of milliseconds", at, at.UTC()},
		{"a *time.Time too", &at, at.UTC()},
		{"a big.Int field is a bigint", struct{ N big.Int }{*big.NewInt(5)}, NewObject(Member{"N", big.NewInt(5)})},
		{"an error is an Error", errors.New("no"), &Error{Name: "Error", Message: "no"}},
		{"a nil map is null", map[string]int(nil), nil},
		{"a nil *Object is null", (*Object)(nil), nil},
		{"well-formed UTF-16 is a string", String16{0xd83d, 0xde00}, "😀"},
		{"a broken Go string is repaired", "a\xffb", "a\ufffdb"},
		{"generalised UTF-8 is UTF-16", "a\xed\xa0\x80", String16{'a', 0xd800}},
		{"map[any]any", map[any]any{1: "a", "b": true}, NewObject(Member{"1", "a"}, Member{"b", true})},
		{"a json.Number beyond doubles is Infinity", json.Number("1e999"), math.Inf(1)},
		{"a named byte slice is a Uint8Array", json.RawMessage(`[1]`), []any{1.0}},
		{"[]string", []string{"a"}, []any{"a"}},
		{"a regexp by value", RegExp{"a", "g"}, &RegExp{"a", "g"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := roundTrip(t, c.in); !valuetest.Same(got, c.want) {
				t.Errorf("got %#v, want %#v", got, c.want)
			}
		})
	}
}

func TestEncodeNamesThePathOfWhatCannotCross(t *testing.T) {
	for _, c := range []struct {
		in   any
		want string
	}{
		{map[string]any{"items": []any{1, map[string]any{"callback": func() {}}}}, "value.items[1].callback: a func() cannot cross"},
		{map[string]any{"a b": make(chan int)}, `value["a b"]: a chan int cannot cross`},
		{[]any{Hole, &Map{Entries: []Entry{{1.0, complex(1, 1)}}}}, "value[1].values()[0]: a complex128 cannot cross"},
		{&Map{Entries: []Entry{{"k", complex(1, 1)}}}, `value.get("k"): a complex128 cannot cross`},
		{Hole, "value: a hole outside an array"},
		{&TypedArray{Kind: "Int16Array", Bytes: []byte{1}}, `value: a "Int16Array" of 1 bytes does not exist`},
		{time.Unix(1<<60, 0), "out of a Date's range"},
		{map[bool]int{true: 1}, "a bool cannot be a property key"},
	} {
		_, err := Encode(c.in)
		var pathErr *PathError
		if !errors.As(err, &pathErr) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: got %v, want %s", c.in, err, c.want)
		}
	}
}

func TestSharedReferencesAndCyclesKeepIdentity(t *testing.T) {
	shared := &Object{}
	list := []any{shared, shared, nil}
	list[2] = list
	empty := make([]any, 0, 1)
	data := []byte{1, 2}
	m := &Map{Entries: []Entry{{"list", list}, {"e1", empty}, {"e2", empty}, {"d1", data}, {"d2", data}}}
	m.Entries = append(m.Entries, Entry{m, m})

	back := roundTrip(t, m).(*Map)
	l := back.Entries[0].Value.([]any)
	if l[0] != l[1] || &l[2].([]any)[0] != &l[0] || back.Entries[5].Key != back {
		t.Error("an identity was lost")
	}
	e1, e2 := back.Entries[1].Value.([]any), back.Entries[2].Value.([]any)
	d1, d2 := back.Entries[3].Value.([]byte), back.Entries[4].Value.([]byte)
	if &e1[:1][0] != &e2[:1][0] || &d1[0] != &d2[0] {
		t.Error("the identity of a slice was lost")
	}
	type node struct {
		Next *node `json:"next"`
	}
	n := &node{}
	n.Next = n
	if o := roundTrip(t, n).(*Object); o.Get("next") != o {
		t.Error("a cycle of structs was lost")
	}
}

func TestDeepAndLargeValues(t *testing.T) {
	deep := any("x")
	for range 2000 {
		deep = []any{NewObject(Member{"a", deep})}
	}
	roundTrip(t, deep)
	big := make([]any, 1_000_000)
	for i := range big {
		big[i] = float64(i)
	}
	if back := roundTrip(t, big).([]any); back[999_999] != 999_999.0 {
		t.Error("the last element changed")
	}
	for range 4000 {
		deep = []any{NewObject(Member{"a", deep})}
	}
	if _, err := Encode(deep); err == nil {
		t.Error("12 000 levels were encoded")
	}
}

func TestObjectKeepsOrderAndFindsKeys(t *testing.T) {
	o := &Object{}
	keys := []string{"__proto__", "constructor", "10", "2", "", "z", "a", "toString", "hasOwnProperty", "n9", "n10", "n11"}
	for i, k := range keys {
		o.Set(k, i)
	}
	o.Set("z", "again")
	if !reflect.DeepEqual(o.Keys(), keys) || o.Len() != len(keys) {
		t.Errorf("keys %q", o.Keys())
	}
	if o.Get("z") != "again" || o.Get("n11") != 11 || o.Get("valueOf") != Undefined {
		t.Error("Get")
	}
	if _, ok := o.Lookup("missing"); ok {
		t.Error("Lookup")
	}
}
