package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// exitSignalled is the status of a process that the second signal ended.
const exitSignalled = 130

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP ends,
// which aborts the run in good order. A second signal ends this process at once.
// A SIGHUP that was ignored when it started, as nohup does, stays ignored.
//
// A reader of our output that goes away must not kill us in the middle of a run:
// SIGPIPE is caught (not ignored, which programs that we start would inherit).
func (a *app) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	caught, pipe := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(caught, syscall.SIGHUP)
	}
	signal.Notify(pipe, syscall.SIGPIPE)
	over := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-caught:
			case <-over:
				return
			}
			if n > 0 {
				a.Exit(exitSignalled)
			}
			cancel()
		}
	}()
	return ctx, func() {
		close(over)
		signal.Stop(caught)
		cancel()
	}
}
