package value_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	. "realm.internal/supervisor/pkg/value"
)

func TestTextLooksLikeAConsole(t *testing.T) {
	cycle := NewObject(Member{"name", "c"})
	cycle.Set("self", cycle)
	long := make([]any, 120)
	for i := range long {
		long[i] = float64(i)
	}
	for _, c := range []struct {
		name string
		in   any
		want string
	}{
		{"a string is raw", "a\x1b'b", "a\x1b'b"},
		{"undefined", Undefined, "undefined"},
		{"object", NewObject(Member{"a", 1.0}, Member{"b", []any{1.0, 2.0}}, Member{"a-b", "x"}), "{ a: 1, b: [ 1, 2 ], 'a-b': 'x' }"},
		{"empty", []any{&Object{}, []any{}, &Map{}}, "[ {}, [], Map(0) {} ]"},
		{"map and set", []any{&Map{[]Entry{{"a", 1.0}}}, &Set{[]any{"x"}}}, "[ Map(1) { 'a' => 1 }, Set(1) { 'x' } ]"},
		{"quotes", []any{"it's", `it's "`, "it's \"`", "\n\t\\"}, "[ \"it's\", `it's \"`, 'it\\'s \"`', '\\n\\t\\\\' ]"},
		{"controls", []any{"\x1b]52;c\x07\u202e\u0085", String16{0xd800}}, `[ '\x1B]52;c\x07\u202E\x85', '\uD800' ]`},
		{"bigint, regexp, date", []any{big.NewInt(5), &RegExp{"a", "g"}, time.UnixMilli(0).UTC(), InvalidDate}, "[ 5n, /a/g, 1970-01-01T00:00:00.000Z, Invalid Date ]"},
		{"cycle", cycle, "{ name: 'c', self: [Circular] }"},
		{"bytes", []byte{1, 2}, "Uint8Array(2) [ 1, 2 ]"},
		{"view", &TypedArray{"Float16Array", []byte{0, 0x3c, 0, 0xc0}}, "Float16Array(2) [ 1, -2 ]"},
		{"holes", []any{Hole, Hole, 1.0, Hole}, "[ <2 empty items>, 1, <1 empty item> ]"},
		{"sparse", &SparseArray{10, []Element{{3, "x"}}}, "[ <3 empty items>, 'x', <6 empty items> ]"},
		{"error", &Error{Name: "E", Message: "m", Stack: "E: m\n    at a.js:1:1", Fields: NewObject(Member{"code", 1.0})}, "E: m\n    at a.js:1:1 {\n  code: 1\n}"},
		{"error without a stack", &Error{Name: "E", Message: "m"}, "[E: m]"},
		{"a Go value", map[string]int{"a": 1}, "{ a: 1 }"},
		{"wide", NewObject(Member{"key", strings.Repeat("x", 40)}, Member{"other", strings.Repeat("y", 40)}),
			"{\n  key: '" + strings.Repeat("x", 40) + "',\n  other: '" + strings.Repeat("y", 40) + "'\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Text(c.in); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
	if got := Text(long); !strings.Contains(got, "99,\n  ... 20 more items\n]") && !strings.Contains(got, "99, ... 20 more items") {
		t.Errorf("a long array:\n%s", got)
	}
	deep := any("x")
	for range 20 {
		deep = NewObject(Member{"a", deep})
	}
	if got := Text(deep); !strings.Contains(got, "[Object]") {
		t.Errorf("a deep object: %s", got)
	}
}

func TestTextIsBounded(t *testing.T) {
	v := any([]any{})
	for range 30 {
		list := make([]any, 100)
		for i := range list {
			list[i] = v
		}
		v = list
	}
	if n := len(Text(v)); n > 8<<20 {
		t.Errorf("shared references became %d bytes", n)
	}
	wide := &Object{}
	for _, k := range []string{"a", "b"} {
		wide.Set(k, strings.Repeat("x", 1<<20))
	}
	if n := len(Text(wide)); n > 25_000 {
		t.Errorf("two long strings became %d bytes", n)
	}
	row := make([]any, 100)
	for i := range row {
		row[i] = &Error{Name: "E", Message: strings.Repeat("x", 20_000)}
	}
	deep := any(row)
	for range 8 { // as deep as is shown
		deep = []any{deep}
	}
	if n := len(Text(deep)); n > 64<<10 {
		t.Errorf("errors too deep to be shown became %d bytes", n)
	}
}
