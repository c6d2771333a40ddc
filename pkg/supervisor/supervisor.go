package supervisor

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// Supervisor starts runs and owns everything that they need. Use New.
type Supervisor struct {
	cfg  Config
	host host

	mu     sync.Mutex
	live   int
	queued int
	freed  chan struct{} // closed and replaced when a place becomes free
	closed bool
	runs   map[*Session]struct{}
	idle   sync.WaitGroup // sessions and the ends of their realms
}

// New probes the host and prepares it for runs. The error is an *Error: what is
// missing is UNENFORCEABLE, a wrong Config INVALID.
func New(cfg Config) (*Supervisor, error) {
	if err := cfg.fill(); err != nil {
		return nil, err
	}
	h, err := openHost(&cfg)
	if err != nil {
		return nil, err
	}
	return &Supervisor{cfg: cfg, host: h, freed: make(chan struct{}), runs: map[*Session]struct{}{}}, nil
}

// Run evaluates one source and waits for its end. On failure the error is an
// *Error and the Result still holds logs and stats.
func (s *Supervisor) Run(ctx context.Context, r Request) (*Result, error) {
	session, err := s.submit(ctx, r, false)
	if err != nil {
		e := AsError(err)
		return &Result{RequestID: r.ID, Value: Undefined, Stats: Stats{WallMs: 1}, err: e}, e
	}
	return session.Wait()
}

// Submit starts a run and returns before its realm exists. Tools that the
// grants allow and that have no Go function become data_request events. The
// error is an *Error: INVALID or CAPACITY. When ctx ends, the run is aborted.
func (s *Supervisor) Submit(ctx context.Context, r Request) (*Session, error) {
	return s.submit(ctx, r, true)
}

func (s *Supervisor) submit(ctx context.Context, r Request, events bool) (*Session, error) {
	r.RemoteTools = r.RemoteTools || events
	if r.ID == "" {
		r.ID = rand.Text()
	}
	if s.isClosed() {
		return nil, closedError()
	}
	x, err := s.prepare(r)
	if err != nil {
		return nil, err
	}
	if err := s.enter(ctx); err != nil {
		x.close()
		return nil, err
	}
	session, err := s.begin(ctx, x, newSession(r.ID, events), s.leave)
	if err != nil {
		s.leave()
	}
	return session, err
}

// begin runs x, and calls done once when what the run held is free again.
func (s *Supervisor) begin(ctx context.Context, x *execution, session *Session, done func()) (*Session, error) {
	x.session, x.done = session, done
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		x.close()
		return nil, closedError()
	}
	s.runs[session] = struct{}{}
	s.idle.Add(1)
	s.mu.Unlock()
	go func() {
		defer s.idle.Done()
		x.run(ctx)
		s.mu.Lock()
		delete(s.runs, session)
		s.mu.Unlock()
	}()
	return session, nil
}

func (s *Supervisor) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

func closedError() *Error { return failure(CodeAborted, nil, "the supervisor is shut down") }

// enter takes a place among the live realms, waiting in the queue if there is one.
func (s *Supervisor) enter(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return closedError()
	}
	if s.live < s.cfg.MaxConcurrent {
		s.live++
		return nil
	}
	if s.queued >= s.cfg.MaxQueue {
		return s.full()
	}
	s.queued++
	defer func() { s.queued-- }()
	var deadline <-chan time.Time
	if s.cfg.QueueTimeout > 0 {
		t := time.NewTimer(s.cfg.QueueTimeout)
		defer t.Stop()
		deadline = t.C
	}
	for s.live >= s.cfg.MaxConcurrent {
		freed := s.freed
		s.mu.Unlock()
		var err error
		select {
		case <-freed:
		case <-deadline:
			err = s.full()
		case <-ctx.Done():
			err = failure(CodeAborted, ctx.Err(), "aborted while waiting for a free realm")
		}
		s.mu.Lock()
		if err == nil && s.closed {
			err = closedError()
		}
		if err != nil {
			return err
		}
	}
	s.live++
	return nil
}

func (s *Supervisor) full() *Error {
	e := failure(CodeCapacity, nil, "%d realms are live, which is the limit", s.cfg.MaxConcurrent)
	e.Hint = "wait for a run to end, or raise maxConcurrent"
	return e
}

func (s *Supervisor) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live--
	s.wakeQueue()
}

func (s *Supervisor) wakeQueue() {
	close(s.freed)
	s.freed = make(chan struct{})
}

// Live is the number of live realms.
func (s *Supervisor) Live() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live
}

// Shutdown takes no more runs, waits for the live ones until ctx ends, aborts
// what is left, and leaves nothing behind.
func (s *Supervisor) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.wakeQueue()
	s.mu.Unlock()
	drained := make(chan struct{})
	go func() {
		s.idle.Wait()
		close(drained)
	}()
	select {
	case <-drained:
	case <-ctx.Done():
		s.mu.Lock()
		for r := range s.runs {
			r.Abort()
		}
		s.mu.Unlock()
		<-drained
	}
	return s.host.close()
}
