package service

import (
	"errors"
	"io"
	"sync"
)

const (
	maxBodyBytes   = 32 << 20  // of one request: the longest source with every character escaped once
	maxCallerBytes = 96 << 20  // of one identity's requests, read and not yet answered
	maxBodiesBytes = 256 << 20 // of all of them
)

var (
	errBodyTooLarge = errors.New("the body is too large")
	errBodiesFull   = errors.New("too many bytes of requests are being worked on")
)

// budget bounds the memory that the bodies of requests take.
type budget struct {
	mu     sync.Mutex
	total  int64
	shares map[string]int64
}

// body reads r to its end for who. release gives the bytes back, whatever the error.
func (b *budget) body(who string, r io.Reader) (body []byte, release func(), err error) {
	var taken int64
	release = sync.OnceFunc(func() { b.give(who, taken) })
	const step = 64 << 10
	buf := make([]byte, 0, 4<<10)
	for {
		if len(buf) == cap(buf) {
			grown := make([]byte, len(buf), min(2*cap(buf)+step, maxBodyBytes+1))
			copy(grown, buf)
			buf = grown
		}
		if more := int64(cap(buf)) - taken; more > 0 {
			if !b.take(who, more) {
				return nil, release, errBodiesFull
			}
			taken += more
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > maxBodyBytes:
			return nil, release, errBodyTooLarge
		case err == io.EOF:
			return buf, release, nil
		case err != nil:
			return nil, release, err
		}
	}
}

// taken is how many bytes are held now.
func (b *budget) taken() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total
}

func (b *budget) take(who string, n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total+n > maxBodiesBytes || b.shares[who]+n > maxCallerBytes {
		return false
	}
	if b.shares == nil {
		b.shares = map[string]int64{}
	}
	b.total += n
	b.shares[who] += n
	return true
}

func (b *budget) give(who string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total -= n
	if b.shares[who] -= n; b.shares[who] == 0 {
		delete(b.shares, who)
	}
}
