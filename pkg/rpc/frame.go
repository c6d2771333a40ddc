package rpc

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/vmihailenco/msgpack/v5"
)

// MaxFrameBytes bounds every payload, whatever its op: the largest value that
// may cross (1 GiB) and room for the fields around it.
const MaxFrameBytes = 1<<30 + 1<<20

// headBytes are the length, the header of an array of three, and the op.
const headBytes = 4 + 1 + 1

// growBytes is how far the buffer runs ahead of the bytes that have arrived.
const growBytes = 1 << 20

// Frame is one received message. Body is a scanned msgpack value.
type Frame struct {
	Op   Op
	ID   uint64
	Body []byte
}

// Reader reads frames from a hostile peer.
type Reader struct {
	r    io.Reader
	head [headBytes]byte
	// Started, when set, is called with true once the first byte of a frame is
	// there and with false when the frame is complete: an owner can bound the
	// time that a peer may take for one frame.
	Started func(bool)
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 16<<10)} }

// Next reads one frame. limit answers the largest payload in bytes that op may
// have now, or why op may not come at all. The error is io.EOF between frames,
// what the underlying reader said, or wraps ErrMalformed.
func (r *Reader) Next(limit func(Op) (int, error)) (Frame, error) {
	if _, err := io.ReadFull(r.r, r.head[:1]); err != nil {
		return Frame{}, err
	}
	if r.Started != nil {
		r.Started(true)
		defer r.Started(false)
	}
	if _, err := io.ReadFull(r.r, r.head[1:4]); err != nil {
		return Frame{}, truncated(err)
	}
	n := binary.BigEndian.Uint32(r.head[:4])
	if n < 4 { // array, op, id and body: waiting for more of it would take for ever
		return Frame{}, malformed("a payload of %d bytes", n)
	}
	if _, err := io.ReadFull(r.r, r.head[4:]); err != nil {
		return Frame{}, truncated(err)
	}
	if r.head[4] != 0x93 || r.head[5] > 0x7f {
		return Frame{}, malformed("the payload does not begin with an array of three and an op")
	}
	op := Op(r.head[5])
	max, err := limit(op)
	if err != nil {
		return Frame{}, err
	}
	if max = min(max, MaxFrameBytes); int64(n) > int64(max) {
		return Frame{}, malformed("%s of %d bytes, at most %d are allowed", op, n, max)
	}
	payload, err := r.body(int(n))
	if err != nil {
		return Frame{}, err
	}
	if err := Scan(payload); err != nil {
		return Frame{}, fmt.Errorf("%s: %w", op, err)
	}
	d := newDecoder(payload[2:])
	var id int64
	if d.size(&id); d.err != nil {
		return Frame{}, fmt.Errorf("%s: %w", op, d.err)
	}
	return Frame{Op: op, ID: uint64(id), Body: d.rest()}, nil
}

// body reads the rest of a payload of n bytes into a buffer that grows with the
// bytes that really come.
func (r *Reader) body(n int) ([]byte, error) {
	buf := make([]byte, min(n, growBytes))
	have := copy(buf, r.head[4:])
	for {
		m, err := io.ReadFull(r.r, buf[have:])
		have += m
		if err != nil {
			return nil, truncated(err)
		}
		if have == n {
			return buf, nil
		}
		next := make([]byte, min(n, 2*len(buf)))
		copy(next, buf)
		buf = next
	}
}

func truncated(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return malformed("the peer closed within a frame")
	}
	return err
}

// Writer writes frames. Methods may be called concurrently.
type Writer struct {
	mu sync.Mutex
	w  io.Writer
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Send writes m as one frame.
func (w *Writer) Send(id uint64, m Message) error {
	e := newEncoder(m.Op(), id)
	m.encode(e)
	frame, err := e.finish()
	if err != nil {
		return fmt.Errorf("encode %s: %w", m.Op(), err)
	}
	return w.write(frame)
}

// SendBody writes a frame whose body is msgpack already: an array of fields.
func (w *Writer) SendBody(op Op, id uint64, body []byte) error {
	e := newEncoder(op, id)
	e.raw(body)
	frame, err := e.finish()
	if err != nil {
		return fmt.Errorf("encode %s: %w", op, err)
	}
	return w.write(frame)
}

func (w *Writer) write(frame []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.w.Write(frame)
	return err
}

// Decode reads the body of f into m. The error wraps ErrMalformed.
func (f Frame) Decode(m Message) error {
	if f.Op != m.Op() {
		return malformed("%s where %s was expected", f.Op, m.Op())
	}
	d := newDecoder(f.Body)
	if m.decode(d); d.err != nil {
		return fmt.Errorf("%s: %w", f.Op, d.err)
	}
	if n := d.r.Len(); n != 0 {
		return malformed("%s: %d bytes after the last field", f.Op, n)
	}
	return nil
}

// Raw is a msgpack value that is handed on without being decoded.
type Raw = msgpack.RawMessage

// ReplyBytes answers call id with a Uint8Array. The data is not copied.
func (w *Writer) ReplyBytes(id uint64, data []byte) error {
	e := newEncoder(OpReply, id)
	e.array(2)
	e.bool(true)
	e.keep(e.enc.EncodeBytesLen(len(data)))
	e.tail = len(data)
	frame, err := e.finish()
	if err != nil {
		return fmt.Errorf("encode Reply: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.w.Write(frame); err != nil {
		return err
	}
	_, err = w.w.Write(data)
	return err
}
