package supervisor

import (
	"context"
	"crypto/rand"
	"sync"
)

// Supervisor starts runs and owns everything that they need. Use New.
type Supervisor struct {
	cfg  Config
	host host

	mu     sync.Mutex
	places places
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
	return &Supervisor{cfg: cfg, host: h, runs: map[*Session]struct{}{}}, nil
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

// Submit starts a run and returns before its realm exists, or its place in the
// queue has come. Tools that the grants allow and that have no Go function become
// data_request events. The error is an *Error: INVALID, VALIDATION or CAPACITY.
// When ctx ends, the run is aborted.
func (s *Supervisor) Submit(ctx context.Context, r Request) (*Session, error) {
	return s.submit(ctx, r, true)
}

func (s *Supervisor) submit(ctx context.Context, r Request, events bool) (*Session, error) {
	if r.ID == "" {
		r.ID = rand.Text()
	}
	if ctx == nil {
		return nil, failure(CodeInvalid, nil, "the context is nil; use context.Background()")
	}
	if err := checkTools(r.Tools); err != nil {
		return nil, err
	}
	if s.isClosed() {
		return nil, closedError()
	}
	x, err := s.prepare(r)
	if err != nil {
		return nil, err
	}
	p, err := s.enter()
	if err != nil {
		x.close()
		return nil, err
	}
	session, err := s.begin(ctx, x, newSession(r.ID, events), p)
	if err != nil {
		p.free()
	}
	return session, err
}

// begin runs x in its place.
func (s *Supervisor) begin(ctx context.Context, x *execution, session *Session, p *place) (*Session, error) {
	x.session, x.place = session, p
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

// Live is the number of realms whose run is not over.
func (s *Supervisor) Live() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places.live - s.places.vacated
}

// Shutdown takes no more runs, waits for the live ones until ctx ends, aborts
// what is left, and leaves nothing behind.
func (s *Supervisor) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.places.dismiss()
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
			r.abortFor("aborted: " + closedError().Message)
		}
		s.mu.Unlock()
		<-drained
	}
	return s.host.close()
}
