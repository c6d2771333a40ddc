package value

import "strconv"

func (w *jsonWriter) array(a []any) error {
	if a == nil {
		w.raw("null")
		return nil
	}
	if w.repeated(a) {
		return w.limit()
	}
	return w.list(a)
}

func (w *jsonWriter) list(a []any) error {
	w.raw("[")
	for i, v := range a {
		if i > 0 {
			w.raw(",")
		}
		if err := w.child(step{index: i}, v); err != nil {
			return err
		}
	}
	w.raw("]")
	return nil
}

func (w *jsonWriter) object(o *Object) error {
	if o == nil {
		w.raw("null")
		return nil
	}
	if w.repeated(o) {
		return w.limit()
	}
	if o.find("$type") < 0 {
		w.raw("{")
		if err := w.members(o, true, nil); err != nil {
			return err
		}
		w.raw("}")
		return nil
	}
	w.open("object")
	w.raw("{")
	w.push(typed)
	if err := w.members(o, true, nil); err != nil {
		return err
	}
	w.pop()
	w.raw("}}")
	return nil
}

// members writes the properties of o but for those that skip holds.
func (w *jsonWriter) members(o *Object, first bool, skip func(string) bool) error {
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
		if err := w.child(property(m.Key), m.Value); err != nil {
			return err
		}
	}
	return nil
}

func (w *jsonWriter) mapEntries(m *Map) error {
	if w.repeated(m) {
		return w.limit()
	}
	w.open("map")
	w.raw("[")
	w.push(typed)
	for i, e := range m.Entries {
		if err := w.pair(i, e.Key, e.Value); err != nil {
			return err
		}
	}
	w.pop()
	w.raw("]}")
	return nil
}

func (w *jsonWriter) pair(i int, key, v any) error {
	if i > 0 {
		w.raw(",")
	}
	w.push(step{index: i})
	w.raw("[")
	if err := w.child(step{index: 0}, key); err != nil {
		return err
	}
	w.raw(",")
	if err := w.child(step{index: 1}, v); err != nil {
		return err
	}
	w.raw("]")
	w.pop()
	return nil
}

func (w *jsonWriter) sparse(s *SparseArray) error {
	if w.repeated(s) {
		return w.limit()
	}
	w.raw(`{"$type":"array","length":`)
	w.buf = strconv.AppendUint(w.buf, uint64(s.Length), 10)
	w.raw(`,"value":[`)
	w.push(typed)
	for i, el := range s.Elements {
		if err := w.pair(i, float64(el.Index), el.Value); err != nil {
			return err
		}
	}
	w.pop()
	w.raw("]}")
	return nil
}

// error writes an Error flat: own fields follow name, message, stack, cause and
// errors.
func (w *jsonWriter) error(e *Error) error {
	if w.repeated(e) {
		return w.limit()
	}
	w.open("error")
	w.push(typed)
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
		if err := w.child(property("cause"), e.Cause); err != nil {
			return err
		}
	}
	if e.Errors != nil {
		w.raw(`,"errors":`)
		if err := w.child(property("errors"), e.Errors); err != nil {
			return err
		}
	}
	if e.Fields != nil {
		if err := w.members(e.Fields, false, e.has); err != nil {
			return err
		}
	}
	w.pop()
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
