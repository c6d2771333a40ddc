package metrics

import (
	"bufio"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Histogram counts observations by their size, for each set of label values.
type Histogram struct {
	desc
	bounds []float64
	mu     sync.Mutex
	series map[string]*series
}

type series struct {
	buckets []uint64 // of each bound, not cumulated
	count   uint64
	sum     float64
}

// Histogram registers a histogram. bounds are the upper bounds of its buckets, ascending, without the infinite one.
func (r *Registry) Histogram(name, help string, bounds []float64, labels ...Label) *Histogram {
	h := &Histogram{desc: newDesc(name, help, labels), bounds: bounds, series: map[string]*series{}}
	r.families = append(r.families, h)
	return h
}

// Observe counts one observation.
func (h *Histogram) Observe(v float64, values ...string) {
	key := h.key(values)
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.series[key]
	if s == nil {
		s = &series{buckets: make([]uint64, len(h.bounds))}
		h.series[key] = s
	}
	if i, _ := slices.BinarySearch(h.bounds, v); i < len(h.bounds) {
		s.buckets[i]++
	}
	s.count++
	s.sum += v
}

func (h *Histogram) write(w *bufio.Writer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.head(w, "histogram")
	for _, key := range slices.Sorted(maps.Keys(h.series)) {
		s := h.series[key]
		prefix := key
		if prefix != "" {
			prefix += ","
		}
		var sum uint64
		for i, bound := range h.bounds {
			sum += s.buckets[i]
			fmt.Fprintf(w, "%s_bucket{%sle=%q} %d\n", h.name, prefix, number(bound), sum)
		}
		fmt.Fprintf(w, "%s_bucket{%sle=\"+Inf\"} %d\n", h.name, prefix, s.count)
		fmt.Fprintf(w, "%s_sum%s %s\n%s_count%s %d\n", h.name, braces(key), number(s.sum), h.name, braces(key), s.count)
	}
}
