package valuetest

import (
	"math"
	"math/big"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"realm.internal/supervisor/pkg/value"
)

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
	va, vb := reflect.ValueOf(a), reflect.ValueOf(b)
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	if va.Kind() == reflect.Pointer {
		if va.IsNil() || vb.IsNil() {
			return va.IsNil() && vb.IsNil()
		}
		if c.again(va.UnsafePointer(), vb.UnsafePointer()) {
			return true
		}
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
	case *value.Set:
		return c.list(a.Values, b.(*value.Set).Values)
	case *value.Map:
		return slices.EqualFunc(a.Entries, b.(*value.Map).Entries, func(x, y value.Entry) bool {
			return c.same(x.Key, y.Key) && c.same(x.Value, y.Value)
		})
	case *value.SparseArray:
		b := b.(*value.SparseArray)
		return a.Length == b.Length && slices.EqualFunc(a.Elements, b.Elements, func(x, y value.Element) bool {
			return x.Index == y.Index && c.same(x.Value, y.Value)
		})
	case *value.Object:
		return c.object(a, b.(*value.Object))
	case *value.Error:
		b := b.(*value.Error)
		return a.Name == b.Name && a.Message == b.Message && a.Stack == b.Stack && c.same(a.Cause, b.Cause) &&
			(a.Errors == nil) == (b.Errors == nil) && c.list(a.Errors, b.Errors) && c.same(a.Fields, b.Fields)
	}
	return reflect.DeepEqual(a, b)
}

func (c comparer) list(a, b []any) bool {
	if len(a) > 0 && len(b) > 0 && c.again(unsafe.Pointer(unsafe.SliceData(a)), unsafe.Pointer(unsafe.SliceData(b))) {
		return true
	}
	return slices.EqualFunc(a, b, c.same)
}

func (c comparer) object(a, b *value.Object) bool {
	if !slices.Equal(a.Keys(), b.Keys()) {
		return false
	}
	for k, v := range a.All() {
		if !c.same(v, b.Get(k)) {
			return false
		}
	}
	return true
}
