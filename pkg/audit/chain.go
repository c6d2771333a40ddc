package audit

import (
	"fmt"
	"time"
)

// chain is where a log stands: the next record gets seq+1 and prev.
type chain struct {
	seq  uint64
	head string
}

func newChain() chain { return chain{head: Genesis} }

// seal completes r as the next record and returns its line with the newline,
// in buf's memory when that is large enough. The chain itself moves on only
// with advance, once the line has been written.
func (c chain) seal(r *Record, buf []byte) ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	r.shorten()
	if r.Timestamp == 0 {
		r.Timestamp = time.Now().UnixMilli()
	}
	r.Seq, r.Prev = c.seq+1, c.head
	body := appendBody(buf[:0], r)
	r.Hash = hashOf(body)
	return append(appendHash(body, r.Hash), '\n'), nil
}

func (c *chain) advance(r *Record) { c.seq, c.head = r.Seq, r.Hash }

// leads reports, as a *CorruptError, why r does not follow.
func (c chain) leads(r *Record) error {
	switch {
	case r.Seq != c.seq+1:
		return &CorruptError{Reason: fmt.Sprintf("seq is %d, not %d", r.Seq, c.seq+1)}
	case r.Prev != c.head:
		return &CorruptError{Reason: "prev is not the hash of the line before"}
	}
	return nil
}
