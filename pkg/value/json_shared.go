package value

import (
	"fmt"
	"strconv"
	"unsafe"
)

// A document spells out where an object stands first only when it stands in
// several places. Those are found before anything is written, so that an object
// costs no more than its entry in a set: a few bytes from a guest can hold very
// many of them.

// surveyor finds the objects that stand in several places.
type surveyor struct {
	met    map[jsonID]struct{}
	shared map[jsonID]*place
	depth  int
}

// survey adds to w.shared what stands in several places of v.
func (w *jsonWriter) survey(v any) error {
	s := surveyor{met: map[jsonID]struct{}{}, shared: w.shared, depth: w.depth}
	err := s.value(v)
	w.shared = s.shared
	return err
}

func (s *surveyor) value(v any) error {
	if s.depth > defaultDepth {
		return tooDeepForJSON()
	}
	id, ok := jsonIdentity(v)
	if !ok {
		return nil
	}
	if _, again := s.met[id]; again {
		if s.shared == nil {
			s.shared = map[jsonID]*place{}
		}
		s.shared[id] = nil
		return nil
	}
	s.met[id] = struct{}{}
	s.depth++
	defer func() { s.depth-- }()
	switch v := v.(type) {
	case []any:
		return s.list(v)
	case *Object:
		return s.members(v)
	case *Set:
		return s.list(v.Values)
	case *Map:
		for _, e := range v.Entries {
			if err := s.list([]any{e.Key, e.Value}); err != nil {
				return err
			}
		}
	case *SparseArray:
		for _, e := range v.Elements {
			if err := s.value(e.Value); err != nil {
				return err
			}
		}
	case *Error:
		if err := s.list([]any{v.Cause, v.Errors}); err != nil || v.Fields == nil {
			return err
		}
		return s.members(v.Fields)
	}
	return nil
}

func (s *surveyor) list(l []any) error {
	for _, v := range l {
		if err := s.value(v); err != nil {
			return err
		}
	}
	return nil
}

func (s *surveyor) members(o *Object) error {
	for _, m := range o.members {
		if err := s.value(m.Value); err != nil {
			return err
		}
	}
	return nil
}

func tooDeepForJSON() error {
	return fmt.Errorf("%w: nested deeper than %d", ErrLimit, defaultDepth)
}

// jsonID names an object of a document, a slice together with its length.
type jsonID struct {
	at  unsafe.Pointer
	len int
}

// jsonIdentity is what makes v one object of a document; false for a value that
// nothing can refer to. Slices without room for an element may all point to the
// same place.
func jsonIdentity(v any) (jsonID, bool) {
	var p unsafe.Pointer
	switch v := v.(type) {
	case []any:
		return jsonID{unsafe.Pointer(unsafe.SliceData(v)), len(v)}, cap(v) > 0
	case []byte:
		return jsonID{unsafe.Pointer(unsafe.SliceData(v)), len(v)}, cap(v) > 0
	case *Object:
		p = unsafe.Pointer(v)
	case *Map:
		p = unsafe.Pointer(v)
	case *Set:
		p = unsafe.Pointer(v)
	case *Error:
		p = unsafe.Pointer(v)
	case *SparseArray:
		p = unsafe.Pointer(v)
	case *RegExp:
		p = unsafe.Pointer(v)
	case *ArrayBuffer:
		p = unsafe.Pointer(v)
	case *TypedArray:
		p = unsafe.Pointer(v)
	}
	return jsonID{at: p}, p != nil
}

// repeated writes a reference to an object that stands elsewhere already.
func (w *jsonWriter) repeated(object any) bool {
	id, ok := jsonIdentity(object)
	if !ok {
		return false
	}
	first, ok := w.shared[id]
	if !ok {
		return false
	}
	if first == nil {
		w.shared[id] = w.here()
		return false
	}
	if w.limit() == nil {
		pointer := first.pointer()
		w.pointers += len(pointer)
		w.simple("ref", pointer)
	}
	return true
}

// limit is an error once the references take too much of the document.
func (w *jsonWriter) limit() error {
	if most := maxPointers + maxPointersTimes*(len(w.buf)-w.pointers); w.pointers > most {
		return fmt.Errorf("%w: the references take more than %d bytes as JSON", ErrLimit, most)
	}
	return nil
}

// step leads from a value to one inside it.
type step struct {
	key   string
	index int // unless isKey
	isKey bool
	place *place // made when something below is shared
}

func property(key string) step { return step{key: key, isKey: true} }

// typed is the step into {"$type": …, "value": …}.
var typed = property("value")

func (w *jsonWriter) push(s step) { w.path = append(w.path, s) }
func (w *jsonWriter) pop()        { w.path = w.path[:len(w.path)-1] }

// child writes a value inside the one that is being written.
func (w *jsonWriter) child(s step, v any) error {
	w.push(s)
	err := w.value(v)
	w.pop()
	return err
}

// place is where a shared object stands: a step, and those before it.
type place struct {
	parent *place
	step   step
}

// root is the place of the document itself.
var root = &place{}

// here is the place of the value that is being written.
func (w *jsonWriter) here() *place {
	known := len(w.path)
	for known > 0 && w.path[known-1].place == nil {
		known--
	}
	at := root
	if known > 0 {
		at = w.path[known-1].place
	}
	for i := known; i < len(w.path); i++ {
		at = &place{parent: at, step: w.path[i]}
		w.path[i].place = at
	}
	return at
}

// pointer spells a place as a JSON Pointer.
func (p *place) pointer() string {
	var steps []step
	for ; p.parent != nil; p = p.parent {
		steps = append(steps, p.step)
	}
	var b []byte
	for i := len(steps) - 1; i >= 0; i-- {
		b = append(b, '/')
		if !steps[i].isKey {
			b = strconv.AppendInt(b, int64(steps[i].index), 10)
			continue
		}
		for _, c := range []byte(steps[i].key) {
			switch c {
			case '~':
				b = append(b, "~0"...)
			case '/':
				b = append(b, "~1"...)
			default:
				b = append(b, c)
			}
		}
	}
	return string(b)
}
