package value

import (
	"reflect"
	"slices"
	"strings"
)

// field is one property of a struct, as encoding/json sees it.
type field struct {
	name      string
	index     []int // through embedded structs
	tagged    bool
	omitEmpty bool
	omitZero  bool
	quoted    bool // the "string" option
}

// fieldsOf lists the properties of t: of equal names the least nested one wins,
// then the tagged one, and two of equal rank hide each other.
func fieldsOf(t reflect.Type) []field {
	all := collectFields(t, nil, map[reflect.Type]bool{})
	byName := map[string][]field{}
	for _, f := range all {
		byName[f.name] = append(byName[f.name], f)
	}
	var out []field
	for _, f := range all {
		if winner, ok := dominant(byName[f.name]); ok && slices.Equal(winner.index, f.index) {
			out = append(out, f)
		}
	}
	return out
}

func collectFields(t reflect.Type, prefix []int, open map[reflect.Type]bool) []field {
	if open[t] {
		return nil // an embedded pointer to its own type
	}
	open[t] = true
	defer delete(open, t)

	var out []field
	for i := range t.NumField() {
		sf := t.Field(i)
		tag := sf.Tag.Get("json")
		if tag == "-" || !sf.IsExported() && !sf.Anonymous {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		index := append(slices.Clone(prefix), i)
		inner := sf.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if sf.Anonymous && name == "" && inner.Kind() == reflect.Struct {
			out = append(out, collectFields(inner, index, open)...)
			continue
		}
		if !sf.IsExported() {
			continue
		}
		f := field{name: name, index: index, tagged: name != ""}
		if name == "" {
			f.name = sf.Name
		}
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				f.omitEmpty = true
			case "omitzero":
				f.omitZero = true
			case "string":
				f.quoted = true
			}
		}
		out = append(out, f)
	}
	return out
}

func dominant(fields []field) (field, bool) {
	best, unique := fields[0], true
	for _, f := range fields[1:] {
		switch {
		case len(f.index) > len(best.index) || len(f.index) == len(best.index) && best.tagged && !f.tagged:
		case len(f.index) < len(best.index) || f.tagged && !best.tagged:
			best, unique = f, true
		default:
			unique = false
		}
	}
	return best, unique
}

// get returns the field of v, or false when an embedded pointer is nil.
func (f field) get(v reflect.Value) (reflect.Value, bool) {
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}

// make returns the field of v for writing and fills nil embedded pointers. It
// cannot fill those of an unexported type.
func (f field) make(v reflect.Value) (reflect.Value, bool) {
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return v, false
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, true
}

func (f field) omitted(v reflect.Value) bool {
	if f.omitZero {
		if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
			return v.Kind() == reflect.Pointer && v.IsNil() || z.IsZero()
		}
		if v.IsZero() {
			return true
		}
	}
	if !f.omitEmpty {
		return false
	}
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}
