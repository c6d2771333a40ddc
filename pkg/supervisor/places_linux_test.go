package supervisor_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"realm.internal/supervisor/pkg/supervisor"
)

func TestMoreRunsThanPlacesAreRefusedOrWait(t *testing.T) {
	t.Parallel()
	s := supervise(t, supervisor.Config{MaxConcurrent: 1})
	first, err := s.Submit(context.Background(), supervisor.Request{Source: `await hold()`, Grants: allowed("hold")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Run(context.Background(), supervisor.Request{Source: `1`})
	if e := failed(t, supervisor.ErrCapacity, err); e.Code.ExitStatus() != 10 {
		t.Errorf("exit status %d", e.Code.ExitStatus())
	}
	first.Abort()
	if _, err := first.Wait(); !errors.Is(err, supervisor.ErrAborted) {
		t.Error(err)
	}

	for range 20 { // a place is free as soon as its run is over
		if _, err := s.Run(context.Background(), supervisor.Request{Source: `1`}); err != nil {
			t.Fatal(err)
		}
	}

	// Whoever submits does not wait in the queue, and what waits there can be aborted.
	q := supervise(t, supervisor.Config{MaxConcurrent: 1, MaxQueue: 8, QueueTimeout: patience})
	var waiting []*supervisor.Session
	for range 9 {
		one, err := q.Submit(context.Background(), supervisor.Request{Source: `await hold()`, Grants: allowed("hold")})
		if err != nil {
			t.Fatal(err)
		}
		waiting = append(waiting, one)
	}
	_, err = q.Submit(context.Background(), supervisor.Request{Source: `1`})
	failed(t, supervisor.ErrCapacity, err)
	slices.Reverse(waiting)
	for _, one := range waiting {
		one.Abort()
		_, err := one.Wait()
		failed(t, supervisor.ErrAborted, err)
	}

	errs := make(chan error, 8)
	for range 8 {
		go func() {
			_, err := q.Run(context.Background(), supervisor.Request{Source: `1`})
			errs <- err
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
