package supervisor_test

import (
	"context"
	"errors"
	"testing"

	"realm.internal/supervisor/pkg/supervisor"
)

// What guests and callers could do to the supervisor itself.

func TestTheLimitOnLiveRealmsHoldsAfterRunsAndSelfChecks(t *testing.T) {
	t.Parallel()
	s := supervise(t, supervisor.Config{MaxConcurrent: 1})
	for range 3 {
		if _, err := s.Run(context.Background(), supervisor.Request{Source: `1`}); err != nil {
			t.Fatal(err)
		}
		if err := s.SelfCheck(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Live(); n != 0 {
		t.Errorf("%d realms are live after the last run", n)
	}
	first, err := s.Submit(context.Background(), supervisor.Request{Source: `await hold()`, Grants: allowed("hold")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SelfCheck(context.Background()); err != nil {
		t.Error(err)
	}
	for range 2 {
		_, err = s.Run(context.Background(), supervisor.Request{Source: `1`})
		failed(t, supervisor.ErrCapacity, err)
	}
	first.Abort()
	if _, err := first.Wait(); !errors.Is(err, supervisor.ErrAborted) {
		t.Error(err)
	}
}
