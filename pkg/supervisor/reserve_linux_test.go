package supervisor

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"testing"

	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

// What is reserved for a value covers it, decoded and as JSON.
func TestWhatIsReservedIsEnough(t *testing.T) {
	const n = 1 << 20
	array := func(unit ...byte) rpc.Raw {
		wire := binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(n/len(unit)))
		return append(wire, bytes.Repeat(unit, n/len(unit))...)
	}
	text := append(binary.BigEndian.AppendUint32([]byte{0xdb}, n), bytes.Repeat([]byte{1}, n)...)
	for name, raw := range map[string]rpc.Raw{
		"control characters": text, "numbers": array(7), "fractions": array(0xcb, 0x3f, 0xd5, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55), "nulls": array(0xc0),
		"objects": array(0x80), "arrays": array(0x90), "bytes": array(0xc4, 0), "sets": array(0x91, 0xd4, 0, 3), "texts": array(0xa1, 1),
		"objects of one": array(0x81, 0xa1, 1, 0xc0), "dates": array(0xd7, 5, 0, 0, 0, 0, 0, 0, 0, 0), "arrays of one": array(0x91, 0xc0),
	} {
		var reserved int64
		x := execution{req: Request{Reserve: func(bytes int64) func() { reserved += bytes; return func() {} }}}
		x.reserve(raw)
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		v, err := value.Decode(raw, value.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		text, err := value.MarshalJSON(v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if took := int64(after.HeapAlloc-before.HeapAlloc) + int64(len(raw)); took > reserved {
			t.Errorf("%s: %d bytes, of which %d are reserved", name, took, reserved)
		}
		runtime.KeepAlive(v)
		runtime.KeepAlive(text)
	}
}
