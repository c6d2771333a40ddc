package supervisor

import "realm.internal/supervisor/pkg/value"

// The Go types of JavaScript values that have none of their own in Go. Results,
// arguments, input and tool answers use the same ones; pkg/value lists all.
type (
	// Object is a plain object that keeps the order of its keys.
	Object = value.Object
	// Map is a Map, Entry one of its pairs.
	Map   = value.Map
	Entry = value.Entry
	// Set is a Set.
	Set = value.Set
	// RegExp is a RegExp.
	RegExp = value.RegExp
	// ArrayBuffer is an ArrayBuffer; a Uint8Array is a []byte.
	ArrayBuffer = value.ArrayBuffer
	// TypedArray is any other view of a buffer.
	TypedArray = value.TypedArray
	// String16 is a string with lone surrogates.
	String16 = value.String16
	// SparseArray is an array of which few elements exist.
	SparseArray = value.SparseArray
	// GuestError is an Error as a value: as a result, a cause, or thrown.
	GuestError = value.Error
)
