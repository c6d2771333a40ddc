package value_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"realm.internal/supervisor/pkg/value"
)

// An object that stands in many places is rewritten once, and stays one object.
func TestRewriteTakesEachObjectOnce(t *testing.T) {
	for _, c := range []struct {
		claim string
		wire  []byte // the object that everything else refers to
		calls int
	}{
		{"bytes", []byte{0xc4, 3, 'k', 'e', 'y'}, 1},
		{"array buffer", []byte{0x92, 0xd4, 0, 4, 0xc4, 3, 'k', 'e', 'y'}, 1},
		{"typed array", append([]byte{0x93, 0xd4, 0, 5, 0xa9}, "Int8Array\xc4\x03key"...), 1},
		{"regular expression", []byte{0x93, 0xd4, 0, 1, 0xa3, 'k', 'e', 'y', 0xa0}, 1},
		{"error", []byte{0x97, 0xd4, 0, 6, 0xa3, 'k', 'e', 'y', 0xa0, 0xa0, 0xc7, 0, 2, 0xc7, 0, 2, 0x80}, 3},
		{"set", []byte{0x92, 0xd4, 0, 3, 0xa3, 'k', 'e', 'y'}, 1},
		{"map", []byte{0x93, 0xd4, 0, 2, 0xa3, 'k', 'e', 'y', 0x01}, 1},
		{"object", []byte{0x81, 0xa3, 'k', 'e', 'y', 0x01}, 1},
		{"array", []byte{0x91, 0xa3, 'k', 'e', 'y'}, 1},
		{"errors of an error", []byte{0x97, 0xd4, 0, 6, 0xa0, 0xa0, 0xa0, 0xc7, 0, 2, 0x91, 0xa3, 'k', 'e', 'y', 0x80}, 4},
		{"sparse array", []byte{0x94, 0xd4, 0, 7, 0x09, 0x01, 0xa3, 'k', 'e', 'y'}, 1},
	} {
		const places = 1000
		wire := binary.BigEndian.AppendUint16([]byte{0xdc}, places)
		wire = append(append(wire, c.wire...), bytes.Repeat([]byte{0xd6, 6, 0, 0, 0, 1}, places-1)...)
		tree, err := value.Decode(wire, value.Limits{})
		if err != nil {
			t.Errorf("%s: %v", c.claim, err)
			continue
		}
		calls := 0
		tree = value.Rewrite(tree,
			func(s string) string {
				calls++
				return string(bytes.ReplaceAll([]byte(s), []byte("key"), []byte("new")))
			},
			func(b []byte) []byte { calls++; return bytes.ReplaceAll(b, []byte("key"), []byte("new")) })
		if calls != c.calls {
			t.Errorf("%s: rewritten %d times, not %d", c.claim, calls, c.calls)
		}
		again, err := value.Encode(tree)
		if want := bytes.ReplaceAll(wire, []byte("key"), []byte("new")); err != nil || !bytes.Equal(again, want) {
			t.Errorf("%s: %v, %.60q…", c.claim, err, again)
		}
	}
}

func TestRewriteTakesSharedErrorListsOnce(t *testing.T) {
	list := make([]any, 100)
	for i := range list {
		list[i] = "key"
	}
	errors := make([]any, 100)
	for i := range errors {
		errors[i] = &value.Error{Errors: list}
	}
	calls := 0
	value.Rewrite(errors, func(s string) string { calls++; return s }, func(b []byte) []byte { return b })
	if want := len(list) + 3*len(errors); calls != want {
		t.Errorf("%d calls, not %d", calls, want)
	}
}
