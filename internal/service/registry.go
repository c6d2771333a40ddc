package service

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

// runKey names a run: ids are a name space of each identity.
type runKey struct{ who, id string }

// liveRun is a run from its order to its answer.
type liveRun struct {
	id     string
	since  time.Time
	cancel context.CancelCauseFunc // nil: its caller wants it

	mu      sync.Mutex
	session *supervisor.Session // nil while it waits for a place, and when it is over
	over    bool
}

func (r *liveRun) begin(s *supervisor.Session) {
	r.mu.Lock()
	r.session = s
	r.mu.Unlock()
}

// end lets go of the session and what it holds: the answer may take long to be read.
func (r *liveRun) end() {
	r.mu.Lock()
	r.session, r.over = nil, true
	r.mu.Unlock()
}

func (r *liveRun) queued() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session == nil && !r.over
}

func (r *liveRun) begun() *supervisor.Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
}

// registry holds the live runs of everybody.
type registry struct {
	mu  sync.Mutex
	all map[runKey]*liveRun
}

// add takes an id; false when it is taken.
func (r *registry) add(who string, run *liveRun) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := runKey{who, run.id}
	if r.all[key] != nil {
		return false
	}
	r.all[key] = run
	return true
}

func (r *registry) remove(who, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, runKey{who, id})
}

// find looks among the runs of one identity alone.
func (r *registry) find(who, id string) *liveRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[runKey{who, id}]
}

// of lists the runs of one identity, the oldest first.
func (r *registry) of(who string) []*liveRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []*liveRun
	for key, run := range r.all {
		if key.who == who {
			list = append(list, run)
		}
	}
	slices.SortFunc(list, func(a, b *liveRun) int {
		if c := a.since.Compare(b.since); c != 0 {
			return c
		}
		return strings.Compare(a.id, b.id)
	})
	return list
}

func (r *registry) abortAll() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, run := range r.all {
		run.cancel(errStopping)
	}
	return len(r.all)
}
