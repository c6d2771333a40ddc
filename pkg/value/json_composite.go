package value

import (
	"strconv"
	"unsafe"
)

func (w *jsonWriter) array(a []any, at *place) error {
	if a == nil {
		w.raw("null")
		return nil
	}
	id := identity{unsafe.Pointer(unsafe.SliceData(a)), len(a), nil}
	if cap(a) > 0 && w.repeatedID(id, at) {
		return w.limit()
	}
	return w.list(a, at)
}

func (w *jsonWriter) list(a []any, at *place) error {
	w.raw("[")
	for i, v := range a {
		if i > 0 {
			w.raw(",")
		}
		var inner *place
		if !leaf(v) {
			inner = at.at(i)
		}
		if err := w.value(v, inner); err != nil {
			return err
		}
	}
	w.raw("]")
	return nil
}

// leaf reports values that nothing can refer to, so that they need no place.
func leaf(v any) bool {
	switch v.(type) {
	case nil, bool, float64, string:
		return true
	}
	return false
}

func (w *jsonWriter) object(o *Object, at *place) error {
	if o == nil {
		w.raw("null")
		return nil
	}
	if w.repeated(unsafe.Pointer(o), at) {
		return w.limit()
	}
	if o.find("$type") < 0 {
		w.raw("{")
		if err := w.members(o, at, true, nil); err != nil {
			return err
		}
		w.raw("}")
		return nil
	}
	w.open("object")
	w.raw("{")
	if err := w.members(o, typed(at), true, nil); err != nil {
		return err
	}
	w.raw("}}")
	return nil
}

// members writes the properties of o but for those that skip holds.
func (w *jsonWriter) members(o *Object, at *place, first bool, skip func(string) bool) error {
	for _, m := range o.members {
		if skip != nil && skip(m.Key) {
			continue
		}
		if !first {
			w.raw(",")
		}
		first = false
		w.quote(m.Key)
		w.raw(":")
		var inner *place
		if !leaf(m.Value) {
			inner = at.in(m.Key)
		}
		if err := w.value(m.Value, inner); err != nil {
			return err
		}
	}
	return nil
}

func (w *jsonWriter) mapEntries(m *Map, at *place) error {
	if w.repeated(unsafe.Pointer(m), at) {
		return w.limit()
	}
	w.open("map")
	w.raw("[")
	at = typed(at)
	for i, e := range m.Entries {
		if i > 0 {
			w.raw(",")
		}
		if err := w.pair(e.Key, e.Value, at.at(i)); err != nil {
			return err
		}
	}
	w.raw("]}")
	return nil
}

func (w *jsonWriter) pair(key, v any, at *place) error {
	w.raw("[")
	if err := w.value(key, at.at(0)); err != nil {
		return err
	}
	w.raw(",")
	if err := w.value(v, at.at(1)); err != nil {
		return err
	}
	w.raw("]")
	return nil
}

func (w *jsonWriter) sparse(s *SparseArray, at *place) error {
	if w.repeated(unsafe.Pointer(s), at) {
		return w.limit()
	}
	w.raw(`{"$type":"array","length":`)
	w.buf = strconv.AppendUint(w.buf, uint64(s.Length), 10)
	w.raw(`,"value":[`)
	at = typed(at)
	for i, el := range s.Elements {
		if i > 0 {
			w.raw(",")
		}
		if err := w.pair(float64(el.Index), el.Value, at.at(i)); err != nil {
			return err
		}
	}
	w.raw("]}")
	return nil
}

// error writes an Error flat: own fields follow name, message, stack, cause and
// errors.
func (w *jsonWriter) error(e *Error, at *place) error {
	if w.repeated(unsafe.Pointer(e), at) {
		return w.limit()
	}
	w.open("error")
	at = typed(at)
	w.raw(`{"name":`)
	w.quote(e.Name)
	w.raw(`,"message":`)
	w.quote(e.Message)
	if e.Stack != "" {
		w.raw(`,"stack":`)
		w.quote(e.Stack)
	}
	if e.Cause != nil {
		w.raw(`,"cause":`)
		if err := w.value(e.Cause, at.in("cause")); err != nil {
			return err
		}
	}
	if e.Errors != nil {
		w.raw(`,"errors":`)
		if err := w.array(e.Errors, at.in("errors")); err != nil {
			return err
		}
	}
	if e.Fields != nil {
		if err := w.members(e.Fields, at, false, e.has); err != nil {
			return err
		}
	}
	w.raw("}}")
	return nil
}

// has reports a key that the JSON form of e uses already.
func (e *Error) has(key string) bool {
	switch key {
	case "name", "message":
		return true
	case "stack":
		return e.Stack != ""
	case "cause":
		return e.Cause != nil
	case "errors":
		return e.Errors != nil
	}
	return false
}

// The types below write themselves inside encoding/json as MarshalJSON does.

func (v UndefinedType) MarshalJSON() ([]byte, error)   { return MarshalJSON(v) }
func (v HoleType) MarshalJSON() ([]byte, error)        { return MarshalJSON(v) }
func (v InvalidDateType) MarshalJSON() ([]byte, error) { return MarshalJSON(v) }
func (v String16) MarshalJSON() ([]byte, error)        { return MarshalJSON(v) }
func (v *RegExp) MarshalJSON() ([]byte, error)         { return MarshalJSON(v) }
func (v *Map) MarshalJSON() ([]byte, error)            { return MarshalJSON(v) }
func (v *Set) MarshalJSON() ([]byte, error)            { return MarshalJSON(v) }
func (v *ArrayBuffer) MarshalJSON() ([]byte, error)    { return MarshalJSON(v) }
func (v *TypedArray) MarshalJSON() ([]byte, error)     { return MarshalJSON(v) }
func (v *SparseArray) MarshalJSON() ([]byte, error)    { return MarshalJSON(v) }
func (v *Error) MarshalJSON() ([]byte, error)          { return MarshalJSON(v) }
func (v *Object) MarshalJSON() ([]byte, error)         { return MarshalJSON(v) }
