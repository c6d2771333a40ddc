package value

import (
	"math"
	"math/big"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"pgregory.net/rapid"
)

// Tree draws values as Decode gives them, with shared references.
func Tree(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		g := &grower{t: t}
		return g.value(depth, false)
	})
}

type grower struct {
	t    *rapid.T
	made []any
}

func (g *grower) remember(v any) any {
	g.made = append(g.made, v)
	return v
}

func (g *grower) value(depth int, inArray bool) any {
	top := 19
	if depth == 0 {
		top = 11
	}
	switch kind := rapid.IntRange(0, top).Draw(g.t, "kind"); kind {
	case 0:
		return nil
	case 1:
		return Undefined
	case 2:
		return rapid.Bool().Draw(g.t, "bool")
	case 3:
		return float64(rapid.Int64Range(-maxSafe, maxSafe).Draw(g.t, "int"))
	case 4:
		return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1 << 53, 5e-324})).Draw(g.t, "float")
	case 5:
		return rapid.String().Draw(g.t, "string")
	case 6:
		return String16{uint16(rapid.IntRange(0xd800, 0xdfff).Draw(g.t, "lone")), 'x'}
	case 7:
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(g.t, "bigint"))
		if rapid.Bool().Draw(g.t, "negative") {
			n.Neg(n)
		}
		return n
	case 8:
		return time.UnixMilli(rapid.Int64Range(-maxDateMs, maxDateMs).Draw(g.t, "ms")).UTC()
	case 9:
		return InvalidDate
	case 10:
		return g.remember(append(make([]byte, 0, 1), rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(g.t, "bytes")...))
	case 11:
		if len(g.made) > 0 {
			return g.made[rapid.IntRange(0, len(g.made)-1).Draw(g.t, "shared")]
		}
		return "first"
	case 12:
		return g.remember(&RegExp{"a+", "gi"})
	case 13:
		return g.remember(&ArrayBuffer{Bytes: append(make([]byte, 0, 1), rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(g.t, "bytes")...)})
	case 14:
		kind := rapid.SampledFrom([]string{"Int16Array", "Float64Array", "DataView", "BigInt64Array", "Uint8ClampedArray"}).Draw(g.t, "view")
		n := rapid.IntRange(0, 3).Draw(g.t, "elements") * elementSize(kind)
		return g.remember(&TypedArray{Kind: kind, Bytes: append(make([]byte, 0, 1), rapid.SliceOfN(rapid.Byte(), n, n).Draw(g.t, "bytes")...)})
	default:
		return g.container(kind, depth)
	}
}

func (g *grower) container(kind, depth int) any {
	n := rapid.IntRange(0, 12).Draw(g.t, "n")
	switch kind {
	case 15:
		a := make([]any, n, n+1)
		g.remember(a)
		for i := range a {
			if a[i] = g.value(depth-1, true); rapid.IntRange(0, 9).Draw(g.t, "hole") == 0 {
				a[i] = Hole
			}
		}
		return a
	case 16:
		m := &Map{Entries: make([]Entry, n)}
		g.remember(m)
		for i := range m.Entries {
			m.Entries[i] = Entry{float64(i), g.value(depth-1, false)}
		}
		return m
	case 17:
		s := &Set{Values: make([]any, n)}
		g.remember(s)
		for i := range s.Values {
			s.Values[i] = float64(i)
		}
		if n > 0 {
			s.Values[n-1] = g.value(depth-1, false)
		}
		return s
	case 18:
		e := &Error{Name: "TypeError", Message: rapid.String().Draw(g.t, "message"), Stack: "TypeError: x\n    at main.js:1:1"}
		g.remember(e)
		if e.Cause = g.value(depth-1, false); rapid.Bool().Draw(g.t, "aggregate") {
			e.Errors = append(make([]any, 0, 1), g.value(depth-1, true))
			g.remember(e.Errors)
		}
		if o := g.object(n, depth); o.Len() > 0 {
			e.Fields = o
		}
		return e
	}
	return g.object(n, depth)
}

func (g *grower) object(n, depth int) *Object {
	o := &Object{members: make([]Member, 0, n)}
	for range n {
		key := rapid.OneOf(rapid.StringN(0, 4, -1), rapid.SampledFrom([]string{"__proto__", "constructor", "$type", "\xed\xa0\x80", "10", "2"})).Draw(g.t, "key")
		o.Set(key, g.value(depth-1, false))
	}
	return o
}

// Same compares trees, cycles too. NaN is NaN, and -0 is not 0.
func Same(a, b any) bool { return comparer{}.same(a, b) }

type comparer map[[2]unsafe.Pointer]bool

// again reports a pair that is being compared or was.
func (c comparer) again(a, b unsafe.Pointer) bool {
	key := [2]unsafe.Pointer{a, b}
	if a != nil && c[key] {
		return true
	}
	c[key] = true
	return false
}

func (c comparer) same(a, b any) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	if nilPointer(a) || nilPointer(b) {
		return nilPointer(a) && nilPointer(b)
	}
	if p := reflect.ValueOf(a); p.Kind() == reflect.Pointer && c.again(p.UnsafePointer(), reflect.ValueOf(b).UnsafePointer()) {
		return true
	}
	switch a := a.(type) {
	case float64:
		b := b.(float64)
		return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
	case *big.Int:
		return a.Cmp(b.(*big.Int)) == 0
	case time.Time:
		return a.Equal(b.(time.Time))
	case []any:
		return c.list(a, b.([]any))
	case *Set:
		return c.list(a.Values, b.(*Set).Values)
	case *Map:
		b := b.(*Map)
		return slices.EqualFunc(a.Entries, b.Entries, func(x, y Entry) bool { return c.same(x.Key, y.Key) && c.same(x.Value, y.Value) })
	case *SparseArray:
		b := b.(*SparseArray)
		return a.Length == b.Length && slices.EqualFunc(a.Elements, b.Elements, func(x, y Element) bool { return x.Index == y.Index && c.same(x.Value, y.Value) })
	case *Object:
		return slices.EqualFunc(a.members, b.(*Object).members, func(x, y Member) bool { return x.Key == y.Key && c.same(x.Value, y.Value) })
	case *Error:
		b := b.(*Error)
		return a.Name == b.Name && a.Message == b.Message && a.Stack == b.Stack && c.same(a.Cause, b.Cause) &&
			(a.Errors == nil) == (b.Errors == nil) && c.list(a.Errors, b.Errors) && c.same(a.Fields, b.Fields)
	}
	return reflect.DeepEqual(a, b)
}

func (c comparer) list(a, b []any) bool {
	if cap(a) > 0 && cap(b) > 0 && len(a) > 0 && c.again(unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))) {
		return true
	}
	return slices.EqualFunc(a, b, c.same)
}
