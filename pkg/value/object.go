package value

import "iter"

// Member is one property of an [Object].
type Member struct {
	Key   string
	Value any
}

// Object is a JavaScript object: its own enumerable string-keyed properties in
// order. Any key is data, "__proto__" and "constructor" too. A key with lone
// surrogates holds each of them as its three bytes of generalised UTF-8, which
// Encode takes back. The zero Object is empty and ready for use.
type Object struct {
	members []Member
	index   map[string]int // nil while a linear search is as fast
}

const indexFrom = 9

// NewObject makes an object of members; of equal keys the last value wins.
func NewObject(members ...Member) *Object {
	o := &Object{members: make([]Member, 0, len(members))}
	for _, m := range members {
		o.Set(m.Key, m.Value)
	}
	return o
}

// Len is the number of properties.
func (o *Object) Len() int { return len(o.members) }

// Get returns the value of key, and Undefined when there is none.
func (o *Object) Get(key string) any {
	if i := o.find(key); i >= 0 {
		return o.members[i].Value
	}
	return Undefined
}

// Lookup returns the value of key and whether the object has it.
func (o *Object) Lookup(key string) (any, bool) {
	if i := o.find(key); i >= 0 {
		return o.members[i].Value, true
	}
	return nil, false
}

// Set replaces the value of key in its place, or appends key.
func (o *Object) Set(key string, v any) {
	if i := o.find(key); i >= 0 {
		o.members[i].Value = v
		return
	}
	o.push(key, v)
}

// push appends a key that find did not find.
func (o *Object) push(key string, v any) {
	o.members = append(o.members, Member{key, v})
	switch n := len(o.members); {
	case n == indexFrom:
		o.index = make(map[string]int, 2*indexFrom)
		for i, m := range o.members {
			o.index[m.Key] = i
		}
	case n > indexFrom:
		o.index[key] = n - 1
	}
}

func (o *Object) find(key string) int {
	if o.index != nil {
		if i, ok := o.index[key]; ok {
			return i
		}
		return -1
	}
	for i := range o.members {
		if o.members[i].Key == key {
			return i
		}
	}
	return -1
}

// All yields the properties in order.
func (o *Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, m := range o.members {
			if !yield(m.Key, m.Value) {
				return
			}
		}
	}
}

// Keys returns the keys in order.
func (o *Object) Keys() []string {
	keys := make([]string, len(o.members))
	for i, m := range o.members {
		keys[i] = m.Key
	}
	return keys
}
