package service

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

// checkPatience is how long a self-check may take.
const checkPatience = 10 * time.Second

// health is what the last self-check found.
type health struct {
	mu  sync.Mutex
	err error
}

func (h *health) last() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.err
}

// check takes a source of the service's own through every layer.
func (s *Service) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	g := s.use()
	if g == nil {
		return nil
	}
	defer g.users.Done()
	err := g.sup.SelfCheck(ctx)
	s.health.mu.Lock()
	before := s.health.err
	s.health.err = err
	s.health.mu.Unlock()
	switch {
	case err != nil:
		s.log.Error("the self-check failed: no source can be run", "error", err)
	case before != nil:
		s.log.Info("the self-check passes again")
	}
	return err
}

// watch checks every so often. The service manager hears that all is well only when it is.
func (s *Service) watch(ctx context.Context, listeners []net.Listener) {
	var sockets []*ownSocket
	for _, l := range listeners {
		if own, ok := l.(*ownSocket); ok {
			sockets = append(sockets, own)
		}
	}
	tick := time.NewTicker(s.cfg.interval())
	defer tick.Stop()
	for {
		if s.health.last() == nil && s.cfg.Watchdog > 0 {
			s.cfg.Notify("WATCHDOG=1")
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_ = s.check(ctx)
		s.keep(sockets)
		s.cfg.Notify("STATUS=" + s.status())
	}
}

// keep makes sockets again that are lost, and says why it cannot.
func (s *Service) keep(sockets []*ownSocket) {
	for _, own := range sockets {
		switch again, err := own.renew(); {
		case err != nil:
			s.log.Error("the socket is lost, nobody can connect", "path", own.path, "error", err)
		case again:
			s.log.Warn("the socket was lost and is made again", "path", own.path)
		}
	}
}

// status is a line for the service manager.
func (s *Service) status() string {
	live, waiting := s.gate.counts()
	text := fmt.Sprintf("%d runs live, %d waiting", live, waiting)
	if err := s.health.last(); err != nil {
		text += "; the self-check fails"
	}
	return text
}
