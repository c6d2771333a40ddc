package main

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

func sustained(b *bench) (*measured, error) {
	source, err := b.file("one.ts", oneLine)
	if err != nil {
		return nil, err
	}
	s, end, err := b.supervise(supervisor.Config{MaxConcurrent: 4, MaxQueue: 8})
	if err != nil {
		return nil, err
	}
	defer end()
	ours, deno := newSeries("supervisor, 4 at a time"), newSeries("deno run, 2 at a time")
	blocks, each := b.times(6), 60
	err = pair(blocks,
		block(ours, each, 4, func() error {
			_, err := s.Run(context.Background(), supervisor.Request{Source: oneLine})
			return err
		}),
		block(deno, each, 2, func() error { return exec.Command(b.deno(), "run", "--no-prompt", source).Run() }))
	return &measured{Series: []*series{ours, deno}, Figure: ratio(ours, deno)}, err
}

// block adds the rate of n calls of f, some at a time.
func block(into *series, n, atATime int, f func() error) func(bool) error {
	return func(count bool) error {
		todo := make(chan struct{}, n)
		for range n {
			todo <- struct{}{}
		}
		close(todo)
		failures := make([]error, atATime)
		var workers sync.WaitGroup
		start := time.Now()
		for i := range atATime {
			workers.Go(func() {
				for range todo {
					failures[i] = errors.Join(failures[i], f())
				}
			})
		}
		workers.Wait()
		if d := time.Since(start); count {
			into.add(float64(n) / d.Seconds())
		}
		return errors.Join(failures...)
	}
}
