package rpc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// encoder builds one frame. The first error sticks.
type encoder struct {
	buf bytes.Buffer
	enc *msgpack.Encoder
	err error
	// tail bytes follow the frame's buffer on the wire.
	tail int
}

func newEncoder(op Op, id uint64) *encoder {
	e := &encoder{}
	e.buf.Write([]byte{0, 0, 0, 0, 0x93, byte(op)})
	e.enc = msgpack.NewEncoder(&e.buf)
	e.enc.UseCompactInts(true)
	e.keep(e.enc.EncodeUint(id))
	return e
}

func (e *encoder) keep(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *encoder) array(n int)      { e.keep(e.enc.EncodeArrayLen(n)) }
func (e *encoder) str(s string)     { e.keep(e.enc.EncodeString(s)) }
func (e *encoder) bin(b []byte)     { e.keep(e.enc.EncodeBytes(b)) } // nil encodes nil
func (e *encoder) int(n int64)      { e.keep(e.enc.EncodeInt(n)) }
func (e *encoder) bool(b bool)      { e.keep(e.enc.EncodeBool(b)) }
func (e *encoder) strs(s []string)  { e.array(len(s)); each(s, e.str) }
func (e *encoder) pair(p [2]string) { e.array(2); e.str(p[0]); e.str(p[1]) }

// raw writes a value that is encoded already; none is nil.
func (e *encoder) raw(r Raw) {
	if len(r) == 0 {
		e.keep(e.enc.EncodeNil())
		return
	}
	_, err := e.buf.Write(r)
	e.keep(err)
}

// optional writes a value that may be absent, which is not the same as null.
func (e *encoder) optional(r Raw) {
	if r == nil {
		e.array(0)
		return
	}
	e.array(1)
	e.raw(r)
}

func (e *encoder) finish() ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	frame := e.buf.Bytes()
	n := len(frame) - 4 + e.tail
	if n > MaxFrameBytes {
		return nil, ErrTooLarge
	}
	binary.BigEndian.PutUint32(frame, uint32(n))
	return frame, nil
}

// decoder reads the fields of one scanned body. It accepts exactly the type
// that is asked for: the library alone would take nil for a string or a float
// for an integer. The first error sticks and ends all further reading, so that
// a count is never taken from bytes that were not scanned as one.
type decoder struct {
	b   []byte
	r   *bytes.Reader
	d   *msgpack.Decoder
	err error
}

func newDecoder(b []byte) *decoder {
	r := bytes.NewReader(b)
	return &decoder{b: b, r: r, d: msgpack.NewDecoder(r)}
}

func (d *decoder) rest() []byte { return d.b[len(d.b)-d.r.Len():] }

// next returns the first byte of the next value; false ends the reading.
func (d *decoder) next(what string, is func(c byte) bool) bool {
	if d.err != nil {
		return false
	}
	rest := d.rest()
	if len(rest) == 0 {
		d.err = malformed("nothing where %s was expected", what)
	} else if !is(rest[0]) {
		d.err = malformed("byte 0x%02x where %s was expected", rest[0], what)
	}
	return d.err == nil
}

func (d *decoder) keep(err error) {
	if err != nil && d.err == nil {
		d.err = malformed("%v", err)
	}
}

func isArray(c byte) bool {
	return msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32
}
func isInt(c byte) bool {
	return msgpcode.IsFixedNum(c) || c >= msgpcode.Uint8 && c <= msgpcode.Int64
}
func isBool(c byte) bool { return c == msgpcode.True || c == msgpcode.False }
func isBin(c byte) bool  { return c == msgpcode.Nil || msgpcode.IsBin(c) }
func isAny(c byte) bool  { return true }

// array reads the header of a list and returns its length, 0 after an error.
func (d *decoder) array() int {
	if !d.next("an array", isArray) {
		return 0
	}
	n, err := d.d.DecodeArrayLen()
	d.keep(err)
	if n > d.r.Len() { // each element takes a byte
		d.keep(ErrTooLarge)
	}
	if d.err != nil {
		return 0
	}
	return n
}

// fields reads the header of a body that has n fields.
func (d *decoder) fields(n int) {
	if have := d.array(); d.err == nil && have != n {
		d.err = malformed("%d fields, expected %d", have, n)
	}
}

func (d *decoder) str(into *string) {
	if !d.next("a string", msgpcode.IsString) {
		return
	}
	s, err := d.d.DecodeString()
	d.keep(err)
	if !utf8.ValidString(s) {
		d.err = malformed("a string is not UTF-8")
	}
	*into = s
}

// bin reads bytes without copying them; nil stands for none.
func (d *decoder) bin(into *[]byte) {
	if !d.next("bytes", isBin) {
		return
	}
	*into = nil
	if d.rest()[0] == msgpcode.Nil {
		d.skip(1)
		return
	}
	n, err := d.d.DecodeBytesLen()
	d.keep(err)
	if d.err == nil && n <= d.r.Len() {
		*into = d.rest()[:n:n]
		d.skip(n)
	}
}

func (d *decoder) int(into *int64) {
	if !d.next("an integer", isInt) {
		return
	}
	if d.rest()[0] == msgpcode.Uint64 {
		n, err := d.d.DecodeUint64()
		d.keep(err)
		if n > math.MaxInt64 {
			d.err = malformed("integer %d is out of range", n)
		}
		*into = int64(n)
		return
	}
	n, err := d.d.DecodeInt64()
	d.keep(err)
	*into = n
}

// size reads an integer that is not negative.
func (d *decoder) size(into *int64) {
	if d.int(into); d.err == nil && *into < 0 {
		d.err = malformed("size %d is negative", *into)
	}
}

func (d *decoder) bool(into *bool) {
	if d.next("a boolean", isBool) {
		b, err := d.d.DecodeBool()
		d.keep(err)
		*into = b
	}
}

// raw takes the next value undecoded, nil as no value.
func (d *decoder) raw(into *Raw) {
	d.value(into)
	if len(*into) == 1 && (*into)[0] == msgpcode.Nil {
		*into = nil
	}
}

// value takes the next value undecoded, nil as itself.
func (d *decoder) value(into *Raw) {
	if !d.next("a value", isAny) {
		return
	}
	rest := d.rest()
	n, err := scanValue(rest)
	if d.keep(err); err == nil {
		*into = Raw(rest[:n:n])
		d.skip(n)
	}
}

func (d *decoder) optional(into *Raw) {
	switch d.array() {
	case 0:
		*into = nil
	case 1:
		d.value(into)
	default:
		d.keep(errors.New("an optional value of several"))
	}
}

// maxList bounds lists of strings, which take more memory than they took bytes: no realm of ours has more bytes beside
// the data of a call.
const maxList = 256 << 10

func (d *decoder) list() int {
	n := d.array()
	if n > maxList {
		d.keep(ErrTooLarge)
		return 0
	}
	return n
}

func (d *decoder) strs(into *[]string) {
	out := make([]string, d.list())
	for i := range out {
		d.str(&out[i])
	}
	*into = out
}

func (d *decoder) pairs(into *[][2]string) {
	out := make([][2]string, d.list())
	for i := range out {
		d.fields(2)
		d.str(&out[i][0])
		d.str(&out[i][1])
	}
	*into = out
}

func (d *decoder) skip(n int) {
	_, err := d.r.Seek(int64(n), io.SeekCurrent)
	d.keep(err)
}

func each[T any](list []T, f func(T)) {
	for _, v := range list {
		f(v)
	}
}
