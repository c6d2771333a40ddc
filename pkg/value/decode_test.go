package value_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"runtime"
	"strings"
	"testing"

	. "realm.internal/supervisor/pkg/value"
	"realm.internal/supervisor/pkg/value/valuetest"
)

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var malformed = []struct{ name, wire string }{
	{"nothing", ""},
	{"a byte too many", "c0 c0"},
	{"an unused code", "c1"},
	{"float 32, which no encoder writes", "ca 3f800000"},
	{"a truncated float", "cb 00"},
	{"a truncated string", "a5 61"},
	{"a string that is not UTF-8", "a1 ff"},
	{"a surrogate in UTF-8", "a3 eda080"},
	{"a truncated length", "db 00 00"},
	{"an array that announces 4 Gi elements", "dd ffffffff"},
	{"a map that announces 4 Gi members", "df ffffffff"},
	{"a bin that announces 4 GiB", "c6 ffffffff 00"},
	{"nested arrays that announce the same bytes twice", "93 92 c0 c0"},
	{"a tagged array that announces too much", "dd 000000ff d4 00 03 c0"},
	{"an unsafe integer", "cf 0020000000000000"},
	{"an unsafe negative integer", "d3 ffe0000000000000"},
	{"a uint64 above int64", "cf ffffffffffffffff"},
	{"a hole as the value", "c7 00 02"},
	{"a hole in an object", "81 a1 61 c7 00 02"},
	{"a hole in a Set", "92 d4 00 03 c7 00 02"},
	{"undefined with a body", "d4 01 00"},
	{"an unknown extension", "d4 09 00"},
	{"an extension that is too short", "c7 ff 03 00"},
	{"a bigint without a sign", "c7 00 03"},
	{"a bigint with sign 2", "d5 03 02 01"},
	{"a negative zero bigint", "d4 03 01"},
	{"a bigint with a leading zero", "d5 03 00 00"},
	{"half a UTF-16 unit", "d4 04 00"},
	{"well-formed UTF-16", "d5 04 61 00"},
	{"a date of a broken millisecond", "d7 05 3fe0000000000000"},
	{"a date out of range", "d7 05 7ff0000000000000"},
	{"a date of four bytes", "d6 05 00000000"},
	{"a reference to nothing", "d6 06 00000000"},
	{"a reference ahead", "92 d6 06 00000001 90"},
	{"a reference of two bytes", "d5 06 0000"},
	{"a tag alone", "d4 00 01"},
	{"a tag in the middle", "92 c0 d4 00 01"},
	{"an unknown tag", "91 d4 00 08"},
	{"a regexp with one part", "92 d4 00 01 a1 61"},
	{"a regexp of numbers", "93 d4 00 01 01 02"},
	{"a Map with a key and no value", "92 d4 00 02 01"},
	{"an ArrayBuffer that is a string", "92 d4 00 04 a1 61"},
	{"an ArrayBuffer that is a reference", "92 c4 00 92 d4 00 04 d6 06 00000000"},
	{"a view of no kind", "93 d4 00 05 a3 466f6f c4 00"},
	{"a Uint8Array that is tagged", "93 d4 00 05 aa 55696e74384172726179 c4 00"},
	{"a view with half an element", "93 d4 00 05 aa 496e7431364172726179 c4 01 00"},
	{"an Error with five parts", "96 d4 00 06 a0 a0 a0 c0 c0"},
	{"an Error whose fields are an array", "97 d4 00 06 a0 a0 a0 c0 c0 90"},
	{"an Error whose fields are a reference", "97 d4 00 06 a0 a0 a0 c0 80 d6 06 00000001"},
	{"a sparse array without a length", "91 d4 00 07"},
	{"a sparse array of negative length", "92 d4 00 07 ff"},
	{"a sparse array with an index past its end", "94 d4 00 07 01 01 c0"},
	{"a sparse array out of order", "96 d4 00 07 05 03 c0 02 c0"},
	{"a key twice", "82 a1 61 c0 a1 61 c0"},
	{"a key that is a number", "81 01 c0"},
	{"a key that is not UTF-8", "81 a1 ff c0"},
	{"a key without a value", "81 a1 61"},
}

// Covers: T-JS-01
func TestMalformedBytesAreRefused(t *testing.T) {
	refused := 0
	defer func() { t.Logf("attacks: either protocol malformed values %d %d", len(malformed), refused) }()
	for _, c := range malformed {
		t.Run(c.name, func(t *testing.T) {
			v, err := Decode(unhex(t, c.wire), Limits{})
			if !errors.Is(err, ErrMalformed) || v != nil {
				t.Errorf("got %v, %v", v, err)
				return
			}
			refused++
		})
	}
}

func TestLimitsComeInPairs(t *testing.T) {
	nested := func(n int) []byte { return append(bytes.Repeat([]byte{0x91}, n), 0xc0) }
	maps := func(n int) []byte { return append(bytes.Repeat([]byte{0x81, 0xa0}, n), 0xc0) }
	tags := func(n int) []byte { return append(bytes.Repeat([]byte{0x92, 0xd4, 0, 3}, n), 0xc0) }
	for _, c := range []struct {
		name string
		wire []byte
		l    Limits
		ok   bool
	}{
		{"10 000 arrays", nested(10_000), Limits{}, true},
		{"10 001 arrays", nested(10_001), Limits{}, false},
		{"10 000 objects", maps(10_000), Limits{}, true},
		{"10 001 objects", maps(10_001), Limits{}, false},
		{"10 001 sets", tags(10_001), Limits{}, false},
		{"5 MB of array heads", nested(5 << 20), Limits{}, false},
		{"depth 3 of 3", nested(3), Limits{MaxDepth: 3}, true},
		{"depth 4 of 3", nested(4), Limits{MaxDepth: 3}, false},
		{"4 bytes of 4", nested(3), Limits{MaxBytes: 4}, true},
		{"5 bytes of 4", nested(4), Limits{MaxBytes: 4}, false},
		{"3 elements of 3", unhex(t, "92 01 02"), Limits{MaxElements: 3}, true},
		{"4 elements of 3", unhex(t, "93 01 02 03"), Limits{MaxElements: 3}, false},
	} {
		_, err := Decode(c.wire, c.l)
		if c.ok && err != nil || !c.ok && !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestHostileBytesCostNoMoreThanTheirLength holds the memory per input byte of
// the worst inputs: what announces much, and the smallest of each container.
func TestHostileBytesCostNoMoreThanTheirLength(t *testing.T) {
	const size = 1 << 20
	announce := func(unit string) []byte {
		part := unhex(t, unit)
		n := size / len(part)
		return append([]byte{0xdd, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, bytes.Repeat(part, n)...)
	}
	inputs := map[string][]byte{
		"arrays that each announce the rest": announce("dd 000f0000"),
		"empty arrays":                       announce("90"),
		"empty objects":                      announce("80"),
		"empty bins":                         announce("c400"),
		"maps of one":                        announce("81a0c0"),
	}
	for name, wire := range inputs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Decode(wire, Limits{})
		runtime.ReadMemStats(&after)
		if perByte := (after.TotalAlloc - before.TotalAlloc) / uint64(len(wire)); perByte > 200 {
			t.Errorf("%s: %d bytes allocated per byte", name, perByte)
		}
	}
}

func TestDecodeKeepsNothingOfItsInput(t *testing.T) {
	b, err := Encode([]any{"text", []byte("bytes"), NewObject(Member{"key", "value"})})
	if err != nil {
		t.Fatal(err)
	}
	v, err := Decode(b, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	before := Text(v)
	clear(b)
	if Text(v) != before {
		t.Error("the value changed with the input")
	}
}

// FuzzDecode: whatever decodes must survive every consumer and encode to
// something that decodes to the same.
func FuzzDecode(f *testing.F) {
	for _, c := range malformed {
		b, _ := hex.DecodeString(strings.ReplaceAll(c.wire, " ", ""))
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Decode(b, Limits{})
		if err != nil {
			return
		}
		again, err := Encode(v)
		if err != nil {
			t.Fatalf("does not encode: %v", err)
		}
		back, err := Decode(again, Limits{})
		if err != nil {
			t.Fatalf("does not decode again: %v", err)
		}
		if !valuetest.Same(v, back) {
			t.Fatalf("%s became %s", Text(v), Text(back))
		}
		if j, err := MarshalJSON(v); err == nil {
			if _, err := FromJSON(j); err != nil {
				t.Fatalf("not JSON: %v\n%s", err, j)
			}
		}
		Text(v)
		var target struct {
			A []map[string]any
			B *Map
			C map[any]any
		}
		_ = Assign(v, &target)
		var plain any
		_ = Assign(v, &plain)
	})
}
