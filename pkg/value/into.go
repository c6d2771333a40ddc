package value

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"time"
	"unsafe"
)

// DecodeInto decodes b with the default limits and assigns it to *dst.
func DecodeInto(b []byte, dst any) error {
	v, err := Decode(b, Limits{})
	if err != nil {
		return err
	}
	return Assign(v, dst)
}

// Assign stores a decoded value in *dst as encoding/json would store its text:
// objects go to structs by their json tags or to maps, arrays to slices and
// arrays, null and undefined leave a zero. Where dst is an interface, objects
// become map[string]any. The rich types are kept where dst asks for them:
// *Object, *Map (or a Go map), *Set (or a slice), time.Time, *big.Int, []byte,
// *Error or error, and so on. A repeated object becomes one pointer, map or
// slice. What does not fit is a *PathError; dst may then be filled in part.
func Assign(v any, dst any) error {
	target := reflect.ValueOf(dst)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("value: the destination is a %T, not a pointer", dst)
	}
	a := assigner{}
	if err := a.assign(v, target.Elem()); err != nil {
		return err.rooted("value")
	}
	return nil
}

type assigner struct {
	depth   int
	holes   uint64 // of sparse arrays so far
	done    map[assignment]reflect.Value
	structs encoder // its cache of struct fields
}

// assignment is one object stored in one Go type. Remembering them keeps shared
// references shared, and a small hostile value from growing without bound.
type assignment struct {
	from identity
	to   reflect.Type
}

var plainAny = reflect.TypeFor[any]()

func (a *assigner) assign(v any, dst reflect.Value) *pathErr {
	if a.depth == defaultDepth {
		return failf("nested deeper than %d", defaultDepth)
	}
	a.depth++
	defer func() { a.depth-- }()

	if dst.Type() == plainAny {
		return a.plain(v, dst)
	}
	if v == nil || v == Undefined || v == Hole {
		switch dst.Kind() {
		case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
			dst.SetZero()
		}
		return nil
	}
	if from := reflect.ValueOf(v); keeps(from.Type(), dst.Type()) {
		dst.Set(from)
		return nil
	}
	id, isObject := identityOf(v)
	if !isObject {
		return a.convert(v, dst)
	}
	key := assignment{id, dst.Type()}
	if prior, ok := a.done[key]; ok {
		if !prior.IsValid() {
			return failf("a cycle does not fit a %s", dst.Type())
		}
		dst.Set(prior)
		return nil
	}
	if a.done == nil {
		a.done = make(map[assignment]reflect.Value)
	}
	a.done[key] = reflect.Value{}
	if err := a.convert(v, dst); err != nil {
		return err
	}
	a.done[key] = dst
	return nil
}

// keeps reports types that take a decoded value as it is. Strings and []any are
// built anew although they would fit.
func keeps(from, to reflect.Type) bool {
	if to.Kind() == reflect.Interface {
		return from.Implements(to)
	}
	return from == to && from.Kind() != reflect.String && from != reflect.TypeFor[[]any]()
}

// identityOf names the object that v is; primitives and dates are none.
func identityOf(v any) (identity, bool) {
	switch v := v.(type) {
	case []any:
		return identity{unsafe.Pointer(unsafe.SliceData(v)), len(v), nil}, cap(v) > 0
	case []byte:
		return identity{unsafe.Pointer(unsafe.SliceData(v)), len(v), nil}, cap(v) > 0
	case *Object, *Map, *Set, *Error, *SparseArray, *ArrayBuffer, *TypedArray:
		return identity{at: reflect.ValueOf(v).UnsafePointer()}, true
	}
	return identity{}, false
}

// plain fills an interface: objects and arrays as encoding/json has them.
func (a *assigner) plain(v any, dst reflect.Value) *pathErr {
	switch v.(type) {
	case *Object:
		m := reflect.New(reflect.TypeFor[map[string]any]()).Elem()
		if err := a.assign(v, m); err != nil {
			return err
		}
		dst.Set(m)
	case []any, *SparseArray:
		s := reflect.New(reflect.TypeFor[[]any]()).Elem()
		if err := a.assign(v, s); err != nil {
			return err
		}
		dst.Set(s)
	case nil, UndefinedType, HoleType:
		dst.SetZero()
	default:
		dst.Set(reflect.ValueOf(v))
	}
	return nil
}

func (a *assigner) convert(v any, dst reflect.Value) *pathErr {
	if dst.Kind() == reflect.Pointer && dst.Type() != reflect.TypeFor[*big.Int]() {
		if dst.IsNil() {
			dst.Set(reflect.New(dst.Type().Elem()))
		}
		if id, ok := identityOf(v); ok { // a cycle may come back to this pointer
			a.done[assignment{id, dst.Type()}] = dst
		}
		return a.assign(v, dst.Elem())
	}
	if done, err := a.byInterface(v, dst); done {
		return err
	}
	switch v := v.(type) {
	case bool:
		if dst.Kind() == reflect.Bool {
			dst.SetBool(v)
			return nil
		}
	case float64:
		return a.number(v, dst)
	case *big.Int:
		return a.bigint(v, dst)
	case string:
		return a.string(v, dst)
	case String16:
		if dst.Kind() == reflect.String {
			return failf("the string has lone surrogates; decode it into a value.String16")
		}
	case *Object:
		return a.object(v, dst)
	case []any:
		return a.list(v, v, dst)
	case *SparseArray:
		return a.sparse(v, dst)
	case *Map:
		return a.mapEntries(v, dst)
	case *Set:
		return a.list(v, v.Values, dst)
	case []byte:
		return a.bytes(v, v, dst)
	case *ArrayBuffer:
		return a.bytes(v, v.Bytes, dst)
	case *TypedArray:
		return a.typedArray(v, dst)
	}
	return mismatch(v, dst)
}

// byInterface lets types decode themselves as they do from JSON.
func (a *assigner) byInterface(v any, dst reflect.Value) (bool, *pathErr) {
	if !dst.CanAddr() || !dst.Addr().CanInterface() {
		return false, nil
	}
	switch into := dst.Addr().Interface().(type) {
	case *Object, *Map, *Set, *Error, *RegExp, *ArrayBuffer, *TypedArray, *SparseArray:
		from := reflect.ValueOf(v)
		if from.Type() != reflect.TypeOf(into) {
			return true, mismatch(v, dst)
		}
		dst.Set(from.Elem())
		return true, nil
	case *time.Time:
		return true, a.time(v, into)
	case *big.Int:
		return true, a.bigInto(v, into)
	case json.Unmarshaler:
		raw, err := MarshalJSON(v)
		if err == nil {
			err = into.UnmarshalJSON(raw)
		}
		return true, failure(err)
	case encoding.TextUnmarshaler:
		if s, ok := v.(string); ok {
			return true, failure(into.UnmarshalText([]byte(s)))
		}
	}
	return false, nil
}

func failure(err error) *pathErr {
	if err == nil {
		return nil
	}
	return &pathErr{message: err.Error()}
}

func (a *assigner) time(v any, into *time.Time) *pathErr {
	switch v := v.(type) {
	case time.Time:
		*into = v
		return nil
	case string:
		return failure(into.UnmarshalText([]byte(v)))
	}
	return mismatch(v, reflect.ValueOf(into).Elem())
}

func (a *assigner) bigInto(v any, into *big.Int) *pathErr {
	switch v := v.(type) {
	case *big.Int:
		into.Set(v)
		return nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) <= maxSafe {
			into.SetInt64(int64(v))
			return nil
		}
	}
	return mismatch(v, reflect.ValueOf(into).Elem())
}

func (a *assigner) number(f float64, dst reflect.Value) *pathErr {
	switch dst.Kind() {
	case reflect.Float32, reflect.Float64:
		dst.SetFloat(f)
		return nil
	case reflect.String:
		if dst.Type() == reflect.TypeFor[json.Number]() && !math.IsInf(f, 0) && f == f {
			dst.SetString(string(appendJSNumber(nil, f)))
			return nil
		}
		return mismatch(f, dst)
	}
	if f != math.Trunc(f) || math.Abs(f) > maxSafe {
		return failf("the number %v does not fit a %s", f, dst.Type())
	}
	return a.integer(big.NewInt(int64(f)), dst, f)
}

func (a *assigner) bigint(n *big.Int, dst reflect.Value) *pathErr {
	if dst.Type() == reflect.TypeFor[*big.Int]() {
		dst.Set(reflect.ValueOf(n))
		return nil
	}
	return a.integer(n, dst, n)
}

func (a *assigner) integer(n *big.Int, dst reflect.Value, v any) *pathErr {
	switch dst.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n.IsInt64() && !dst.OverflowInt(n.Int64()) {
			dst.SetInt(n.Int64())
			return nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if n.IsUint64() && !dst.OverflowUint(n.Uint64()) {
			dst.SetUint(n.Uint64())
			return nil
		}
	case reflect.Pointer:
		dst.Set(reflect.ValueOf(n))
		return nil
	default:
		return mismatch(v, dst)
	}
	return failf("the number does not fit a %s", dst.Type())
}

func (a *assigner) string(s string, dst reflect.Value) *pathErr {
	if dst.Kind() == reflect.String {
		dst.SetString(strings.Clone(s)) // a small field must not keep a large block
		return nil
	}
	if dst.Type() == reflect.TypeFor[String16]() {
		dst.Set(reflect.ValueOf(String16(unitsOf(s))))
		return nil
	}
	return mismatch(s, dst)
}

func mismatch(v any, dst reflect.Value) *pathErr {
	return failf("a JavaScript %s does not fit a %s", kindName(v), dst.Type())
}

func kindName(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string, String16:
		return "string"
	case *big.Int:
		return "bigint"
	case time.Time, InvalidDateType:
		return "Date"
	case []byte:
		return "Uint8Array"
	case []any, *SparseArray:
		return "array"
	case *Object:
		return "object"
	case *TypedArray:
		return v.Kind
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", v), "*value.")
}
