package value

import "unicode/utf8"

// enter opens a container of n values; the caller closes it with leave.
func (d *decoder) enter(n int) error {
	if d.depth == d.limits.MaxDepth {
		return d.tooDeep()
	}
	d.depth++
	return d.announce(n)
}

func (d *decoder) leave() { d.depth-- }

func (d *decoder) object(n int) (any, error) {
	o := &Object{}
	d.remember(o)
	if err := d.members(o, n); err != nil {
		return nil, err
	}
	return o, nil
}

func (d *decoder) members(o *Object, n int) error {
	if err := d.enter(2 * n); err != nil {
		return err
	}
	defer d.leave()
	if n > 0 {
		o.members = make([]Member, 0, n)
	}
	for i := range n {
		key, err := d.key(i)
		if err != nil {
			return err
		}
		if o.find(key) >= 0 {
			return d.malformed("the key %.40q occurs twice", key)
		}
		v, err := d.present()
		if err != nil {
			return err
		}
		o.push(key, v)
	}
	return nil
}

// key reads the key at position i of its object.
func (d *decoder) key(i int) (string, error) {
	if d.pos < len(d.b) {
		if c := d.b[d.pos]; c>>5 == 0xa0>>5 {
			d.owed--
			d.read++
			d.pos++
			part, err := d.take(int(c & 0x1f))
			if err != nil {
				return "", err
			}
			last := &d.keys[i%len(d.keys)]
			if *last != string(part) {
				if !utf8.Valid(part) {
					return "", d.malformed("a key is not UTF-8")
				}
				*last = d.own(part)
			}
			return *last, nil
		}
	}
	v, err := d.value()
	if err != nil {
		return "", err
	}
	switch v := v.(type) {
	case string:
		return v, nil
	case String16:
		return generalised(v), nil
	}
	return "", d.malformed("a key is a %T", v)
}

// present reads a value where a hole cannot stand.
func (d *decoder) present() (any, error) {
	v, err := d.value()
	if err == nil && v == Hole {
		err = d.malformed("a hole outside an array")
	}
	return v, err
}

func (d *decoder) array(n int) (any, error) {
	if n > 0 && len(d.b)-d.pos >= 3 && d.b[d.pos] == 0xd4 && d.b[d.pos+1] == extTag {
		kind := d.b[d.pos+2]
		if err := d.enter(n); err != nil {
			return nil, err
		}
		defer d.leave()
		d.owed--
		d.pos += 3
		return d.tagged(kind, n-1)
	}
	if err := d.enter(n); err != nil {
		return nil, err
	}
	defer d.leave()
	a := make([]any, n, max(n, 1)) // the address is the identity, of an empty array too
	d.remember(a)
	for i := range a {
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		a[i] = v
	}
	return a, nil
}

// tagged reads the n parts of a tagged array.
func (d *decoder) tagged(kind byte, n int) (any, error) {
	switch {
	case kind == tagRegExp && n == 2:
		r := &RegExp{}
		d.remember(r)
		return r, d.texts(&r.Source, &r.Flags)
	case kind == tagMap && n%2 == 0:
		return d.mapEntries(n / 2)
	case kind == tagSet:
		s := &Set{Values: make([]any, n)}
		d.remember(s)
		return s, d.fill(s.Values)
	case kind == tagArrayBuffer && n == 1:
		buffer := &ArrayBuffer{}
		d.remember(buffer)
		return buffer, d.part(&buffer.Bytes)
	case kind == tagTypedArray && n == 2:
		return d.typedArray()
	case kind == tagError && n == 6:
		return d.error()
	case kind == tagSparse && n%2 == 1:
		return d.sparse(n / 2)
	}
	return nil, d.malformed("tag %d with %d parts", kind, n)
}

func (d *decoder) fill(values []any) error {
	for i := range values {
		v, err := d.present()
		if err != nil {
			return err
		}
		values[i] = v
	}
	return nil
}

func (d *decoder) mapEntries(n int) (any, error) {
	m := &Map{Entries: make([]Entry, n)}
	d.remember(m)
	for i := range m.Entries {
		pair := [2]any{}
		if err := d.fill(pair[:]); err != nil {
			return nil, err
		}
		m.Entries[i] = Entry{pair[0], pair[1]}
	}
	return m, nil
}

// texts reads strings that are parts of something else.
func (d *decoder) texts(into ...*string) error {
	for _, p := range into {
		v, err := d.value()
		if err != nil {
			return err
		}
		s, ok := v.(string)
		if !ok {
			return d.malformed("a %T where a string belongs", v)
		}
		*p = s
	}
	return nil
}

// part reads a bin that is no value of its own.
func (d *decoder) part(into *[]byte) error {
	if d.pos == len(d.b) || d.b[d.pos] < 0xc4 || d.b[d.pos] > 0xc6 {
		return d.malformed("no bytes where bytes belong")
	}
	width := 1 << (d.b[d.pos] - 0xc4)
	d.owed--
	d.read++
	d.pos++
	n, err := d.uint(width)
	if err != nil {
		return err
	}
	*into, err = d.bin(n)
	return err
}

func (d *decoder) typedArray() (any, error) {
	t := &TypedArray{}
	d.remember(t)
	if err := d.texts(&t.Kind); err != nil {
		return nil, err
	}
	if err := d.part(&t.Bytes); err != nil {
		return nil, err
	}
	if size := elementSize(t.Kind); size == 0 || len(t.Bytes)%size != 0 {
		return nil, d.malformed("a %.40q of %d bytes", t.Kind, len(t.Bytes))
	}
	return t, nil
}

func (d *decoder) error() (any, error) {
	e := &Error{}
	d.remember(e)
	if err := d.texts(&e.Name, &e.Message, &e.Stack); err != nil {
		return nil, err
	}
	cause, err := d.value()
	if err != nil {
		return nil, err
	}
	if cause != Hole {
		e.Cause = cause
	}
	errors, err := d.value()
	if err != nil {
		return nil, err
	}
	fields := &Object{}
	if err := d.fields(fields); err != nil {
		return nil, err
	}
	if cause == nil { // no Cause is a nil one
		fields.Set("cause", nil)
	}
	switch list := errors.(type) {
	case HoleType:
	case []any:
		e.Errors = list
	default: // an errors property of another kind is a field like any other
		fields.Set("errors", errors)
	}
	if fields.Len() > 0 {
		e.Fields = fields
	}
	return e, nil
}

// fields reads the map of an error's further properties.
func (d *decoder) fields(o *Object) error {
	if d.pos == len(d.b) {
		return d.malformed("truncated")
	}
	c := d.b[d.pos]
	d.owed--
	d.read++
	d.pos++
	switch {
	case c>>4 == 0x80>>4:
		return d.members(o, int(c&0x0f))
	case c == 0xde || c == 0xdf:
		n, err := d.uint(2 << (c - 0xde))
		if err != nil {
			return err
		}
		return d.members(o, n)
	}
	return d.malformed("no map where a map belongs")
}

func (d *decoder) sparse(n int) (any, error) {
	s := &SparseArray{Elements: make([]Element, n)}
	d.remember(s)
	length, err := d.length()
	if err != nil {
		return nil, err
	}
	s.Length = length
	next := uint64(0)
	for i := range s.Elements {
		index, err := d.length()
		if err != nil {
			return nil, err
		}
		if uint64(index) < next || index >= length {
			return nil, d.malformed("element %d is out of order", index)
		}
		next = uint64(index) + 1
		v, err := d.present()
		if err != nil {
			return nil, err
		}
		s.Elements[i] = Element{index, v}
	}
	return s, nil
}

// length reads a part that is an array index or length.
func (d *decoder) length() (uint32, error) {
	v, err := d.value()
	if err != nil {
		return 0, err
	}
	f, ok := v.(float64)
	if !ok || f < 0 || f > 1<<32-1 || f != float64(uint32(f)) {
		return 0, d.malformed("an array length of %v", v)
	}
	return uint32(f), nil
}
