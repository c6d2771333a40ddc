// Package value holds the JavaScript values that cross between a realm and its
// supervisor: their Go types, the wire form, the JSON form and a readable text.
//
// A decoded value is a tree of these Go types:
//
//	undefined              Undefined
//	null                   nil
//	boolean                bool
//	number                 float64, integers too, as in encoding/json
//	bigint                 *big.Int
//	string                 string; String16 when it holds lone surrogates
//	Date                   time.Time in UTC; InvalidDate
//	RegExp                 *RegExp
//	Map, Set               *Map, *Set
//	Uint8Array             []byte
//	ArrayBuffer            *ArrayBuffer
//	other views            *TypedArray
//	Error                  *Error
//	array                  []any, with Hole where an element is missing
//	very sparse array      *SparseArray
//	any other object       *Object, which keeps the order of its keys
//
// One JavaScript object that occurs twice is one Go pointer, or one slice with
// the same backing array, so shared references and cycles survive in both
// directions. Dates are the exception: time.Time has no identity.
//
// Encode takes more than Decode gives: all Go numbers, maps (keys sorted),
// structs by their json tags, json.Number, json.RawMessage, json.Marshaler,
// encoding.TextMarshaler and errors. A Go integer beyond ±(2^53-1) becomes a
// bigint, because a JavaScript number would change it.
//
// # Trust
//
// Decode, DecodeInto and everything that takes a decoded tree are fed by a
// hostile realm. They never panic, never allocate for elements that the input
// does not hold, and bound their recursion.
//
// # Concurrency
//
// The functions are safe for concurrent use. A value is as safe as a Go map:
// many readers, or one writer.
package value

import (
	"slices"
	"unicode/utf16"
)

// UndefinedType is the type of [Undefined].
type UndefinedType struct{}

// Undefined is JavaScript's undefined. Compare with ==.
var Undefined UndefinedType

func (UndefinedType) String() string { return "undefined" }

// HoleType is the type of [Hole].
type HoleType struct{}

// Hole stands in a decoded array where JavaScript has no element at all. It
// occurs nowhere else.
var Hole HoleType

func (HoleType) String() string { return "<empty item>" }

// InvalidDateType is the type of [InvalidDate].
type InvalidDateType struct{}

// InvalidDate is a Date whose time is NaN.
var InvalidDate InvalidDateType

func (InvalidDateType) String() string { return "Invalid Date" }

// String16 is a string of UTF-16 code units. Decode uses it only for strings
// with lone surrogates, which a Go string cannot hold.
type String16 []uint16

// String replaces each lone surrogate with U+FFFD.
func (s String16) String() string { return string(utf16.Decode(s)) }

// RegExp is a regular expression; lastIndex does not cross. A lone surrogate in
// the source arrives as its \uXXXX escape.
type RegExp struct {
	Source string
	Flags  string
}

func (r *RegExp) String() string { return "/" + r.Source + "/" + r.Flags }

// Entry is one entry of a [Map].
type Entry struct {
	Key   any
	Value any
}

// Map is a JavaScript Map in insertion order.
type Map struct {
	Entries []Entry
}

// Get finds a primitive key: a string, bool, float64, nil or Undefined. It
// walks the entries, so it suits few look-ups.
func (m *Map) Get(key any) (any, bool) {
	i := slices.IndexFunc(m.Entries, func(e Entry) bool { return samePrimitive(e.Key, key) })
	if i < 0 {
		return nil, false
	}
	return m.Entries[i].Value, true
}

// samePrimitive compares without ==, which panics on two slices.
func samePrimitive(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || a != a && b != b)
	case UndefinedType:
		_, ok := b.(UndefinedType)
		return ok
	}
	return false
}

// Set is a JavaScript Set in insertion order.
type Set struct {
	Values []any
}

// ArrayBuffer is a copy of an ArrayBuffer's bytes.
type ArrayBuffer struct {
	Bytes []byte
}

// TypedArray is a copy of the part of a buffer that a view shows. A Uint8Array
// is a []byte instead.
type TypedArray struct {
	Kind  string // the constructor's name: "Int16Array", "Float64Array", "DataView", …
	Bytes []byte // little-endian elements
}

// Element is one element of a [SparseArray].
type Element struct {
	Index uint32
	Value any
}

// SparseArray is an array with far more holes than elements.
type SparseArray struct {
	Length   uint32
	Elements []Element // ascending by Index
}
