package value

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

func (e *encoder) members(o *Object) *pathErr {
	if o == nil {
		e.buf = append(e.buf, 0xc0)
		return nil
	}
	if sharedPointer(e, o) {
		return nil
	}
	return e.rawMembers(o)
}

func (e *encoder) rawMembers(o *Object) *pathErr {
	e.buf = appendMapHead(e.buf, len(o.members))
	for _, m := range o.members {
		e.buf = appendString(e.buf, m.Key)
		if err := e.value(m.Value); err != nil {
			return err.in(keySegment(m.Key))
		}
	}
	return nil
}

func (e *encoder) array(a []any) *pathErr {
	if a == nil {
		e.buf = append(e.buf, 0xc0)
		return nil
	}
	if sharedSlice(e, a) {
		return nil
	}
	e.buf = appendArrayHead(e.buf, len(a))
	for i, v := range a {
		if v == Hole {
			e.hole()
			continue
		}
		if err := e.value(v); err != nil {
			return err.in(indexSegment(i))
		}
	}
	return nil
}

func (e *encoder) hole() { e.buf = append(e.buf, 0xc7, 0, extHole) }

func (e *encoder) sparse(s *SparseArray) *pathErr {
	next := uint64(0)
	for _, el := range s.Elements {
		if uint64(el.Index) < next || el.Index >= s.Length {
			return failf("element %d is out of order in a sparse array of length %d", el.Index, s.Length)
		}
		next = uint64(el.Index) + 1
	}
	if sharedPointer(e, s) {
		return nil
	}
	e.buf = appendTag(e.buf, tagSparse, 1+2*len(s.Elements))
	e.buf = appendInt(e.buf, int64(s.Length))
	for _, el := range s.Elements {
		e.buf = appendInt(e.buf, int64(el.Index))
		if err := e.value(el.Value); err != nil {
			return err.in(indexSegment(int(el.Index)))
		}
	}
	return nil
}

func (e *encoder) mapEntries(m *Map) *pathErr {
	if sharedPointer(e, m) {
		return nil
	}
	e.buf = appendTag(e.buf, tagMap, 2*len(m.Entries))
	for i, entry := range m.Entries {
		if err := e.value(entry.Key); err != nil {
			return err.in(".keys()" + indexSegment(i))
		}
		if err := e.value(entry.Value); err != nil {
			return err.in(entrySegment(entry.Key, i))
		}
	}
	return nil
}

// entrySegment is the access to a Map's value: .get("key"), or its position.
func entrySegment(key any, i int) string {
	if s, ok := key.(string); ok && len(s) <= 64 {
		return ".get(" + strconv.Quote(s) + ")"
	}
	return ".values()" + indexSegment(i)
}

func (e *encoder) setValues(s *Set) *pathErr {
	if sharedPointer(e, s) {
		return nil
	}
	e.buf = appendTag(e.buf, tagSet, len(s.Values))
	for i, v := range s.Values {
		if err := e.value(v); err != nil {
			return err.in(".values()" + indexSegment(i))
		}
	}
	return nil
}

func (e *encoder) error(x *Error) *pathErr {
	if sharedPointer(e, x) {
		return nil
	}
	e.buf = appendTag(e.buf, tagError, 6)
	e.text(x.Name)
	e.text(x.Message)
	e.text(x.Stack)
	if x.Cause == nil {
		e.hole()
	} else if err := e.value(x.Cause); err != nil {
		return err.in(".cause")
	}
	if x.Errors == nil {
		e.hole()
	} else if err := e.array(x.Errors); err != nil {
		return err.in(".errors")
	}
	if x.Fields == nil {
		e.buf = appendMapHead(e.buf, 0)
		return nil
	}
	return e.rawMembers(x.Fields)
}

func toValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// keySegment is how JavaScript would write the access: .key or ["any key"].
func keySegment(key string) string {
	if isIdentifier(key) {
		return "." + key
	}
	if len(key) > 64 {
		key = key[:64] + "…"
	}
	return "[" + strconv.Quote(key) + "]"
}

func indexSegment(i int) string { return "[" + strconv.Itoa(i) + "]" }

func isIdentifier(s string) bool {
	if s == "" || len(s) > 64 || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") == ""
}
