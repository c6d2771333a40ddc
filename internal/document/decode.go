package document

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// decoder fills Go values from nodes and collects what does not fit.
type decoder struct {
	source   *Source
	problems []Problem
}

func (d *decoder) add(at position, path, message, fix string) {
	if len(d.problems) == MaxProblems {
		return
	}
	d.problems = append(d.problems, Problem{Line: at.line, Column: at.column, Path: path, Message: message, Fix: fix})
}

// decode puts n into v. Empty collections may be written as nothing, and a
// list is then as empty as [] is, not one that was left out; an empty scalar is an error, because nobody can
// tell the default from a forgotten value.
func (d *decoder) decode(n *node, path string, v reflect.Value) {
	d.source.positions[path] = n.at
	if v.Kind() == reflect.Pointer {
		fresh := reflect.New(v.Type().Elem())
		d.decode(n, path, fresh.Elem())
		v.Set(fresh)
		return
	}
	if n.kind == kindNull {
		switch v.Kind() {
		case reflect.Struct, reflect.Map:
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		default:
			d.add(n.at, path, "has no value", "give it one or remove the key")
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		d.structure(n, path, v)
	case reflect.Map:
		d.mapping(n, path, v)
	case reflect.Slice:
		d.list(n, path, v)
	case reflect.String:
		d.text(n, path, v)
	case reflect.Bool:
		if n.kind != kindBoolean {
			d.wrong(n, path, kindBoolean)
			return
		}
		v.SetBool(n.text == "true")
	case reflect.Int64, reflect.Int, reflect.Uint32:
		d.integer(n, path, v, nil)
	default:
		panic("document: no rule for " + v.Type().String())
	}
}

func (d *decoder) wrong(n *node, path string, want kind) {
	d.add(n.at, path, fmt.Sprintf("is %s, not %s", n.kind, want), "")
}

func (d *decoder) structure(n *node, path string, v reflect.Value) {
	if setter, ok := v.Addr().Interface().(TextSetter); ok && n.kind == kindText {
		setter.SetText(n.text)
		return
	}
	if n.kind != kindMapping {
		d.wrong(n, path, kindMapping)
		return
	}
	fields := fieldsOf(v.Type())
	for key, p := range d.entries(n, path) {
		at := Join(path, key)
		i, ok := fields[key]
		if !ok {
			d.add(p.at, at, "unknown key", suggest(key, fields))
			continue
		}
		field := v.Field(i)
		if bounded, ok := v.Interface().(Bounded); ok && field.Kind() == reflect.Int64 && p.value.kind != kindNull {
			d.source.positions[at] = p.value.at
			d.integer(p.value, at, field, func() (int64, string, bool) { return bounded.Bound(key) })
			continue
		}
		d.decode(p.value, at, field)
	}
}

func (d *decoder) mapping(n *node, path string, v reflect.Value) {
	if n.kind != kindMapping {
		d.wrong(n, path, kindMapping)
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for key, p := range d.entries(n, path) {
		value := reflect.New(v.Type().Elem()).Elem()
		d.decode(p.value, Join(path, key), value)
		v.SetMapIndex(reflect.ValueOf(key), value)
	}
}

// entries yields the pairs of a mapping in order and reports keys that are repeated.
func (d *decoder) entries(n *node, path string) iter.Seq2[string, pair] {
	return func(yield func(string, pair) bool) {
		seen := make(map[string]int, len(n.pairs))
		for _, p := range n.pairs {
			if line, ok := seen[p.key]; ok {
				d.add(p.at, Join(path, p.key), fmt.Sprintf("the key was given before, in line %d", line), "keep one")
				continue
			}
			seen[p.key] = p.at.line
			if !yield(p.key, p) {
				return
			}
		}
	}
}

func (d *decoder) list(n *node, path string, v reflect.Value) {
	if n.kind != kindList {
		d.wrong(n, path, kindList)
		return
	}
	items := reflect.MakeSlice(v.Type(), len(n.items), len(n.items))
	for i, item := range n.items {
		d.decode(item, Index(path, i), items.Index(i))
	}
	v.Set(items)
}

func (d *decoder) text(n *node, path string, v reflect.Value) {
	switch n.kind {
	case kindText:
		v.SetString(n.text)
	case kindNumber, kindBoolean:
		d.add(n.at, path, fmt.Sprintf("is %s, not text", n.kind), "write it in quotes")
	default:
		d.wrong(n, path, kindText)
	}
}

// integer accepts plain decimal digits. A bound names what the number may be.
func (d *decoder) integer(n *node, path string, v reflect.Value, bound func() (int64, string, bool)) {
	maximum, fix, bounded := int64(0), "write an integer in decimal digits", false
	if bound != nil {
		if m, f, ok := bound(); ok {
			maximum, fix, bounded = m, f, true
		}
	}
	if n.kind != kindNumber {
		d.add(n.at, path, fmt.Sprintf("is %s, not a number", n.kind), fix)
		return
	}
	digits := strings.TrimPrefix(n.text, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" || len(digits) > 1 && digits[0] == '0' {
		d.add(n.at, path, shorten(n.text)+" is not an integer", fix)
		return
	}
	i, err := strconv.ParseInt(n.text, 10, 64)
	switch {
	case bounded && err == nil && i < 1:
		d.add(n.at, path, fmt.Sprintf("%d is below the minimum of 1", i), fix)
	case bounded && (err != nil || i > maximum):
		d.add(n.at, path, fmt.Sprintf("%s is above the maximum of %d", shorten(n.text), maximum), fix)
	case err != nil || v.Kind() == reflect.Uint32 && (i < 0 || i > 1<<32-1):
		d.add(n.at, path, shorten(n.text)+" is out of range", fix)
	case v.Kind() == reflect.Uint32:
		v.SetUint(uint64(i))
	default:
		v.SetInt(i)
	}
}

// fieldsOf maps the keys of a struct type to the indices of its fields.
func fieldsOf(t reflect.Type) map[string]int {
	fields := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		if key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); key != "" && key != "-" {
			fields[key] = i
		}
	}
	return fields
}

// suggest names the known key that differs in case or by a letter, or lists them all.
func suggest(key string, fields map[string]int) string {
	known := make([]string, 0, len(fields))
	for name := range fields {
		if strings.EqualFold(name, key) || oneEdit(name, key) {
			return "did you mean " + name + "?"
		}
		known = append(known, name)
	}
	slices.Sort(known)
	return "use one of " + strings.Join(known, ", ")
}

// oneEdit reports whether one inserted, removed or changed byte turns a into b.
func oneEdit(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	return a[i+1:] == b[i:] || len(a) == len(b) && a[i+1:] == b[min(i+1, len(b)):]
}
