package value

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"time"
	"unsafe"
)

// Encode returns the wire form of v. A channel, a function, a complex number
// or nesting beyond 10 000 is a *PathError. Cycles through pointers, maps and
// slices are legal.
func Encode(v any) ([]byte, error) {
	e := encoder{}
	if err := e.value(v); err != nil {
		return nil, err.rooted("value")
	}
	return e.buf, nil
}

type encoder struct {
	buf     []byte
	objects uint32 // indexes given so far
	seen    map[identity]uint32
	depth   int
	structs map[reflect.Type][]field
}

// identity is what makes two Go values the same JavaScript object. The type
// separates a struct from its first field, the length a slice from its prefix.
type identity struct {
	at  unsafe.Pointer
	len int
	typ reflect.Type
}

// object starts an object without identity.
func (e *encoder) object() { e.objects++ }

// shared starts an object, or writes a reference when it has been seen.
func (e *encoder) shared(at unsafe.Pointer, n int, typ reflect.Type) (done bool) {
	id := identity{at, n, typ}
	if i, ok := e.seen[id]; ok {
		e.buf = binary.BigEndian.AppendUint32(append(e.buf, 0xd6, extRef), i)
		return true
	}
	if e.seen == nil {
		e.seen = make(map[identity]uint32)
	}
	e.seen[id] = e.objects
	e.objects++
	return false
}

func sharedPointer[T any](e *encoder, p *T) (done bool) {
	return e.shared(unsafe.Pointer(p), 0, reflect.TypeFor[T]())
}

// sharedSlice treats slices without room for an element as distinct: they may
// all point to the same place.
func sharedSlice[T any](e *encoder, s []T) (done bool) {
	if cap(s) == 0 {
		e.object()
		return false
	}
	return e.shared(unsafe.Pointer(unsafe.SliceData(s)), len(s), reflect.TypeFor[[]T]())
}

func (e *encoder) value(v any) *pathErr {
	if e.depth == defaultDepth {
		return failf("nested deeper than %d", defaultDepth)
	}
	e.depth++
	defer func() { e.depth-- }()

	switch v := v.(type) {
	case nil:
		e.buf = append(e.buf, 0xc0)
	case bool:
		e.bool(v)
	case string:
		e.buf = appendString(e.buf, v)
	case String16:
		e.buf = appendString16(e.buf, v)
	case float64:
		e.buf = appendNumber(e.buf, v)
	case int:
		e.int(int64(v))
	case int64:
		e.int(v)
	case *Object:
		return e.members(v)
	case []any:
		return e.array(v)
	case UndefinedType:
		e.buf = append(e.buf, 0xc7, 0, extUndefined)
	case HoleType:
		return failf("a hole outside an array")
	case InvalidDateType:
		e.date(math.NaN())
	case time.Time:
		return e.time(v)
	case big.Int:
		e.bigint(&v)
	case []byte:
		if v == nil {
			e.buf = append(e.buf, 0xc0)
		} else if !sharedSlice(e, v) {
			e.buf = appendBin(e.buf, v)
		}
	case json.Number:
		return e.jsonNumber(v)
	case json.RawMessage:
		return e.rawJSON(v)
	case RegExp:
		e.object()
		e.regexp(&v)
	default:
		return e.pointer(v)
	}
	return nil
}

// pointer writes the types that are used by pointer, nil ones as null.
func (e *encoder) pointer(v any) *pathErr {
	if nilPointer(v) {
		e.buf = append(e.buf, 0xc0)
		return nil
	}
	switch v := v.(type) {
	case *big.Int:
		e.bigint(v)
	case *time.Time:
		return e.time(*v)
	case *RegExp:
		if !sharedPointer(e, v) {
			e.regexp(v)
		}
	case *Map:
		return e.mapEntries(v)
	case *Set:
		return e.setValues(v)
	case *ArrayBuffer:
		if !sharedPointer(e, v) {
			e.buf = appendBin(appendTag(e.buf, tagArrayBuffer, 1), v.Bytes)
		}
	case *TypedArray:
		return e.typedArray(v)
	case *SparseArray:
		return e.sparse(v)
	case *Error:
		return e.error(v)
	default:
		return e.other(v)
	}
	return nil
}

func (e *encoder) bool(v bool) {
	if v {
		e.buf = append(e.buf, 0xc3)
	} else {
		e.buf = append(e.buf, 0xc2)
	}
}

func (e *encoder) int(n int64) {
	if n > maxSafe || n < -maxSafe {
		e.bigint(big.NewInt(n))
		return
	}
	e.buf = appendInt(e.buf, n)
}

func (e *encoder) uint(n uint64) {
	if n > maxSafe {
		e.bigint(new(big.Int).SetUint64(n))
		return
	}
	e.buf = appendInt(e.buf, int64(n))
}

func (e *encoder) bigint(n *big.Int) {
	magnitude := n.Bytes()
	e.buf = appendExtHead(e.buf, extBigInt, 1+len(magnitude))
	e.buf = append(e.buf, byte(uint(n.Sign())>>(strconv.IntSize-1)))
	e.buf = append(e.buf, magnitude...)
}

func (e *encoder) time(t time.Time) *pathErr {
	const maxSeconds = maxDateMs / 1000
	if s := t.Unix(); s < -maxSeconds || s > maxSeconds || float64(t.UnixMilli()) > maxDateMs {
		return failf("the time %d s is out of a Date's range", s)
	}
	e.date(float64(t.UnixMilli()))
	return nil
}

func (e *encoder) date(ms float64) {
	e.object()
	e.buf = binary.BigEndian.AppendUint64(append(e.buf, 0xd7, extDate), math.Float64bits(ms))
}

func (e *encoder) jsonNumber(n json.Number) *pathErr {
	f, err := strconv.ParseFloat(string(n), 64)
	if err != nil && !math.IsInf(f, 0) { // beyond the range is Infinity, as for JSON.parse
		return failf("the json.Number %.40q is not a number", string(n))
	}
	e.buf = appendNumber(e.buf, f)
	return nil
}

func (e *encoder) rawJSON(raw []byte) *pathErr {
	if raw == nil {
		e.buf = append(e.buf, 0xc0)
		return nil
	}
	v, err := FromJSON(raw)
	if err != nil {
		return &pathErr{message: err.Error()}
	}
	return e.value(v)
}

func (e *encoder) regexp(r *RegExp) {
	e.buf = appendTag(e.buf, tagRegExp, 2)
	e.text(r.Source)
	e.text(r.Flags)
}

// text writes a part that is always a well-formed str.
func (e *encoder) text(s string) {
	e.buf = appendStr(e.buf, toValid(s))
}

func (e *encoder) typedArray(t *TypedArray) *pathErr {
	size := elementSize(t.Kind)
	if size == 0 || len(t.Bytes)%size != 0 {
		return failf("a %.40q of %d bytes does not exist", t.Kind, len(t.Bytes))
	}
	if !sharedPointer(e, t) {
		e.text1(tagTypedArray, t.Kind)
		e.buf = appendBin(e.buf, t.Bytes)
	}
	return nil
}

func (e *encoder) text1(tag byte, s string) {
	e.buf = appendTag(e.buf, tag, 2)
	e.text(s)
}

// nilPointer reports a nil pointer of any type.
func nilPointer(v any) bool {
	rv := reflect.ValueOf(v)
	return rv.Kind() == reflect.Pointer && rv.IsNil()
}

// pathErr collects the path from the inside out while the recursion returns.
type pathErr struct {
	path    string
	message string
}

func failf(format string, args ...any) *pathErr {
	return &pathErr{message: fmt.Sprintf(format, args...)}
}

func (p *pathErr) in(segment string) *pathErr {
	if len(p.path) < 4096 {
		p.path = segment + p.path
	}
	return p
}

func (p *pathErr) rooted(root string) *PathError {
	return &PathError{Path: root + p.path, Message: p.message}
}
