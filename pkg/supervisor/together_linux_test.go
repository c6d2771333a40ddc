package supervisor_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/supervisor"
)

// Sixty-four sessions at once: aborts at random moments, consumers that vanish, realms killed from outside and, the second time, a
// shutdown in the middle. Each ends with one terminal event and nothing is left. `make test` runs it with the race detector too.
func TestSixtyFourSessionsBearWhateverHappens(t *testing.T) {
	for _, shutdown := range []bool{false, true} {
		before := look(t)
		s, err := supervisor.New(supervisor.Config{MaxConcurrent: 8, MaxQueue: 64, QueueTimeout: patience, WarmPoolSize: 2})
		if err != nil {
			t.Fatal(err)
		}
		sources := []string{
			`await dataProxy.request('ask', {a: 1})`,
			`for (let i = 0; i < 50; i++) { console.log(i); reportStatus('a', 'b') } await Promise.all([1, 2, 3].map(i => dataProxy.request('ask', i).catch(e => e.code)))`,
			`for (;;);`,
			`await new Promise(f => setTimeout(f, 20)); 'x'.repeat(1e6)`,
			`throw new Error('x')`,
		}
		var all, sessions sync.WaitGroup
		for i := range 64 {
			sessions.Go(func() { oneOfMany(t, s, sources[i%len(sources)], i) })
		}
		done := make(chan struct{})
		all.Go(func() { killRealms(t, done) })
		if shutdown {
			time.Sleep(rand.N(200 * time.Millisecond)) // in the middle
		} else {
			sessions.Wait()
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		sessions.Wait()
		close(done)
		all.Wait()
		gone(t, func() []string {
			runtime.GC() // the binary stays open for its digest as long as a receipt can ask for it
			return before.gained(look(t))
		})
	}
}

// oneOfMany submits run i, whose caller has a habit of its own.
func oneOfMany(t *testing.T, s *supervisor.Supervisor, source string, i int) {
	x, err := s.Submit(context.Background(), supervisor.Request{Source: source, Grants: allowed("ask"), Limits: supervisor.Limits{WallClockMs: 800}})
	if err != nil {
		if !errors.Is(err, supervisor.ErrAborted) {
			t.Errorf("run %d: %v", i, err)
		}
		return
	}
	if i%3 == 0 {
		time.AfterFunc(rand.N(300*time.Millisecond), x.Abort) // anywhere in the run, or in the queue
	}
	if i%4 == 1 { // a consumer that vanishes after some events, or before the first
		for range x.Events() {
			if rand.N(3) == 0 {
				break
			}
		}
		_, _ = x.Wait()
		return
	}
	terminal := 0
	for e := range x.Events() {
		if e.Terminal() {
			terminal++
		}
		if e.DataRequestID != "" {
			_ = x.Respond(e.DataRequestID, i)
		}
	}
	if res, _ := x.Wait(); terminal != 1 || res == nil {
		t.Errorf("run %d: %d terminal events, %v", i, terminal, res)
	}
}

// killRealms kills a realm of this process now and then, waiting ones among them.
func killRealms(t *testing.T, done chan struct{}) {
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		if realms := called(descendants(t, os.Getpid()), "realm"); len(realms) > 0 {
			_ = unix.Kill(realms[rand.N(len(realms))].pid, unix.SIGKILL)
		}
	}
}
