package supervisor

import (
	"context"
	"time"
)

// places are the MaxConcurrent that live realms take. They are guarded by the
// Supervisor's mutex.
type places struct {
	live    int           // realms that are not gone
	vacated int           // of them, those whose run is over
	claimed int           // callers that wait for a place
	freed   chan struct{} // closed and replaced when a place becomes free
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
	case p.live+p.claimed < s.cfg.MaxConcurrent:
		p.live++
		return &place{s: s}, nil
	case p.live-p.vacated+p.claimed >= s.cfg.MaxConcurrent+s.cfg.MaxQueue:
		// A place that is free already and meant for somebody who has yet to
		// wake up is not one that this caller lacks.
		return nil, s.full()
	}
	p.claimed++
	defer func() { p.claimed-- }()
	var deadline <-chan time.Time
	if s.cfg.QueueTimeout > 0 {
		t := time.NewTimer(s.cfg.QueueTimeout)
		defer t.Stop()
		deadline = t.C
	}
	for p.live >= s.cfg.MaxConcurrent {
		if err := s.await(ctx, deadline); err != nil {
			return nil, err
		}
		if s.closed {
			return nil, closedError()
		}
	}
	p.live++
	return &place{s: s}, nil
}

// await releases the mutex until a place becomes free.
func (s *Supervisor) await(ctx context.Context, deadline <-chan time.Time) error {
	freed := s.places.freed
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-freed:
	case <-deadline:
		return s.full()
	case <-ctx.Done():
		return failure(CodeAborted, ctx.Err(), "aborted while waiting for a free realm")
	}
	return nil
}

func (s *Supervisor) full() *Error {
	e := failure(CodeCapacity, nil, "%d realms are live, which is the limit", s.cfg.MaxConcurrent)
	e.Hint = "wait for a run to end, or raise maxConcurrent"
	return e
}

func (p *places) wake() {
	close(p.freed)
	p.freed = make(chan struct{})
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
	p.s.places.wake()
}
