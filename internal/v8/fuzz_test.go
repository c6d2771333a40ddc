package v8

import (
	"bytes"
	"testing"

	"realm.internal/supervisor/pkg/value"
	"realm.internal/supervisor/pkg/value/valuetest"
)

// The native decoder takes what Go's takes and gives back the same value; what
// it refuses leaves the isolate as it was.
func FuzzNativeDecode(f *testing.F) {
	for _, v := range []any{
		nil, []any{}, []any{1.5, "x", value.Undefined, value.Hole, []byte{1}}, value.NewObject(value.Member{Key: "__proto__", Value: 1.0}),
		[]any{&value.Map{}, &value.Set{Values: []any{1.0}}, &value.RegExp{Source: "a", Flags: "g"}, value.InvalidDate, value.String16{0xd800}},
		[]any{&value.TypedArray{Kind: "Float64Array", Bytes: make([]byte, 16)}, &value.SparseArray{Length: 9}},
	} {
		wire, err := value.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire)
	}
	f.Add([]byte{0xdd, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0x92, 0x90, 0xd6, 6, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, wire []byte) {
		if len(wire) == 0 { // no input at all
			return
		}
		want, refused := value.Decode(wire, value.Limits{})
		g := newGuest(t)
		if status := g.SetArguments([]byte{0x90}, wire); status != OK {
			if refused == nil {
				t.Fatalf("% x: refused with status %d, %+v; Go decodes %s", wire, status, g.Error(), value.Text(want))
			}
			return
		}
		if status := g.RunFunction(`return input`, false); status != OK {
			t.Fatalf("status %d, %+v", status, g.Error())
		}
		if end := g.Loop(); end != Settled {
			t.Fatalf("end %d, %+v", end, g.Error())
		}
		back, why, status := g.EncodeMain(1 << 26)
		if status != OK {
			t.Fatalf("% x does not encode: %d, %+v", wire, status, why)
		}
		got, err := value.Decode(back, value.Limits{})
		if err != nil {
			t.Fatalf("% x became % x: %v", wire, back, err)
		}
		// Elsewhere the language says otherwise: equal keys are one, and a sparse array is dense where it is short.
		merges := bytes.Contains(wire, []byte{0xd4, 0, 2}) || bytes.Contains(wire, []byte{0xd4, 0, 3}) || bytes.Contains(wire, []byte{0xd4, 0, 7})
		if refused == nil && !merges && !valuetest.Same(got, want) {
			t.Fatalf("% x became % x", wire, back)
		}
	})
}
