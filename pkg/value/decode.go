package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits bound what Decode takes. The zero value means the defaults.
type Limits struct {
	MaxBytes    int // length of the input; 0: 256 MiB
	MaxDepth    int // nesting; 0: 10 000
	MaxElements int // values and keys in total; 0: bounded by the bytes alone
}

// Decode reads one value, which must be all of b, and keeps nothing of b. Bytes
// that no encoder writes are an error that wraps ErrMalformed, a limit one that
// wraps ErrLimit. Time and memory are proportional to len(b).
func Decode(b []byte, l Limits) (any, error) {
	if l.MaxBytes == 0 {
		l.MaxBytes = defaultBytes
	}
	if l.MaxDepth == 0 {
		l.MaxDepth = defaultDepth
	}
	if l.MaxElements == 0 {
		l.MaxElements = math.MaxInt
	}
	if len(b) > l.MaxBytes {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrLimit, len(b), l.MaxBytes)
	}
	d := decoder{b: b, limits: l, owed: 1}
	v, err := d.value()
	if err == nil && d.pos != len(b) {
		err = d.malformed("%d bytes follow the value", len(b)-d.pos)
	}
	if err == nil && v == Hole {
		err = d.malformed("a hole outside an array")
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

type decoder struct {
	b       []byte
	pos     int
	limits  Limits
	depth   int
	owed    int // values that open containers still announce, each of at least a byte
	read    int
	objects []any
	arena   strings.Builder
	keys    [64]string // the last key seen at each position: records repeat them
}

func (d *decoder) malformed(format string, args ...any) error {
	return fmt.Errorf("%w: byte %d: %s", ErrMalformed, d.pos, fmt.Sprintf(format, args...))
}

// remember gives an object the next index. The list doubles: append's own steps
// for long ones would leave several times its size behind.
func (d *decoder) remember(object any) {
	if len(d.objects) == cap(d.objects) {
		d.objects = slices.Grow(d.objects, max(8, len(d.objects)))
	}
	d.objects = append(d.objects, object)
}

// take returns the next n bytes.
func (d *decoder) take(n int) ([]byte, error) {
	if n > len(d.b)-d.pos {
		return nil, d.malformed("truncated")
	}
	part := d.b[d.pos : d.pos+n]
	d.pos += n
	return part, nil
}

// uint reads a big-endian length of n bytes.
func (d *decoder) uint(n int) (int, error) {
	part, err := d.take(n)
	if err != nil {
		return 0, err
	}
	u := 0
	for _, c := range part {
		u = u<<8 | int(c)
	}
	return u, nil
}

// announce takes on n further values. The sum over all open containers stays
// within the bytes left, so what is allocated for them is within len(b) too.
func (d *decoder) announce(n int) error {
	if n > len(d.b)-d.pos-d.owed {
		return d.malformed("%d elements are announced and %d bytes left", n, len(d.b)-d.pos)
	}
	d.owed += n
	return nil
}

func (d *decoder) value() (any, error) {
	d.owed--
	if d.read++; d.read > d.limits.MaxElements {
		return nil, fmt.Errorf("%w: more than %d elements", ErrLimit, d.limits.MaxElements)
	}
	if d.pos == len(d.b) {
		return nil, d.malformed("truncated")
	}
	c := d.b[d.pos]
	d.pos++
	switch {
	case c <= 0x7f:
		return float64(c), nil
	case c >= 0xe0:
		return float64(int8(c)), nil
	case c <= 0x8f:
		return d.object(int(c & 0x0f))
	case c <= 0x9f:
		return d.array(int(c & 0x0f))
	case c <= 0xbf:
		return d.string(int(c & 0x1f))
	}
	switch c {
	case 0xc0:
		return nil, nil
	case 0xc2:
		return false, nil
	case 0xc3:
		return true, nil
	case 0xcb:
		part, err := d.take(8)
		if err != nil {
			return nil, err
		}
		return math.Float64frombits(binary.BigEndian.Uint64(part)), nil
	case 0xcc, 0xcd, 0xce, 0xcf:
		return d.unsigned(1 << (c - 0xcc))
	case 0xd0, 0xd1, 0xd2, 0xd3:
		return d.signed(1 << (c - 0xd0))
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		return d.ext(1 << (c - 0xd4))
	case 0xc7, 0xc8, 0xc9:
		return sized(d, 1<<(c-0xc7), d.ext)
	case 0xd9, 0xda, 0xdb:
		return sized(d, 1<<(c-0xd9), d.string)
	case 0xc4, 0xc5, 0xc6:
		return sized(d, 1<<(c-0xc4), d.bytes)
	case 0xdc, 0xdd:
		return sized(d, 2<<(c-0xdc), d.array)
	case 0xde, 0xdf:
		return sized(d, 2<<(c-0xde), d.object)
	}
	d.pos--
	return nil, d.malformed("code %#x", c) // never used, and float 32
}

func sized(d *decoder, width int, read func(int) (any, error)) (any, error) {
	n, err := d.uint(width)
	if err != nil {
		return nil, err
	}
	return read(n)
}

func (d *decoder) unsigned(width int) (any, error) {
	n, err := d.uint(width)
	if err == nil && uint64(n) > maxSafe {
		err = d.malformed("an integer that is no safe integer")
	}
	return float64(n), err
}

func (d *decoder) signed(width int) (any, error) {
	u, err := d.uint(width)
	shift := 64 - 8*width
	n := int64(uint64(u)<<shift) >> shift
	if err == nil && (n > maxSafe || n < -maxSafe) {
		err = d.malformed("an integer that is no safe integer")
	}
	return float64(n), err
}

func (d *decoder) string(n int) (any, error) {
	part, err := d.utf8(n)
	if err != nil {
		return nil, err
	}
	return d.own(part), nil
}

func (d *decoder) utf8(n int) ([]byte, error) {
	part, err := d.take(n)
	if err == nil && !utf8.Valid(part) {
		err = d.malformed("a string is not UTF-8")
	}
	return part, err
}

// own copies short strings into blocks: one allocation for many.
func (d *decoder) own(part []byte) string {
	const block, short = 4096, 512
	if len(part) > short {
		return string(part)
	}
	if d.arena.Cap()-d.arena.Len() < len(part) {
		d.arena = strings.Builder{}
		d.arena.Grow(min(block, max(len(part), len(d.b))))
	}
	start := d.arena.Len()
	d.arena.Write(part)
	return d.arena.String()[start:]
}

func (d *decoder) bytes(n int) (any, error) {
	part, err := d.bin(n)
	if err != nil {
		return nil, err
	}
	d.remember(part)
	return part, nil
}

// bin copies n bytes into a slice that has an address even when empty, since
// the address is the identity.
func (d *decoder) bin(n int) ([]byte, error) {
	part, err := d.take(n)
	if err != nil {
		return nil, err
	}
	return append(make([]byte, 0, max(n, 1)), part...), nil
}

func (d *decoder) ext(n int) (any, error) {
	code, err := d.uint(1)
	if err != nil {
		return nil, err
	}
	part, err := d.take(n)
	if err != nil {
		return nil, err
	}
	switch {
	case code == extUndefined && n == 0:
		return Undefined, nil
	case code == extHole && n == 0:
		return Hole, nil
	case code == extBigInt && n > 0:
		return d.bigint(part)
	case code == extString16:
		return d.string16(part)
	case code == extDate && n == 8:
		return d.date(math.Float64frombits(binary.BigEndian.Uint64(part)))
	case code == extRef && n == 4:
		if i := binary.BigEndian.Uint32(part); uint64(i) < uint64(len(d.objects)) {
			return d.objects[i], nil
		}
		return nil, d.malformed("a reference to an object that has not been seen")
	}
	return nil, d.malformed("extension %d of %d bytes", code, n)
}

func (d *decoder) bigint(part []byte) (any, error) {
	sign, magnitude := part[0], part[1:]
	if sign > 1 || len(magnitude) == 0 && sign != 0 || len(magnitude) > 0 && magnitude[0] == 0 {
		return nil, d.malformed("a bigint that is not in its shortest form")
	}
	n := new(big.Int).SetBytes(magnitude)
	if sign == 1 {
		n.Neg(n)
	}
	return n, nil
}

func (d *decoder) string16(part []byte) (any, error) {
	if len(part)%2 != 0 {
		return nil, d.malformed("half a code unit")
	}
	units := make(String16, len(part)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(part[2*i:])
	}
	if wellFormed(units) {
		return nil, d.malformed("UTF-16 without a lone surrogate")
	}
	return units, nil
}

func (d *decoder) date(ms float64) (any, error) {
	var v any = InvalidDate
	switch {
	case ms != ms:
	case math.Abs(ms) <= maxDateMs && ms == math.Trunc(ms):
		v = time.UnixMilli(int64(ms)).UTC()
	default:
		return nil, d.malformed("a date out of range")
	}
	d.remember(v)
	return v, nil
}

func (d *decoder) tooDeep() error {
	return fmt.Errorf("%w: nested deeper than %d", ErrLimit, d.limits.MaxDepth)
}
