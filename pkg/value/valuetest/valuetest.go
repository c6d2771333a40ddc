// Package valuetest draws and compares values for tests.
package valuetest

import (
	"math"
	"math/big"
	"strings"
	"time"

	"pgregory.net/rapid"

	"realm.internal/supervisor/pkg/value"
)

const (
	maxSafe   = 1<<53 - 1
	maxDateMs = 8.64e15
)

// Tree draws values as Decode gives them, with shared references. JavaScript
// keeps them as they are: no key is an array index, no Set has a value twice.
func Tree(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		g := &grower{T: t}
		return g.value(depth)
	})
}

type grower struct {
	*rapid.T
	made []any
}

func (g *grower) remember(v any) any {
	g.made = append(g.made, v)
	return v
}

func (g *grower) value(depth int) any {
	leaves := []func() any{
		func() any { return nil },
		func() any { return value.Undefined },
		func() any { return rapid.Bool().Draw(g.T, "bool") },
		func() any { return float64(rapid.Int64Range(-maxSafe, maxSafe).Draw(g.T, "int")) },
		func() any { return rapid.Float64().Draw(g.T, "float") },
		func() any {
			return rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1 << 53, 5e-324}).Draw(g.T, "special")
		},
		func() any { return rapid.String().Draw(g.T, "string") },
		func() any { return value.String16{uint16(rapid.IntRange(0xd800, 0xdfff).Draw(g.T, "lone")), 'x'} },
		g.bigint,
		func() any { return time.UnixMilli(rapid.Int64Range(-maxDateMs, maxDateMs).Draw(g.T, "ms")).UTC() },
		func() any { return value.InvalidDate },
		func() any { return g.remember(g.bytes(rapid.IntRange(0, 40).Draw(g.T, "size"))) },
		func() any { return g.remember(&value.RegExp{Source: "a+", Flags: "gi"}) },
		func() any { return g.remember(&value.ArrayBuffer{Bytes: g.bytes(3)}) },
		g.view,
		g.shared,
	}
	containers := []func() any{
		func() any { return g.array(depth) },
		func() any { return g.mapping(depth) },
		func() any { return g.set(depth) },
		func() any { return g.error(depth) },
		func() any { return g.object(depth, "") },
		func() any { return g.object(depth, "") },
	}
	all := leaves
	if depth > 0 {
		all = append(containers, leaves...) // small numbers are drawn more often
	}
	return all[rapid.IntRange(0, len(all)-1).Draw(g.T, "kind")]()
}

func (g *grower) size() int { return rapid.IntRange(0, 12).Draw(g.T, "n") }

// bytes has an address even when it is empty: the address is the identity.
func (g *grower) bytes(n int) []byte {
	return append(make([]byte, 0, 1), rapid.SliceOfN(rapid.Byte(), n, n).Draw(g.T, "bytes")...)
}

func (g *grower) bigint() any {
	n := new(big.Int).SetBytes(g.bytes(rapid.IntRange(0, 20).Draw(g.T, "size")))
	if rapid.Bool().Draw(g.T, "negative") {
		n.Neg(n)
	}
	return n
}

func (g *grower) view() any {
	sizes := map[string]int{"Int16Array": 2, "Float64Array": 8, "DataView": 1, "BigInt64Array": 8, "Uint8ClampedArray": 1}
	kind := rapid.SampledFrom([]string{"Int16Array", "Float64Array", "DataView", "BigInt64Array", "Uint8ClampedArray"}).Draw(g.T, "view")
	return g.remember(&value.TypedArray{Kind: kind, Bytes: g.bytes(sizes[kind] * rapid.IntRange(0, 3).Draw(g.T, "elements"))})
}

func (g *grower) shared() any {
	if len(g.made) == 0 {
		return "nothing to share yet"
	}
	return g.made[rapid.IntRange(0, len(g.made)-1).Draw(g.T, "shared")]
}

func (g *grower) array(depth int) any {
	a := make([]any, g.size(), 13)
	g.remember(a)
	for i := range a {
		if a[i] = g.value(depth - 1); rapid.IntRange(0, 9).Draw(g.T, "hole") == 0 {
			a[i] = value.Hole
		}
	}
	return a
}

func (g *grower) mapping(depth int) any {
	m := &value.Map{Entries: make([]value.Entry, g.size())}
	g.remember(m)
	for i := range m.Entries {
		m.Entries[i] = value.Entry{Key: float64(i), Value: g.value(depth - 1)}
	}
	return m
}

func (g *grower) set(depth int) any {
	s := &value.Set{Values: make([]any, g.size())}
	g.remember(s)
	for i := range s.Values {
		s.Values[i] = float64(i)
	}
	if n := len(s.Values); n > 0 {
		s.Values[n-1] = g.object(depth, "")
	}
	return s
}

func (g *grower) error(depth int) any {
	e := &value.Error{Name: "TypeError", Message: rapid.String().Draw(g.T, "message"), Stack: "TypeError: x\n    at main.js:1:1"}
	g.remember(e)
	e.Cause = g.value(depth - 1)
	if rapid.Bool().Draw(g.T, "aggregate") {
		e.Errors = []any{g.value(depth - 1)}
		g.remember(e.Errors)
	}
	if fields := g.object(depth, "own "); fields.Len() > 0 {
		e.Fields = fields
	}
	return e
}

// object draws the properties of an object, or of an error, which is none.
func (g *grower) object(depth int, prefix string) *value.Object {
	o := &value.Object{}
	if prefix == "" {
		g.remember(o)
	}
	for range g.size() {
		key := rapid.OneOf(rapid.StringN(0, 4, -1), rapid.SampledFrom([]string{"__proto__", "constructor", "$type", "\xed\xa0\x80", "toJSON"})).Draw(g.T, "key")
		if strings.ContainsAny(key[:min(1, len(key))], "0123456789") {
			key = "-" + key
		}
		o.Set(prefix+key, g.value(depth-1))
	}
	return o
}
