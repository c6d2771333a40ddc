package service

import (
	"errors"
	"io"
	"sync"
)

const (
	maxBodyBytes   = 32 << 20  // of one request: the longest source with every character escaped once
	maxCallerBytes = 96 << 20  // of one identity: of its requests, read and not yet answered; of its results; and again of its answers
	maxTotalBytes  = 256 << 20 // of all of them
)

var (
	errBodyTooLarge = errors.New("the body is too large")
	errBodiesFull   = errors.New("too many bytes of requests are being worked on")
)

// budget bounds the memory that something takes: the bodies of requests, or answers that are not read yet.
type budget struct {
	mu        sync.Mutex
	each, all int64 // limits
	total     int64
	shares    map[string]int64
}

func newBudget() *budget {
	return &budget{each: maxCallerBytes, all: maxTotalBytes, shares: map[string]int64{}}
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
	if b.total+n > b.all || b.shares[who]+n > b.each {
		return false
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
