package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

// stops are guests that outlive their deadline in different ways.
var stops = []struct{ name, source string }{
	{"loop", "for (;;);"},
	{"await", "await new Promise((resolve) => setTimeout(resolve, 1e9))"},
	{"native stall", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"},
}

// limit is the deadline that each of them runs into.
const limit = 60 * time.Millisecond

func deadline(b *bench) (*measured, error) {
	s, end, err := b.supervise(supervisor.Config{WarmPoolSize: 1})
	if err != nil {
		return nil, err
	}
	defer end()
	m := &measured{}
	contenders := make([]func(bool) error, len(stops))
	for i, stop := range stops {
		series := newSeries(stop.name)
		m.Series = append(m.Series, series)
		contenders[i] = func(count bool) error {
			if err := waitFor(s, 1); err != nil {
				return err
			}
			start := time.Now()
			_, err := s.Run(context.Background(), supervisor.Request{Source: stop.source, Limits: supervisor.Limits{WallClockMs: limit.Milliseconds()}})
			over := time.Since(start) - limit
			if !errors.Is(err, supervisor.ErrTimeout) {
				return fmt.Errorf("%s: %v, not a timeout", stop.name, err)
			}
			if count {
				series.addTime(over)
			}
			return nil
		}
	}
	if err := pair(b.times(60), contenders...); err != nil {
		return nil, err
	}
	for _, series := range m.Series {
		m.Figure = max(m.Figure, series.p99())
	}
	return m, nil
}
