package main

import (
	"context"
	"fmt"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

// open starts a supervisor; the caller closes it.
func (b *bench) supervise(cfg supervisor.Config) (*supervisor.Supervisor, func(), error) {
	cfg.RealmPath = b.realm()
	s, err := supervisor.New(cfg)
	if err != nil {
		return nil, nil, err
	}
	return s, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = s.Shutdown(ctx)
	}, nil
}

// waitFor waits until n realms wait, and a moment more: what they do while they
// wait is done then.
func waitFor(s *supervisor.Supervisor, n int) error {
	for start := time.Now(); s.Waiting() < n; time.Sleep(time.Millisecond) {
		if time.Since(start) > 20*time.Second {
			return fmt.Errorf("%d of %d realms wait", s.Waiting(), n)
		}
	}
	time.Sleep(settle)
	return nil
}

const settle = 60 * time.Millisecond

// number runs a guest that answers with a number.
func number(s *supervisor.Supervisor, r supervisor.Request) (float64, error) {
	res, err := s.Run(context.Background(), r)
	if err != nil {
		return 0, err
	}
	var n float64
	return n, res.Decode(&n)
}

// numbers runs a guest that answers with a list of numbers.
func numbers(s *supervisor.Supervisor, r supervisor.Request) ([]float64, error) {
	res, err := s.Run(context.Background(), r)
	if err != nil {
		return nil, err
	}
	var list []float64
	return list, res.Decode(&list)
}
