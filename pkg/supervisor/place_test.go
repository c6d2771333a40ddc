package supervisor

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"
)

// queued starts a caller that enters, and returns once it stands in the queue behind n others.
func queued(t *testing.T, s *Supervisor, ctx context.Context, n int, entered chan<- int) <-chan error {
	t.Helper()
	failed := make(chan error, 1)
	go func() {
		if _, err := s.enter(ctx); err != nil {
			failed <- err
			return
		}
		entered <- n
	}()
	for {
		s.mu.Lock()
		waiting := len(s.places.waiting)
		s.mu.Unlock()
		if waiting == n+1 {
			return failed
		}
		runtime.Gosched()
	}
}

func TestWaitersForAPlaceAreServedInTheirOrder(t *testing.T) {
	s := &Supervisor{cfg: Config{MaxConcurrent: 1, MaxQueue: 4}}
	first, err := s.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	entered := make(chan int, 4)
	leave, cancel := context.WithCancel(t.Context())
	var gone <-chan error
	for n := range 4 {
		ctx := t.Context()
		if n == 1 {
			ctx = leave
		}
		failed := queued(t, s, ctx, n, entered)
		if n == 1 {
			gone = failed
		}
	}
	if _, err := s.enter(t.Context()); !errors.Is(err, ErrCapacity) {
		t.Errorf("beyond the queue: %v", err)
	}
	cancel()
	if err := <-gone; !errors.Is(err, ErrAborted) {
		t.Errorf("one that gave up: %v", err)
	}
	var order []int
	for p := first; len(order) < 3; p = (&place{s: s}) {
		p.free()
		order = append(order, <-entered)
	}
	if !slices.Equal(order, []int{0, 2, 3}) {
		t.Errorf("served in the order %v", order)
	}
}

func TestAPlaceIsWaitedForNoLongerThanAllowed(t *testing.T) {
	s := &Supervisor{cfg: Config{MaxConcurrent: 1, MaxQueue: 1, QueueTimeout: time.Millisecond}}
	first, err := s.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.enter(t.Context()); !errors.Is(err, ErrCapacity) {
		t.Errorf("%v, want %v", err, ErrCapacity)
	}
	first.free()
	if _, err := s.enter(t.Context()); err != nil {
		t.Errorf("the place that became free: %v", err)
	}
	s.cfg.QueueTimeout = 0
	failed := queued(t, s, t.Context(), 0, nil)
	s.mu.Lock()
	s.closed = true
	s.places.dismiss()
	s.mu.Unlock()
	if err := <-failed; !errors.Is(err, ErrAborted) {
		t.Errorf("a shutdown: %v", err)
	}
}
