package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// exitSignalled is the status of a process that the second signal ended.
const exitSignalled = 130

// sameSignal is within what time a second signal is the first one's shadow:
// timeout(1) sends one to its child and one to the group, and a terminal's may
// come with that of a parent.
const sameSignal = 500 * time.Millisecond

// interruptible returns a context that the first SIGINT, SIGTERM, SIGQUIT or SIGHUP ends,
// which aborts the run in good order. A later second one ends this process at once.
// A SIGHUP that was ignored when it started, as nohup does, stays ignored.
//
// A reader of our output that goes away must not kill us in the middle of a run:
// SIGPIPE is caught (not ignored, which programs that we start would inherit).
func (a *app) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	caught, pipe := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(caught, syscall.SIGHUP)
	}
	signal.Notify(pipe, syscall.SIGPIPE)
	over := make(chan struct{})
	go func() {
		var first time.Time
		for {
			select {
			case <-caught:
			case <-over:
				return
			}
			switch {
			case first.IsZero():
				first = time.Now()
				cancel()
			case time.Since(first) > sameSignal:
				a.Exit(exitSignalled)
			}
		}
	}()
	return ctx, func() {
		close(over)
		signal.Stop(caught)
		cancel()
	}
}
