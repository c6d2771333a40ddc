package service

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Service answers the API.
type Service struct {
	cfg     Config
	log     *slog.Logger
	gate    *gate
	bodies  *budget
	values  *workshop
	answers *budget
	runs    registry
	conns   connCounts
	metrics *figures
	server  *http.Server
	health  health
	doctor  doctorCache

	mu       sync.Mutex
	gen      *generation
	retired  sync.WaitGroup
	passed   []net.Listener
	draining bool
	reload   sync.Mutex // one at a time
}

// New reads policy, tokens and certificates, prepares the host and checks that it can run something.
func New(cfg Config) (*Service, error) {
	if err := cfg.fill(); err != nil {
		return nil, err
	}
	g, err := cfg.open()
	if err != nil {
		return nil, err
	}
	s := &Service{cfg: cfg, log: cfg.Logger, gen: g, gate: newGate(maxRealms(g.policy), cfg.Queue), bodies: newBudget(), values: newWorkshop(), answers: newBudget()}
	s.runs.all = map[runKey]*liveRun{}
	s.conns.each = map[string]int{}
	s.metrics = newFigures(s)
	s.conns.refused = func() { s.metrics.refusedConns.Add(1) }
	s.server = &http.Server{
		Handler:           s.handler(),
		ConnContext:       withPeer,
		ReadHeaderTimeout: cfg.patience / 3,
		ReadTimeout:       cfg.patience, // of a body that nobody reads; body has its own
		WriteTimeout:      cfg.patience, // of an answer that comes at once; a patientWriter has its own
		IdleTimeout:       2 * cfg.patience,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelDebug),
		Protocols:         new(http.Protocols),
	}
	s.server.Protocols.SetHTTP1(true)
	if err := s.check(context.Background()); err != nil {
		_ = g.close(context.Background())
		return nil, err
	}
	return s, nil
}

// current is the newest generation, for looking something up.
func (s *Service) current() *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gen
}

// use is the newest generation for as long as a run takes; the caller calls users.Done. Nil while draining.
func (s *Service) use() *generation {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return nil
	}
	s.gen.users.Add(1)
	return s.gen
}

// Reload reads policy, tokens and certificates again. On an error, everything stays as it was; runs that have begun
// keep what they began with in any case.
func (s *Service) Reload() error {
	s.reload.Lock()
	defer s.reload.Unlock()
	g, err := s.cfg.open()
	if err != nil {
		s.metrics.reloads.Add(1, "refused")
		s.log.Error("reload refused, everything stays as it was", "error", err)
		return err
	}
	s.mu.Lock()
	if s.draining {
		s.mu.Unlock()
		return g.close(context.Background())
	}
	old := s.gen
	s.gen = g
	s.retired.Go(func() {
		if err := old.retire(); err != nil {
			s.log.Error("the former policy's supervisor did not end well", "error", err)
		}
	})
	s.mu.Unlock()
	s.gate.resize(maxRealms(g.policy))
	s.metrics.reloads.Add(1, "done")
	s.log.Info("reloaded", "policySha256", g.hash, "before", old.hash)
	return nil
}

// Serve answers on every listener until Shutdown, and then returns nil. It closes them.
func (s *Service) Serve(listeners ...net.Listener) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go s.watch(ctx, listeners)
	errs := make(chan error, len(listeners))
	for _, l := range listeners {
		if p, ok := l.(passed); ok {
			s.mu.Lock()
			s.passed = append(s.passed, p)
			s.mu.Unlock()
		}
		a := &admission{Listener: l, conns: &s.conns, limit: s.connLimit}
		var in net.Listener = a
		if l.Addr().Network() != "unix" && s.cfg.TLSCert != "" {
			in = s.secure(a)
		}
		s.log.Info("listening", "network", l.Addr().Network(), "address", l.Addr().String())
		go func() { errs <- s.server.Serve(in) }()
	}
	s.cfg.Notify("READY=1\nSTATUS=" + s.status())
	var first error
	for range listeners {
		if err := <-errs; !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) && first == nil {
			first = err
			_ = s.server.Close()
		}
	}
	return first
}

// connLimit is how many connections a peer may have.
func (s *Service) connLimit(p *peer) int {
	if _, known := s.current().policy.ForPeer(p.uid, p.gids); known {
		return maxCallerConns
	}
	return maxUnknownConns
}

// Shutdown takes no more runs, waits for those that live until ctx ends, aborts what is left, and leaves nothing behind.
// As long as it waits, runs are answered and aborted as ever.
func (s *Service) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	for _, l := range s.passed {
		_ = l.Close() // who connects now is the next service's
	}
	s.draining = true
	g := s.gen
	s.mu.Unlock()
	live, _ := s.gate.counts()
	s.cfg.Notify("STOPPING=1\nSTATUS=Draining")
	s.log.Info("draining", "runs", live)
	select {
	case <-s.over(g):
	case <-ctx.Done():
	}
	err := s.server.Shutdown(ctx)
	if err != nil { // out of patience: answers get a moment to say that they were aborted
		s.log.Warn("aborting what is left", "runs", s.runs.abortAll())
		late, cancel := context.WithTimeout(context.Background(), s.cfg.patience/6)
		defer cancel()
		if err = s.server.Shutdown(late); err != nil {
			err = s.server.Close()
		}
	}
	ended, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if cerr := g.close(ended); err == nil {
		err = cerr
	}
	s.retired.Wait()
	return err
}

// over is closed when no run is left, of g or of policies before it. It is called while draining.
func (s *Service) over(g *generation) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		g.users.Wait()
		s.retired.Wait()
	}()
	return over
}
