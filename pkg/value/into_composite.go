package value

import (
	"encoding/binary"
	"math"
	"reflect"
	"strconv"
	"strings"
)

func (a *assigner) object(o *Object, dst reflect.Value) *pathErr {
	switch dst.Kind() {
	case reflect.Map:
		return a.objectMap(o, dst)
	case reflect.Struct:
	default:
		return mismatch(o, dst)
	}
	fields := a.structs.fieldsOf(dst.Type())
	for _, m := range o.members {
		f, ok := match(fields, m.Key)
		if !ok {
			continue
		}
		target, ok := f.make(dst)
		if !ok {
			return failf("an embedded pointer of %s is nil and unexported", dst.Type()).in(keySegment(m.Key))
		}
		if err := a.field(f, m.Value, target); err != nil {
			return err.in(keySegment(m.Key))
		}
	}
	return nil
}

func (a *assigner) field(f field, v any, dst reflect.Value) *pathErr {
	if s, ok := v.(string); ok && f.quoted && dst.Kind() != reflect.String {
		unquoted, err := FromJSON([]byte(s))
		if err != nil {
			return failure(err)
		}
		v = unquoted
	}
	return a.assign(v, dst)
}

// match finds the exact name, else one that differs only in case.
func match(fields []field, key string) (field, bool) {
	for _, f := range fields {
		if f.name == key {
			return f, true
		}
	}
	for _, f := range fields {
		if strings.EqualFold(f.name, key) {
			return f, true
		}
	}
	return field{}, false
}

func (a *assigner) objectMap(o *Object, dst reflect.Value) *pathErr {
	t := dst.Type()
	m := a.newMap(o, dst, o.Len())
	for _, member := range o.members {
		key := reflect.New(t.Key()).Elem()
		if err := a.mapKey(member.Key, key); err != nil {
			return err
		}
		v := reflect.New(t.Elem()).Elem()
		if err := a.assign(member.Value, v); err != nil {
			return err.in(keySegment(member.Key))
		}
		m.SetMapIndex(key, v)
	}
	return nil
}

// newMap stores a new map in dst before its entries, for cycles.
func (a *assigner) newMap(v any, dst reflect.Value, n int) reflect.Value {
	m := reflect.MakeMapWithSize(dst.Type(), n)
	dst.Set(m)
	a.early(v, dst)
	return m
}

// early makes dst known as the result for v while v is still being read.
func (a *assigner) early(v any, dst reflect.Value) {
	if id, ok := identityOf(v); ok {
		a.done[assignment{id, dst.Type()}] = dst
	}
}

func (a *assigner) mapKey(key string, dst reflect.Value) *pathErr {
	switch dst.Kind() {
	case reflect.String:
		dst.SetString(strings.Clone(key))
		return nil
	case reflect.Interface:
		if dst.NumMethod() == 0 {
			dst.Set(reflect.ValueOf(key))
			return nil
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n, err := strconv.ParseInt(key, 10, 64); err == nil && !dst.OverflowInt(n) {
			dst.SetInt(n)
			return nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n, err := strconv.ParseUint(key, 10, 64); err == nil && !dst.OverflowUint(n) {
			dst.SetUint(n)
			return nil
		}
	}
	if done, err := a.byInterface(key, dst); done {
		return err
	}
	return failf("the key %.40q does not fit a %s", key, dst.Type())
}

func (a *assigner) mapEntries(m *Map, dst reflect.Value) *pathErr {
	if dst.Kind() != reflect.Map {
		return mismatch(m, dst)
	}
	t := dst.Type()
	out := a.newMap(m, dst, len(m.Entries))
	for i, entry := range m.Entries {
		key := reflect.New(t.Key()).Elem()
		if err := a.assign(entry.Key, key); err != nil {
			return err.in(".keys()" + indexSegment(i))
		}
		if !key.Comparable() {
			return failf("a JavaScript %s cannot be the key of a Go map", kindName(entry.Key)).in(".keys()" + indexSegment(i))
		}
		v := reflect.New(t.Elem()).Elem()
		if err := a.assign(entry.Value, v); err != nil {
			return err.in(entrySegment(entry.Key, i))
		}
		out.SetMapIndex(key, v)
	}
	return nil
}

// list stores the values of v, an array or a Set.
func (a *assigner) list(v any, values []any, dst reflect.Value) *pathErr {
	switch dst.Kind() {
	case reflect.Slice:
		s := reflect.MakeSlice(dst.Type(), len(values), max(len(values), 1))
		dst.Set(s)
		a.early(v, dst)
	case reflect.Array:
		dst.SetZero()
	default:
		return mismatch(v, dst)
	}
	for i, v := range values[:min(len(values), dst.Len())] {
		if err := a.assign(v, dst.Index(i)); err != nil {
			return err.in(indexSegment(i))
		}
	}
	return nil
}

// maxHoles is how many holes of sparse arrays Assign makes room for.
const maxHoles = 1 << 20

// sparse fills the holes, unless they would cost far more than the value did.
func (a *assigner) sparse(s *SparseArray, dst reflect.Value) *pathErr {
	if dst.Kind() == reflect.Map {
		o := &Object{}
		for _, el := range s.Elements {
			o.push(strconv.Itoa(int(el.Index)), el.Value)
		}
		return a.objectMap(o, dst)
	}
	// Few bytes can hold many such arrays: all their holes together are bounded too.
	a.holes += uint64(s.Length) - uint64(len(s.Elements))
	if uint64(s.Length) > 1024+64*uint64(len(s.Elements)) || a.holes > maxHoles {
		return failf("an array of length %d with %d elements is too sparse for a %s", s.Length, len(s.Elements), dst.Type())
	}
	values := make([]any, s.Length)
	for _, el := range s.Elements {
		values[el.Index] = el.Value
	}
	return a.list(s, values, dst)
}

func (a *assigner) bytes(v any, data []byte, dst reflect.Value) *pathErr {
	if dst.Kind() != reflect.Slice || dst.Type().Elem().Kind() != reflect.Uint8 {
		return mismatch(v, dst)
	}
	dst.SetBytes(data)
	return nil
}

// typedArray fills bytes, or a slice of the element type.
func (a *assigner) typedArray(t *TypedArray, dst reflect.Value) *pathErr {
	if dst.Kind() == reflect.Slice && dst.Type().Elem().Kind() == t.elementKind() {
		size := elementSize(t.Kind)
		s := reflect.MakeSlice(dst.Type(), len(t.Bytes)/size, len(t.Bytes)/size)
		for i := range s.Len() {
			setElement(s.Index(i), t.Bytes[i*size:], size)
		}
		dst.Set(s)
		return nil
	}
	return a.bytes(t, t.Bytes, dst)
}

func (t *TypedArray) elementKind() reflect.Kind {
	switch t.Kind {
	case "Int8Array":
		return reflect.Int8
	case "Int16Array":
		return reflect.Int16
	case "Uint16Array":
		return reflect.Uint16
	case "Int32Array":
		return reflect.Int32
	case "Uint32Array":
		return reflect.Uint32
	case "Float32Array":
		return reflect.Float32
	case "Float64Array":
		return reflect.Float64
	case "BigInt64Array":
		return reflect.Int64
	case "BigUint64Array":
		return reflect.Uint64
	}
	return reflect.Invalid
}

func setElement(dst reflect.Value, b []byte, size int) {
	var u uint64
	switch size {
	case 1:
		u = uint64(b[0])
	case 2:
		u = uint64(binary.LittleEndian.Uint16(b))
	case 4:
		u = uint64(binary.LittleEndian.Uint32(b))
	case 8:
		u = binary.LittleEndian.Uint64(b)
	}
	switch {
	case dst.Kind() == reflect.Float32:
		dst.SetFloat(float64(math.Float32frombits(uint32(u))))
	case dst.Kind() == reflect.Float64:
		dst.SetFloat(math.Float64frombits(u))
	case dst.CanInt():
		shift := 64 - 8*size
		dst.SetInt(int64(u<<shift) >> shift)
	default:
		dst.SetUint(u)
	}
}
