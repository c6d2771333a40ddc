package supervisor

import (
	"context"
	"slices"
	"time"
)

// places are the MaxConcurrent that live realms take. They are guarded by the
// Supervisor's mutex.
type places struct {
	live    int // realms that are not gone, and places that were handed to a turn
	vacated int // of them, those whose run is over
	waiting []*place
}

// place is one of them, or a turn in the queue for one; turns are served in
// their order. A run whose result is known has vacated its place, and frees it
// a moment later, when its realm is gone. A nil place is none.
type place struct {
	s       *Supervisor
	ready   chan struct{} // closed when a turn has its place, or when the supervisor shuts down
	taken   bool
	vacated bool
}

// enter takes a place, or a turn for one. One that is vacated is waited for,
// since that takes the kernel milliseconds; beyond that there is the queue, if
// there is one.
func (s *Supervisor) enter() (*place, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := &s.places
	switch {
	case s.closed:
		return nil, closedError()
	case len(all.waiting) == 0 && all.live < s.cfg.MaxConcurrent:
		all.live++
		return &place{s: s, taken: true}, nil
	case all.live-all.vacated+len(all.waiting) >= s.cfg.MaxConcurrent+s.cfg.MaxQueue:
		return nil, s.full()
	}
	turn := &place{s: s, ready: make(chan struct{})}
	all.waiting = append(all.waiting, turn)
	return turn, nil
}

// await waits until a turn has its place. After an error it has none.
func (p *place) await(ctx context.Context, abort <-chan struct{}) error {
	if p == nil || p.ready == nil {
		return nil
	}
	var deadline <-chan time.Time
	if p.s.cfg.QueueTimeout > 0 {
		t := time.NewTimer(p.s.cfg.QueueTimeout)
		defer t.Stop()
		deadline = t.C
	}
	var err error
	select {
	case <-p.ready:
		err = closedError()
	case <-deadline:
		err = p.s.full()
	case <-abort:
		err = failure(CodeAborted, nil, "aborted while waiting for a free realm")
	case <-ctx.Done():
		err = failure(CodeAborted, ctx.Err(), "%s", abortion(ctx, "aborted while waiting for a free realm"))
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.taken {
		return nil // even if that came together with the deadline
	}
	p.s.places.leave(p)
	return err
}

func (s *Supervisor) full() *Error {
	e := failure(CodeCapacity, nil, "%d realms are live, which is the limit", s.cfg.MaxConcurrent)
	e.Hint = "wait for a run to end, or raise maxConcurrent"
	return e
}

// hand gives free places, of most in all, to those who wait for one.
func (all *places) hand(most int) {
	for len(all.waiting) > 0 && all.live < most {
		turn := all.waiting[0]
		all.waiting = all.waiting[1:]
		all.live++
		turn.taken = true
		close(turn.ready)
	}
}

// dismiss sends everybody away who waits.
func (all *places) dismiss() {
	for _, turn := range all.waiting {
		close(turn.ready)
	}
	all.waiting = nil
}

// leave takes a turn out of the queue.
func (all *places) leave(turn *place) {
	all.waiting = slices.DeleteFunc(all.waiting, func(other *place) bool { return other == turn })
}

// vacate says that the run is over.
func (p *place) vacate() {
	if p == nil {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.taken {
		p.vacated = true
		p.s.places.vacated++
	}
}

// free gives the place back, or the turn. It is called once.
func (p *place) free() {
	if p == nil {
		return
	}
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if !p.taken {
		p.s.places.leave(p)
		return
	}
	p.s.places.live--
	if p.vacated {
		p.s.places.vacated--
	}
	p.s.places.hand(p.s.cfg.MaxConcurrent)
}
