package supervisor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

// Callers that do everything at once, twice and too late: each session still ends
// with one terminal event, and nothing is left of it.
func TestSessionsBearCallersWhoDoEverythingAtOnce(t *testing.T) {
	t.Parallel()
	s, err := supervisor.New(supervisor.Config{MaxConcurrent: 4, MaxQueue: 64, QueueTimeout: patience, WarmPoolSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	sources := []string{
		`await dataProxy.request('ask', {a: 1})`,
		`reportStatus('a', 'b'); console.log('x'); return await Promise.all([1, 2, 3].map(i => dataProxy.request('ask', i).catch(e => e.code)))`,
		`for (;;);`,
		`await new Promise(f => setTimeout(f, 5))`,
		`throw new Error('x')`,
	}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			x, err := s.Submit(ctx, supervisor.Request{Source: sources[i%len(sources)], Grants: allowed("ask"), Limits: supervisor.Limits{WallClockMs: 500}})
			if err != nil {
				t.Errorf("run %d: %v", i, err)
				return
			}
			var callers sync.WaitGroup
			var mu sync.Mutex
			terminal := 0
			for range 2 {
				callers.Go(func() {
					for e := range x.Events() {
						if e.Terminal() {
							mu.Lock()
							terminal++
							mu.Unlock()
						}
						if e.DataRequestID != "" {
							for n := range 3 {
								callers.Go(func() { _ = x.Respond(e.DataRequestID, n) })
							}
							callers.Go(func() { _ = x.Fail(e.DataRequestID, "E", "late") })
						}
						_ = x.Respond("d999", make(chan int)) // neither an id nor a value
					}
				})
				callers.Go(func() {
					if res, _ := x.Wait(); res == nil {
						t.Error("no result")
					}
				})
			}
			time.Sleep(rand.N(40 * time.Millisecond)) // anywhere in the run
			switch i % 4 {
			case 0:
				callers.Go(x.Abort)
				callers.Go(x.Abort)
			case 1:
				cancel()
			}
			callers.Wait()
			x.Abort()
			_ = x.Respond("d1", 1)
			if terminal != 1 {
				t.Errorf("run %d: %d terminal events", i, terminal)
			}
		})
	}
	all.Wait()
	if n := s.Live(); n != 0 {
		t.Errorf("%d realms are live", n)
	}
	shut(t, s)
}

// shut ends s from several places at once, with runs under way.
func shut(t *testing.T, s *supervisor.Supervisor) {
	t.Helper()
	var all sync.WaitGroup
	errs := make(chan error, 64)
	for i := range 8 {
		all.Go(func() {
			if i%2 == 0 {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				defer cancel()
				if err := s.Shutdown(ctx); err != nil {
					errs <- fmt.Errorf("shutdown: %w", err)
				}
				return
			}
			_, err := s.Run(context.Background(), supervisor.Request{Source: `for (;;);`, Limits: supervisor.Limits{WallClockMs: 2000}})
			if err == nil || !errors.Is(err, supervisor.ErrAborted) && !errors.Is(err, supervisor.ErrTimeout) {
				errs <- fmt.Errorf("run: %w", err)
			}
			_ = s.SelfCheck(context.Background())
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}
