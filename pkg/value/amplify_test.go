package value_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/value"
)

// repeated is an array that holds unit as often as fits into n bytes.
func repeated(t *testing.T, n int, unit ...byte) any {
	t.Helper()
	wire := binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(n/len(unit)))
	v, err := value.Decode(append(wire, bytes.Repeat(unit, n/len(unit))...), value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Tiny objects are what makes most of few bytes.
func TestMemoryForTinyObjectsIsBounded(t *testing.T) {
	const n = 1 << 18
	for name, unit := range map[string][]byte{
		"objects": {0x80}, "arrays": {0x90}, "bytes": {0xc4, 0}, "sets": {0x91, 0xd4, 0, 3}, "arrays of one": {0x91, 0xc0},
	} {
		var v any
		if got := allocated(func() { v = repeated(t, n, unit...) }); got > 200*n {
			t.Errorf("%s: decoding takes %d bytes for each", name, got/n)
		}
		if got := allocated(func() { _, _ = value.MarshalJSON(v) }); got > 250*n {
			t.Errorf("%s: JSON takes %d bytes for each", name, got/n)
		}
	}
}

func TestReferencesTakeAFewTimesTheRest(t *testing.T) {
	shared := &value.Object{}
	list := []any{value.NewObject(value.Member{Key: strings.Repeat("k", 300), Value: shared})}
	for range 100_000 {
		list = append(list, shared)
	}
	if text, err := value.MarshalJSON(list); !errors.Is(err, value.ErrLimit) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := value.MarshalJSON(list[:3000]); err != nil {
		t.Error(err)
	}
}

func TestManySparseArraysDoNotFitASlice(t *testing.T) {
	v := repeated(t, 1<<20, 0x92, 0xd4, 0, 7, 0xcd, 4, 0) // each of length 1024, and empty
	var into any
	var err error
	if got := allocated(func() { err = value.Assign(v, &into) }); err == nil || got > 100<<20 {
		t.Errorf("%v, %d MiB", err, got>>20)
	}
	if err := value.Assign(repeated(t, 70, 0x92, 0xd4, 0, 7, 0xcd, 4, 0), &into); err != nil || len(into.([]any)) != 10 {
		t.Error(err)
	}
}
