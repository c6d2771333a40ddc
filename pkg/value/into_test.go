package value_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	. "realm.internal/supervisor/pkg/value"
)

func TestAssignFillsGoTypes(t *testing.T) {
	type user struct {
		Name   string            `json:"name"`
		Age    int               `json:"age"`
		Tags   []string          `json:"tags"`
		Extra  map[string]any    `json:"extra"`
		Born   time.Time         `json:"born"`
		Big    *big.Int          `json:"big"`
		Big64  int64             `json:"big64"`
		Data   []byte            `json:"data"`
		Floats []float64         `json:"floats"`
		Counts map[string]int    `json:"counts"`
		Codes  map[int]string    `json:"codes"`
		Seen   []string          `json:"seen"`
		Addr   netip.Addr        `json:"addr"`
		Raw    json.RawMessage   `json:"raw"`
		Boss   *user             `json:"boss"`
		Keep   *Object           `json:"keep"`
		Keep2  Map               `json:"keep2"`
		Err    error             `json:"err"`
		Fixed  [2]int            `json:"fixed"`
		None   *int              `json:"none"`
		Num    json.Number       `json:"num"`
		Quoted int               `json:"quoted,string"`
		Any    any               `json:"any"`
		U16    String16          `json:"u16"`
		Other  map[string]string `json:"other"`
	}
	boss := NewObject(Member{"NAME", "Ada"}, Member{"unknown", 1.0})
	rich := NewObject(Member{"z", 1.0}, Member{"a", 2.0})
	jsErr := &Error{Name: "TypeError", Message: "no"}
	at := time.UnixMilli(1e12).UTC()
	in := NewObject(
		Member{"name", "Bob"}, Member{"age", 42.0}, Member{"tags", []any{"a", "b"}},
		Member{"extra", NewObject(Member{"list", []any{1.0, Undefined}}, Member{"o", rich})},
		Member{"born", at}, Member{"big", big.NewInt(7)}, Member{"big64", big.NewInt(1 << 60)},
		Member{"data", []byte{1, 2}}, Member{"floats", &TypedArray{"Float64Array", []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}}},
		Member{"counts", &Map{[]Entry{{"x", 1.0}}}}, Member{"codes", NewObject(Member{"7", "seven"})},
		Member{"seen", &Set{[]any{"p", "q"}}}, Member{"addr", "::1"}, Member{"raw", rich}, Member{"boss", boss},
		Member{"keep", rich}, Member{"keep2", &Map{[]Entry{{1.0, 2.0}}}}, Member{"err", jsErr},
		Member{"fixed", []any{1.0, 2.0, 3.0}}, Member{"none", nil}, Member{"num", 1.5}, Member{"quoted", "12"},
		Member{"any", big.NewInt(3)}, Member{"u16", "hé"}, Member{"other", Undefined},
	)
	want := user{
		Name: "Bob", Age: 42, Tags: []string{"a", "b"},
		Extra: map[string]any{"list": []any{1.0, nil}, "o": map[string]any{"z": 1.0, "a": 2.0}},
		Born:  at, Big: big.NewInt(7), Big64: 1 << 60, Data: []byte{1, 2}, Floats: []float64{1.5},
		Counts: map[string]int{"x": 1}, Codes: map[int]string{7: "seven"}, Seen: []string{"p", "q"},
		Addr: netip.MustParseAddr("::1"), Raw: json.RawMessage(`{"z":1,"a":2}`), Boss: &user{Name: "Ada"},
		Keep: rich, Keep2: Map{[]Entry{{1.0, 2.0}}}, Err: jsErr, Fixed: [2]int{1, 2}, Num: "1.5", Quoted: 12,
		Any: big.NewInt(3), U16: String16{'h', 0xe9},
	}
	var got user
	if err := Assign(in, &got); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	var through user
	b, err := Encode(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := DecodeInto(b, &through); err != nil || through.Boss.Name != "Ada" {
		t.Errorf("DecodeInto: %+v, %v", through, err)
	}
}

func TestAssignNamesThePathOfWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		in, dst any
		want    string
	}{
		{NewObject(Member{"a", []any{1.0, "x"}}), new(struct{ A []int }), "value.a[1]: a JavaScript string does not fit a int"},
		{1.5, new(int), "value: the number 1.5 does not fit a int"},
		{300.0, new(uint8), "does not fit a uint8"},
		{-1.0, new(uint), "does not fit a uint"},
		{big.NewInt(0).Lsh(big.NewInt(1), 80), new(int64), "does not fit a int64"},
		{String16{0xd800}, new(string), "lone surrogates"},
		{&Map{}, new(string), "a JavaScript Map does not fit a string"},
		{true, new(time.Time), "a JavaScript boolean does not fit a time.Time"},
		{&SparseArray{Length: 1 << 31}, new([]int), "too sparse"},
		{&Map{[]Entry{{[]any{}, 1.0}}}, new(map[any]int), "cannot be the key of a Go map"},
		{NewObject(Member{"x", 1.0}), new(map[int]int), `the key "x" does not fit`},
	} {
		err := Assign(c.in, c.dst)
		var pathErr *PathError
		if !errors.As(err, &pathErr) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T into %T: got %v, want %s", c.in, c.dst, err, c.want)
		}
	}
	for _, dst := range []any{nil, 5, (*int)(nil)} {
		if Assign(1.0, dst) == nil {
			t.Errorf("a %T was taken as destination", dst)
		}
	}
}

func TestAssignKeepsSharingAndRefusesEndlessValues(t *testing.T) {
	type node struct{ Next *node }
	self := &Object{}
	self.Set("Next", self)
	var n *node
	if err := Assign(self, &n); err != nil || n.Next != n {
		t.Errorf("a cycle of pointers: %v", err)
	}
	var plain any
	if err := Assign(self, &plain); err != nil || plain.(map[string]any)["Next"].(map[string]any)["Next"] == nil {
		t.Errorf("a cycle of maps: %v", err)
	}
	type flat struct{ Next [1]map[string]flat }
	if err := Assign(NewObject(Member{"Next", []any{self}}), new(flat)); err == nil {
		t.Error("a cycle of structs was stored")
	}
	// 2^60 leaves, were references not remembered.
	type tree struct{ Kids []tree }
	v := NewObject(Member{"Kids", []any{}})
	for range 60 {
		v = NewObject(Member{"Kids", []any{v, v}})
	}
	var out tree
	if err := Assign(v, &out); err != nil || len(out.Kids) != 2 {
		t.Errorf("%v", err)
	}
}
