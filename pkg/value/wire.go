package value

import (
	"encoding/binary"
	"math"
)

// The wire form is plain msgpack, so that the one scanner of package rpc covers
// it; internal/v8/codec.cc is its other end. Both directions are written by
// hand here: github.com/vmihailenco/msgpack/v5 allocates for announced slice
// lengths before the bytes are seen (upstream issue 401), recurses without a
// bound and has no notion of references, key order or array holes.
//
// Ext codes:
const (
	extTag       = 0 // 1 byte: kind; the first element of a tagged array
	extUndefined = 1 // empty
	extHole      = 2 // empty
	extBigInt    = 3 // sign byte 0 or 1, big-endian magnitude without leading zeros
	extString16  = 4 // UTF-16LE code units with at least one lone surrogate
	extDate      = 5 // float64 big-endian, milliseconds; NaN: invalid
	extRef       = 6 // uint32 big-endian: index of an earlier object, in pre-order
)

// Kinds of tagged arrays. Each of them takes one object index, as a map, an
// array, a bin and a date do; the parts that are no values of their own (the
// bytes of a buffer, the map of an error's fields) take none.
const (
	tagRegExp      = 1 // source, flags
	tagMap         = 2 // key, value, …
	tagSet         = 3 // value, …
	tagArrayBuffer = 4 // bin
	tagTypedArray  = 5 // constructor's name, bin
	tagError       = 6 // name, message, stack, cause or hole, errors or hole, map of fields
	tagSparse      = 7 // length, index, value, …
)

const (
	maxSafe      = 1<<53 - 1
	maxDateMs    = 8.64e15
	defaultDepth = 10_000
	defaultBytes = 256 << 20
)

// elementSize gives the element size of each view that a TypedArray may be.
func elementSize(kind string) int {
	switch kind {
	case "DataView", "Int8Array", "Uint8ClampedArray":
		return 1
	case "Int16Array", "Uint16Array", "Float16Array":
		return 2
	case "Int32Array", "Uint32Array", "Float32Array":
		return 4
	case "Float64Array", "BigInt64Array", "BigUint64Array":
		return 8
	}
	return 0
}

func appendNumber(b []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) <= maxSafe && (f != 0 || !math.Signbit(f)) {
		return appendInt(b, int64(f))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xcb), math.Float64bits(f))
}

func appendInt(b []byte, n int64) []byte {
	switch {
	case n >= -32 && n <= 127:
		return append(b, byte(n))
	case n >= 0 && n <= math.MaxUint8:
		return append(b, 0xcc, byte(n))
	case n >= 0 && n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xcd), uint16(n))
	case n >= 0 && n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, 0xce), uint32(n))
	case n >= 0:
		return binary.BigEndian.AppendUint64(append(b, 0xcf), uint64(n))
	case n >= math.MinInt8:
		return append(b, 0xd0, byte(n))
	case n >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(b, 0xd1), uint16(n))
	case n >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(b, 0xd2), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xd3), uint64(n))
}

func appendStr(b []byte, s string) []byte {
	switch n := len(s); {
	case n < 32:
		b = append(b, 0xa0|byte(n))
	case n <= math.MaxUint8:
		b = append(b, 0xd9, byte(n))
	case n <= math.MaxUint16:
		b = binary.BigEndian.AppendUint16(append(b, 0xda), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xdb), uint32(n))
	}
	return append(b, s...)
}

func appendBin(b, data []byte) []byte {
	switch n := len(data); {
	case n <= math.MaxUint8:
		b = append(b, 0xc4, byte(n))
	case n <= math.MaxUint16:
		b = binary.BigEndian.AppendUint16(append(b, 0xc5), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xc6), uint32(n))
	}
	return append(b, data...)
}

func appendArrayHead(b []byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, 0x90|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xdc), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, 0xdd), uint32(n))
}

func appendMapHead(b []byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, 0x80|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xde), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, 0xdf), uint32(n))
}

// appendTag opens a tagged array of parts further elements.
func appendTag(b []byte, kind byte, parts int) []byte {
	return append(appendArrayHead(b, parts+1), 0xd4, extTag, kind)
}

// appendExtHead announces n bytes of ext code.
func appendExtHead(b []byte, code byte, n int) []byte {
	switch n {
	case 1:
		return append(b, 0xd4, code)
	case 2:
		return append(b, 0xd5, code)
	case 4:
		return append(b, 0xd6, code)
	case 8:
		return append(b, 0xd7, code)
	case 16:
		return append(b, 0xd8, code)
	}
	switch {
	case n <= math.MaxUint8:
		return append(b, 0xc7, byte(n), code)
	case n <= math.MaxUint16:
		return append(binary.BigEndian.AppendUint16(append(b, 0xc8), uint16(n)), code)
	}
	return append(binary.BigEndian.AppendUint32(append(b, 0xc9), uint32(n)), code)
}
