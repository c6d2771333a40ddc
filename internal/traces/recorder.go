package traces

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

const (
	queued       = 1024
	restartAfter = time.Second
	restartMost  = time.Minute
)

// Recorder passes traces on. A nil Recorder takes and forgets them.
type Recorder struct {
	path    string
	env     []string
	log     *slog.Logger
	queue   chan *Span
	dropped atomic.Int64
	closing context.Context // what is queued is still exported
	close   context.CancelFunc
	ending  context.Context // the process is killed
	end     context.CancelFunc
	done    chan struct{}
}

// Start starts the exporting process at path, which gets the standard variables of environ. Close it.
func Start(path string, environ []string, log *slog.Logger) (*Recorder, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New(path + " is no program")
	}
	r := &Recorder{path: path, env: variables(environ), log: log, queue: make(chan *Span, queued), done: make(chan struct{})}
	r.closing, r.close = context.WithCancel(context.Background())
	r.ending, r.end = context.WithCancel(context.Background())
	go r.run()
	return r, nil
}

// Record takes a trace, which the caller leaves alone from then on. It never waits.
func (r *Recorder) Record(s *Span) {
	if r == nil {
		return
	}
	select {
	case r.queue <- s:
	default:
		r.dropped.Add(1)
	}
}

// Dropped counts the traces that were not passed on.
func (r *Recorder) Dropped() int64 {
	if r == nil {
		return 0
	}
	return r.dropped.Load()
}

// Close lets what was recorded be exported until ctx ends. The process has ended then: by itself, or killed.
func (r *Recorder) Close(ctx context.Context) {
	if r == nil {
		return
	}
	r.close()
	defer context.AfterFunc(ctx, r.end)()
	<-r.done
}

// run keeps a process running, the longer between two the more often it failed.
func (r *Recorder) run() {
	defer close(r.done)
	wait := restartAfter
	for {
		began := time.Now()
		err := r.export()
		if r.closing.Err() != nil {
			return
		}
		r.log.Warn("traces are not exported", "error", err, "again", wait)
		select {
		case <-time.After(wait):
		case <-r.closing.Done():
			return
		}
		if wait = min(2*wait, restartMost); time.Since(began) > 2*restartMost {
			wait = restartAfter
		}
	}
}

// export is one process's life.
func (r *Recorder) export() error {
	cmd := exec.CommandContext(r.ending, r.path)
	cmd.Env, cmd.Dir = r.env, "/"
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(r.ending, func() { // whoever else holds their other ends
		_ = in.Close()
		_ = said.Close()
	})()
	var relay sync.WaitGroup
	gone := make(chan struct{})
	relay.Go(func() {
		defer close(gone)
		lines := bufio.NewScanner(io.LimitReader(said, 1<<20))
		for lines.Scan() {
			r.log.Warn("traces", "exporter", lines.Text())
		}
		_, _ = io.Copy(io.Discard, said)
	})
	err = r.feed(in, gone)
	_ = in.Close()
	if r.closing.Err() == nil {
		_ = cmd.Process.Kill()
	}
	stuck := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
	defer stuck.Stop()
	relay.Wait()
	return errors.Join(err, cmd.Wait())
}

// feed writes traces until the process is gone, or everything is written and the Recorder closes.
func (r *Recorder) feed(in io.Writer, gone <-chan struct{}) error {
	out := json.NewEncoder(in)
	for {
		select {
		case s := <-r.queue:
			if err := out.Encode(s); err != nil {
				r.dropped.Add(1)
				return err
			}
			continue
		default:
		}
		select {
		case s := <-r.queue:
			if err := out.Encode(s); err != nil {
				r.dropped.Add(1)
				return err
			}
		case <-gone:
			return errors.New("the exporter has ended")
		case <-r.closing.Done():
			if len(r.queue) == 0 {
				return nil
			}
		}
	}
}
