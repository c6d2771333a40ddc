// Package metrics counts, and writes what it counted in the Prometheus text format.
//
// The usual client library is not linked, because its package initialisation would cost every start of the command
// line a millisecond; the tests read the output with that library's own parser and linter.
//
// # Trust
//
// Label values are chosen by this program from small fixed sets, see [Counter]: nothing that a caller or guest chose.
//
// # Concurrency
//
// Everything may be used by many goroutines. Register everything before the first [Registry.Write].
package metrics

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ContentType is that of what Write writes.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Other stands for every label value that is not in its set.
const Other = "other"

// Registry holds metrics in the order in which they were registered. The zero Registry is ready.
type Registry struct{ families []family }

type family interface{ write(w *bufio.Writer) }

// Write writes every metric.
func (r *Registry) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, f := range r.families {
		f.write(b)
	}
	return b.Flush()
}

// desc is what every metric has.
type desc struct {
	name, help string
	labels     []string
	values     [][]string // allowed values of each label
}

func (d *desc) head(w *bufio.Writer, kind string) {
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", d.name, d.help, d.name, kind)
}

// key is the label set of values, each brought into its set.
func (d *desc) key(values []string) string {
	if len(values) != len(d.labels) {
		panic(fmt.Sprintf("metrics: %s has the labels %v, got %d values", d.name, d.labels, len(values)))
	}
	pairs := make([]string, len(values))
	for i, v := range values {
		if !slices.Contains(d.values[i], v) {
			v = Other
		}
		pairs[i] = d.labels[i] + "=" + strconv.Quote(v)
	}
	return strings.Join(pairs, ",")
}

func braces(labels string) string {
	if labels == "" {
		return ""
	}
	return "{" + labels + "}"
}

// Label is a label's name and all values that it can have; any other value is counted as [Other].
type Label struct {
	Name   string
	Values []string
}

func newDesc(name, help string, labels []Label) desc {
	d := desc{name: name, help: help}
	for _, l := range labels {
		d.labels = append(d.labels, l.Name)
		d.values = append(d.values, l.Values)
	}
	return d
}

// Counter is a number that only grows, for each set of label values.
type Counter struct {
	desc
	mu    sync.Mutex
	count map[string]float64
}

// Counter registers a counter.
func (r *Registry) Counter(name, help string, labels ...Label) *Counter {
	c := &Counter{desc: newDesc(name, help, labels), count: map[string]float64{}}
	if len(labels) == 0 {
		c.count[""] = 0
	}
	r.families = append(r.families, c)
	return c
}

// Add adds n for the label values, which are in the order of the labels.
func (c *Counter) Add(n float64, values ...string) {
	key := c.key(values)
	c.mu.Lock()
	c.count[key] += n
	c.mu.Unlock()
}

func (c *Counter) write(w *bufio.Writer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.head(w, "counter")
	for _, key := range slices.Sorted(maps.Keys(c.count)) {
		fmt.Fprintf(w, "%s%s %s\n", c.name, braces(key), number(c.count[key]))
	}
}

// gauge asks for its value when it is written.
type gauge struct {
	desc
	kind  string
	value func() float64
}

// Gauge registers a number that goes up and down; value is asked at each Write.
func (r *Registry) Gauge(name, help string, value func() float64) {
	r.families = append(r.families, &gauge{newDesc(name, help, nil), "gauge", value})
}

// CounterFunc registers a number that only grows and that is asked at each Write.
func (r *Registry) CounterFunc(name, help string, value func() float64) {
	r.families = append(r.families, &gauge{newDesc(name, help, nil), "counter", value})
}

func (g *gauge) write(w *bufio.Writer) {
	g.head(w, g.kind)
	fmt.Fprintf(w, "%s %s\n", g.name, number(g.value()))
}

// Constant registers a gauge that is always 1 and says something in its labels, which have one value each.
func (r *Registry) Constant(name, help string, labels ...Label) {
	d := newDesc(name, help, labels)
	values := make([]string, len(labels))
	for i, l := range labels {
		values[i] = l.Values[0]
	}
	r.families = append(r.families, constant{d, d.key(values)})
}

type constant struct {
	desc
	key string
}

func (c constant) write(w *bufio.Writer) {
	c.head(w, "gauge")
	fmt.Fprintf(w, "%s%s 1\n", c.name, braces(c.key))
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }
