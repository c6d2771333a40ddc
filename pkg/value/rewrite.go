package value

// Rewrite replaces every string (keys, names and messages included) and every
// run of bytes in a decoded tree, in place, and returns the tree. It keeps
// shared references, takes what stands in many places once, and ends on cycles. Strings with lone surrogates and the
// sources of regular expressions are passed to text too.
func Rewrite(v any, text func(string) string, bytes func([]byte) []byte) any {
	return rewriter{text, bytes, map[any]bool{}, map[*byte][]byte{}}.value(v)
}

type rewriter struct {
	text  func(string) string
	bytes func([]byte) []byte
	seen  map[any]bool
	runs  map[*byte][]byte // what became of the bytes that begin there
}

func (r rewriter) value(in any) any {
	switch t := in.(type) {
	case string:
		return r.text(t)
	case String16:
		if before := t.String(); r.text(before) != before {
			return r.text(before)
		}
	case []byte:
		return r.run(t)
	case []any:
		r.list(t)
	case *Object:
		r.object(t)
	case *RegExp:
		if r.enter(t) {
			t.Source = r.text(t.Source)
		}
	case *Map:
		if r.enter(t) {
			for i, e := range t.Entries {
				t.Entries[i] = Entry{r.value(e.Key), r.value(e.Value)}
			}
		}
	case *Set:
		if r.enter(t) {
			r.list(t.Values)
		}
	case *Error:
		if r.enter(t) {
			t.Name, t.Message, t.Stack = r.text(t.Name), r.text(t.Message), r.text(t.Stack)
			t.Cause = r.value(t.Cause)
			r.list(t.Errors)
			r.object(t.Fields)
		}
	case *ArrayBuffer:
		t.Bytes = r.run(t.Bytes)
	case *TypedArray:
		t.Bytes = r.run(t.Bytes)
	case *SparseArray:
		if r.enter(t) {
			for i := range t.Elements {
				t.Elements[i].Value = r.value(t.Elements[i].Value)
			}
		}
	}
	return in
}

// run rewrites bytes; those that are shared stay shared.
func (r rewriter) run(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	out, ok := r.runs[&b[0]]
	if !ok {
		out = r.bytes(b)
		r.runs[&b[0]] = out
		if len(out) > 0 {
			r.runs[&out[0]] = out // a buffer that is met again holds these
		}
	}
	return out
}

func (r rewriter) list(l []any) {
	if len(l) == 0 || !r.enter(&l[0]) {
		return
	}
	for i := range l {
		l[i] = r.value(l[i])
	}
}

func (r rewriter) object(o *Object) {
	if o == nil || !r.enter(o) {
		return
	}
	members := o.members
	*o = Object{members: make([]Member, 0, len(members))}
	for _, m := range members {
		o.Set(r.text(m.Key), r.value(m.Value))
	}
}

// enter reports whether p is met for the first time.
func (r rewriter) enter(p any) bool {
	if r.seen[p] {
		return false
	}
	r.seen[p] = true
	return true
}
