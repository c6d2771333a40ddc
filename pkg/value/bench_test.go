package value_test

import (
	"encoding/json"
	"fmt"
	"testing"

	. "realm.internal/supervisor/pkg/value"
)

func records() any {
	list := make([]any, 0, 8000)
	for i := range 8000 {
		list = append(list, NewObject(Member{"id", float64(i)}, Member{"name", fmt.Sprintf("user number %d", i)}, Member{"active", i%2 == 0},
			Member{"score", float64(i) / 7}, Member{"tags", []any{"alpha", "beta", "gamma"}}, Member{"address", NewObject(Member{"city", "Berlin"}, Member{"zip", "10115"})}))
	}
	return list
}

func BenchmarkCodec(b *testing.B) {
	v := records()
	wire, err := Encode(v)
	if err != nil {
		b.Fatal(err)
	}
	text, err := MarshalJSON(v)
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, n int, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			for range b.N {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("encode", len(wire), func() error { _, err := Encode(v); return err })
	run("decode", len(wire), func() error { _, err := Decode(wire, Limits{}); return err })
	run("marshal JSON", len(text), func() error { _, err := MarshalJSON(v); return err })
	run("from JSON", len(text), func() error { _, err := FromJSON(text); return err })
	run("encoding/json into any, to compare", len(text), func() error { var v any; return json.Unmarshal(text, &v) })
	data := make([]byte, 64<<20)
	run("encode 64 MiB of bytes", len(data), func() error { _, err := Encode(data); return err })
}
