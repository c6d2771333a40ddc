package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// series is one contender's samples in the row's unit.
type series struct {
	Name    string    `json:"name"`
	Samples []float64 `json:"samples"`
	// Aside is a contender for information: it is in the table, not in the ratio.
	Aside bool `json:"aside,omitempty"`
}

func (s *series) add(v float64)            { s.Samples = append(s.Samples, v) }
func (s *series) addTime(d time.Duration)  { s.add(milliseconds(d)) }
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func (s *series) median() float64          { return s.quantile(0.5) }
func (s *series) p99() float64             { return s.quantile(0.99) }
func (s *series) least() float64           { return s.quantile(0) }
func newSeries(name string) *series        { return &series{Name: name} }
func aside(name string) *series            { return &series{Name: name, Aside: true} }
func (s *series) String() string           { return fmt.Sprintf("%s %.3g", s.Name, s.median()) }
func sorted(list []float64) []float64      { list = slices.Clone(list); slices.Sort(list); return list }
func (s *series) since(start time.Time) float64 {
	d := milliseconds(time.Since(start))
	s.add(d)
	return d
}

// quantile is the nearest-rank quantile, 0 without samples.
func (s *series) quantile(q float64) float64 {
	list := sorted(s.Samples)
	if len(list) == 0 {
		return 0
	}
	return list[min(len(list)-1, int(q*float64(len(list))))]
}

// measured is what a row found.
type measured struct {
	Series []*series `json:"series"` // ours first, the peer second
	// Figure is what is compared with the targets: a ratio or a quantity.
	Figure float64 `json:"figure"`
	// Notes are further sentences for the table.
	Notes []string `json:"notes,omitempty"`
	When  string   `json:"when"`
	Load  string   `json:"load"`
	// Met is "aim", "reach", "missed" or "" without a target.
	Met string `json:"met"`
}

// ratio is ours over theirs, by medians.
func ratio(ours, theirs *series) float64 { return ours.median() / theirs.median() }

func (m *measured) judge(r row) {
	m.When = time.Now().UTC().Format("2006-01-02 15:04")
	m.Load = loadAverage()
	better := func(target float64) bool {
		if r.more {
			return m.Figure >= target
		}
		return m.Figure <= target
	}
	switch {
	case r.aim == 0:
		m.Met = ""
	case better(r.aim):
		m.Met = "aim"
	case better(r.reach):
		m.Met = "reach"
	default:
		m.Met = "missed"
	}
}

func (m *measured) summary(r row) string {
	text := fmt.Sprintf("%s = %.3g %s", r.figure, m.Figure, m.Met)
	for _, s := range m.Series {
		text += fmt.Sprintf("; %s p50 %.3f p99 %.3f least %.3f n=%d", s.Name, s.median(), s.p99(), s.least(), len(s.Samples))
	}
	return text
}

// pair runs the contenders n times in turn, each time in the other order, after
// one round that is not counted.
func pair(n int, contenders ...func(count bool) error) error {
	for i := -1; i < n; i++ {
		for j := range contenders {
			if i%2 != 0 {
				j = len(contenders) - 1 - j
			}
			if err := contenders[j](i >= 0); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) figuresFile() string { return filepath.Join(b.work, "figures.json") }

func (b *bench) load() error {
	b.kept = map[string]*measured{}
	text, err := os.ReadFile(b.figuresFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &b.kept)
}

func (b *bench) keep(name string, m *measured) error {
	b.kept[name] = m
	text, err := json.MarshalIndent(b.kept, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(b.figuresFile(), text, 0o644)
}
