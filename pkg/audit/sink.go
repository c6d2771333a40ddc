package audit

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// Sink takes records. An operation whose record cannot be appended must be
// refused.
type Sink interface {
	// Append completes r (Seq, Prev, Hash, and Timestamp when it is zero;
	// overlong strings are cut) and writes it. When it fails, nothing of r
	// is in the log; r's fields mean nothing then. It does not keep r.
	Append(r *Record) error
	// Sync makes what was appended durable, where that means something, and
	// returns the hash of the last record this sink appended, or of the last
	// one it found; [Genesis] for an empty log. Call it at a run's end.
	Sync() (head string, err error)
	// Close releases what the sink holds. It does not sync.
	Close() error
}

// NewWriter returns a sink that writes lines to w, such as standard error, as a
// chain of its own. One Append is one Write. After a failed write every further
// Append fails, since w may hold a part of a line. Close does not close w.
func NewWriter(w io.Writer) Sink {
	var failed error
	return newSink(func(_ Record, line []byte) error {
		if failed == nil {
			if _, err := w.Write(line); err != nil {
				failed = fmt.Errorf("write audit record: %w", err)
			}
		}
		return failed
	})
}

// NewFunc returns a sink that hands each completed record to f, one at a time.
// An error of f refuses the record.
func NewFunc(f func(Record) error) Sink {
	return newSink(func(r Record, _ []byte) error { return f(r) })
}

// Memory is a sink that keeps its records. It grows without bound.
type Memory struct {
	sink
	records []Record
}

// NewMemory returns an empty [Memory].
func NewMemory() *Memory {
	m := &Memory{}
	m.sink = sink{chain: newChain(), write: func(r Record, _ []byte) error {
		m.records = append(m.records, r)
		return nil
	}}
	return m
}

// Records returns a copy of what was appended so far, oldest first.
func (m *Memory) Records() []Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.records)
}

// sink chains records and hands them to write under its lock.
type sink struct {
	mu     sync.Mutex
	chain  chain
	buf    []byte
	closed bool
	write  func(r Record, line []byte) error
}

func newSink(write func(Record, []byte) error) *sink {
	return &sink{chain: newChain(), write: write}
}

func (s *sink) Append(r *Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	line, err := s.chain.seal(r, s.buf)
	if err != nil {
		return err
	}
	s.buf = line
	if err := s.write(*r, line); err != nil {
		return err
	}
	s.chain.advance(r)
	return nil
}

func (s *sink) Sync() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chain.head, nil
}

func (s *sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// Tee returns a sink that appends each record to all sinks, in order, each with
// its own chain. The record comes back as the first sink completed it, and the
// head is the first one's. It fails when one of them fails; the others keep the
// record then. Close closes them all.
func Tee(first Sink, more ...Sink) Sink {
	if len(more) == 0 {
		return first
	}
	return tee(append([]Sink{first}, more...))
}

type tee []Sink

func (t tee) Append(r *Record) error {
	if r.Timestamp == 0 {
		r.Timestamp = time.Now().UnixMilli()
	}
	original := *r
	err := t[0].Append(r)
	for _, s := range t[1:] {
		each := original
		err = errors.Join(err, s.Append(&each))
	}
	return err
}

func (t tee) Sync() (string, error) {
	head, err := t[0].Sync()
	for _, s := range t[1:] {
		_, e := s.Sync()
		err = errors.Join(err, e)
	}
	return head, err
}

func (t tee) Close() error {
	var err error
	for _, s := range t {
		err = errors.Join(err, s.Close())
	}
	return err
}
