package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"realm.internal/supervisor/pkg/supervisor"
)

// compute times every kernel in both engines. A kernel is a script whose value
// is its best time in milliseconds.
func compute(b *bench) (*measured, error) {
	files, err := filepath.Glob("bench/kernels/*.js")
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no kernels: %w", err)
	}
	s, end, err := b.supervise(supervisor.Config{})
	if err != nil {
		return nil, err
	}
	defer end()
	peer, err := b.startNode("kernels.cjs")
	if err != nil {
		return nil, err
	}
	defer peer.end()
	m := &measured{}
	logarithms := 0.0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(filepath.Base(file), ".js")
		ours, theirs := newSeries(name), newSeries(name+", node")
		guest := func(count bool) error {
			ms, err := number(s, supervisor.Request{Source: string(source), Name: filepath.Base(file), Mode: supervisor.ModeScript})
			if count && err == nil {
				ours.add(ms)
			}
			return err
		}
		node := func(count bool) error {
			ms, err := peer.ask(file)
			if count && err == nil {
				theirs.add(ms[0])
			}
			return err
		}
		if err := pair(b.times(5), guest, node); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		logarithms += math.Log(theirs.least() / ours.least())
		m.Series = append(m.Series, ours, theirs)
		m.Notes = append(m.Notes, fmt.Sprintf("%s %.2f", name, theirs.least()/ours.least()))
	}
	m.Figure = math.Exp(logarithms / float64(len(files)))
	return m, nil
}
