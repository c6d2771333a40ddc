package value

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unsafe"
)

// other writes Go types that are not of this package.
func (e *encoder) other(v any) *pathErr {
	switch m := v.(type) {
	case json.Marshaler:
		raw, err := m.MarshalJSON()
		if err != nil {
			return failf("%T.MarshalJSON: %v", v, err)
		}
		return e.rawJSON(raw)
	case encoding.TextMarshaler:
		text, err := m.MarshalText()
		if err != nil {
			return failf("%T.MarshalText: %v", v, err)
		}
		e.buf = appendString(e.buf, string(text))
		return nil
	case error:
		return e.error(&Error{Name: "Error", Message: m.Error()})
	}
	return e.reflected(reflect.ValueOf(v))
}

func (e *encoder) reflected(v reflect.Value) *pathErr {
	switch v.Kind() {
	case reflect.Bool:
		e.bool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.int(v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.uint(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.buf = appendNumber(e.buf, v.Float())
	case reflect.String:
		e.buf = appendString(e.buf, v.String())
	case reflect.Pointer:
		if elem := v.Elem(); elem.Kind() == reflect.Struct && !isRich(elem) {
			return e.structure(elem, v.UnsafePointer())
		}
		return e.value(v.Elem().Interface())
	case reflect.Struct:
		return e.structure(v, nil)
	case reflect.Map:
		return e.goMap(v)
	case reflect.Slice:
		return e.goSlice(v)
	case reflect.Array:
		e.object()
		return e.elements(v)
	default:
		return failf("a %s cannot cross", v.Type())
	}
	return nil
}

// isRich reports types that value writes in a form of their own although they
// are structs.
func isRich(v reflect.Value) bool {
	if !v.CanInterface() {
		return false
	}
	switch v.Interface().(type) {
	case UndefinedType, HoleType, InvalidDateType, RegExp, json.Marshaler, encoding.TextMarshaler, error:
		return true
	}
	return v.Type().PkgPath() == "math/big" || v.Type().PkgPath() == "time"
}

func (e *encoder) structure(v reflect.Value, at unsafe.Pointer) *pathErr {
	if at == nil || v.Type().Size() == 0 {
		e.object()
	} else if e.shared(at, 0, v.Type()) {
		return nil
	}
	type property struct {
		field
		value reflect.Value
	}
	var properties []property
	for _, f := range e.fieldsOf(v.Type()) {
		if fv, ok := f.get(v); ok && !f.omitted(fv) {
			properties = append(properties, property{f, fv})
		}
	}
	e.buf = appendMapHead(e.buf, len(properties))
	for _, p := range properties {
		e.buf = appendString(e.buf, p.name)
		x := p.value.Interface()
		if p.quoted {
			x = quoted(p.value)
		}
		if err := e.value(x); err != nil {
			return err.in(keySegment(p.name))
		}
	}
	return nil
}

func (e *encoder) fieldsOf(t reflect.Type) []field {
	fields, ok := e.structs[t]
	if !ok {
		if e.structs == nil {
			e.structs = make(map[reflect.Type][]field)
		}
		fields = fieldsOf(t)
		e.structs[t] = fields
	}
	return fields
}

// quoted applies the "string" option of a json tag.
func quoted(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64:
		return fmt.Sprint(v.Interface())
	}
	return v.Interface()
}

func (e *encoder) goMap(v reflect.Value) *pathErr {
	if v.IsNil() {
		e.buf = append(e.buf, 0xc0)
		return nil
	}
	if e.shared(v.UnsafePointer(), 0, v.Type()) {
		return nil
	}
	type pair struct {
		key   string
		value reflect.Value
	}
	pairs := make([]pair, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		key, err := mapKey(iter.Key())
		if err != nil {
			return err
		}
		pairs = append(pairs, pair{key, iter.Value()})
	}
	slices.SortFunc(pairs, func(a, b pair) int { return cmp.Compare(a.key, b.key) })
	e.buf = appendMapHead(e.buf, len(pairs))
	for i, p := range pairs {
		if i > 0 && p.key == pairs[i-1].key {
			return failf("two keys of a %s are %.40q", v.Type(), p.key)
		}
		e.buf = appendString(e.buf, p.key)
		if err := e.value(p.value.Interface()); err != nil {
			return err.in(keySegment(p.key))
		}
	}
	return nil
}

func mapKey(k reflect.Value) (string, *pathErr) {
	if k.Kind() == reflect.Interface {
		k = k.Elem()
	}
	switch k.Kind() {
	case reflect.String:
		return k.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(k.Int(), 10), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.FormatUint(k.Uint(), 10), nil
	}
	if k.IsValid() {
		if m, ok := k.Interface().(encoding.TextMarshaler); ok {
			text, err := m.MarshalText()
			if err != nil {
				return "", failf("map key: %v", err)
			}
			return string(text), nil
		}
		return "", failf("a %s cannot be a property key", k.Type())
	}
	return "", failf("nil cannot be a property key")
}

func (e *encoder) goSlice(v reflect.Value) *pathErr {
	switch {
	case v.IsNil():
		e.buf = append(e.buf, 0xc0)
		return nil
	case v.Type().Elem().Kind() == reflect.Uint8:
		return e.value(v.Bytes())
	case v.Cap() == 0 || v.Type().Elem().Size() == 0:
		e.object()
	case e.shared(v.UnsafePointer(), v.Len(), v.Type()):
		return nil
	}
	return e.elements(v)
}

func (e *encoder) elements(v reflect.Value) *pathErr {
	e.buf = appendArrayHead(e.buf, v.Len())
	for i := range v.Len() {
		elem := v.Index(i)
		if elem.Kind() == reflect.Struct && !isRich(elem) {
			if err := e.structure(elem, nil); err != nil {
				return err.in(indexSegment(i))
			}
			continue
		}
		if err := e.value(elem.Interface()); err != nil {
			return err.in(indexSegment(i))
		}
	}
	return nil
}
