package supervisor

import (
	"context"
	"slices"
	"time"
)

// places are the MaxConcurrent that live realms take. They are guarded by the
// Supervisor's mutex.
type places struct {
	live    int // realms that are not gone, and places that were handed to a waiter
	vacated int // of them, those whose run is over
	waiting []*waiter
}

// waiter is a caller that waits for a place. They are served in their order.
type waiter struct {
	ready  chan struct{} // closed with handed set, or when the supervisor shuts down
	handed bool
}

// place is one of them. A run whose result is known has vacated it, and frees it
// a moment later, when its realm is gone. A nil place is none.
type place struct {
	s       *Supervisor
	vacated bool
}

// enter takes a place. One that is vacated is waited for, since that takes the
// kernel milliseconds; beyond that there is the queue, if there is one.
func (s *Supervisor) enter(ctx context.Context) (*place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.places
	switch {
	case s.closed:
		return nil, closedError()
	case len(p.waiting) == 0 && p.live < s.cfg.MaxConcurrent:
		p.live++
		return &place{s: s}, nil
	case p.live-p.vacated+len(p.waiting) >= s.cfg.MaxConcurrent+s.cfg.MaxQueue:
		return nil, s.full()
	}
	w := &waiter{ready: make(chan struct{})}
	p.waiting = append(p.waiting, w)
	err := s.await(ctx, w)
	if w.handed {
		return &place{s: s}, nil // even if that came together with the deadline
	}
	p.waiting = slices.DeleteFunc(p.waiting, func(other *waiter) bool { return other == w })
	return nil, err
}

// await releases the mutex until w has a place or can have none.
func (s *Supervisor) await(ctx context.Context, w *waiter) error {
	s.mu.Unlock()
	defer s.mu.Lock()
	var deadline <-chan time.Time
	if s.cfg.QueueTimeout > 0 {
		t := time.NewTimer(s.cfg.QueueTimeout)
		defer t.Stop()
		deadline = t.C
	}
	select {
	case <-w.ready:
		return closedError()
	case <-deadline:
		return s.full()
	case <-ctx.Done():
		return failure(CodeAborted, ctx.Err(), "aborted while waiting for a free realm")
	}
}

func (s *Supervisor) full() *Error {
	e := failure(CodeCapacity, nil, "%d realms are live, which is the limit", s.cfg.MaxConcurrent)
	e.Hint = "wait for a run to end, or raise maxConcurrent"
	return e
}

// hand gives free places, of most in all, to those who wait for one.
func (p *places) hand(most int) {
	for len(p.waiting) > 0 && p.live < most {
		w := p.waiting[0]
		p.waiting = p.waiting[1:]
		p.live++
		w.handed = true
		close(w.ready)
	}
}

// dismiss sends everybody away who waits.
func (p *places) dismiss() {
	for _, w := range p.waiting {
		close(w.ready)
	}
	p.waiting = nil
}

// vacate says that the run is over.
func (p *place) vacate() {
	if p == nil {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.vacated = true
	p.s.places.vacated++
}

// free gives the place back. It is called once.
func (p *place) free() {
	if p == nil {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	p.s.places.live--
	if p.vacated {
		p.s.places.vacated--
	}
	p.s.places.hand(p.s.cfg.MaxConcurrent)
}
