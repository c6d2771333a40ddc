package supervisor

import (
	"context"
	"errors"
	"testing"
	"time"
)

// enter takes a place of s, or a turn.
func enter(t *testing.T, s *Supervisor) *place {
	t.Helper()
	p, err := s.enter()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWaitersForAPlaceAreServedInTheirOrder(t *testing.T) {
	s := &Supervisor{cfg: Config{MaxConcurrent: 1, MaxQueue: 4}}
	last := enter(t, s)
	var turns []*place
	for range 4 {
		turns = append(turns, enter(t, s))
	}
	if _, err := s.enter(); !errors.Is(err, ErrCapacity) {
		t.Errorf("beyond the queue: %v", err)
	}
	abort, over := make(chan struct{}), func() context.Context { ctx, cancel := context.WithCancel(t.Context()); cancel(); return ctx }()
	if err := turns[1].await(over, nil); !errors.Is(err, ErrAborted) {
		t.Errorf("one whose context ended: %v", err)
	}
	close(abort)
	if err := turns[2].await(t.Context(), abort); !errors.Is(err, ErrAborted) {
		t.Errorf("one that was aborted: %v", err)
	}
	for _, i := range []int{0, 3} {
		last.free()
		last = turns[i]
		if err := last.await(t.Context(), nil); err != nil {
			t.Errorf("turn %d: %v", i, err)
		}
	}
	last.free()
	if s.places.live != 0 || len(s.places.waiting) != 0 {
		t.Errorf("%+v", s.places)
	}
}

func TestAPlaceIsWaitedForNoLongerThanAllowed(t *testing.T) {
	s := &Supervisor{cfg: Config{MaxConcurrent: 1, MaxQueue: 1, QueueTimeout: time.Millisecond}}
	first := enter(t, s)
	if err := enter(t, s).await(t.Context(), nil); !errors.Is(err, ErrCapacity) {
		t.Errorf("%v, want %v", err, ErrCapacity)
	}
	enter(t, s).free() // a turn that is given back
	first.free()
	if err := enter(t, s).await(t.Context(), nil); err != nil {
		t.Errorf("the place that became free: %v", err)
	}
	s.cfg.QueueTimeout = 0
	turn := enter(t, s)
	s.mu.Lock()
	s.closed = true
	s.places.dismiss()
	s.mu.Unlock()
	if err := turn.await(t.Context(), nil); !errors.Is(err, ErrAborted) {
		t.Errorf("a shutdown: %v", err)
	}
}
