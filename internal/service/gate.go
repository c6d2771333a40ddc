package service

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// maxUnread is how many finished answers one identity may leave unread before its next runs wait.
const maxUnread = 32

// errFull says that no place became free in time, or that too many wait.
var errFull = errors.New("no place")

// gate lets runs in: so many at once altogether, so many of each identity. Who has to wait is let in in turn with the
// other identities, so that many runs of one never keep another out.
type gate struct {
	mu      sync.Mutex
	max     int
	queue   int // waiting runs of one identity
	live    int
	waiting int
	shares  map[string]*share
	turn    []*share // those with waiting runs, the next in turn first
}

// share is what one identity has of the gate.
type share struct {
	live, max int // max 0: as many as the gate's
	unread    int
	waiting   []chan struct{}
}

func newGate(max, queue int) *gate {
	return &gate{max: max, queue: queue, shares: map[string]*share{}}
}

// resize changes how many may live.
func (g *gate) resize(max int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.max = max
	g.admit()
}

// enter waits for a place for a run of who. The caller calls finished when the run is over and read when its answer
// was read or given up.
func (g *gate) enter(ctx context.Context, who string, max int, timeout time.Duration) (finished, read func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.shares[who]
	if s == nil {
		s = &share{}
		g.shares[who] = s
	}
	s.max = max
	if g.fits(s) && len(s.waiting) == 0 {
		g.take(s)
	} else if err := g.wait(ctx, s, timeout); err != nil {
		g.forget(who, s)
		return nil, nil, err
	}
	finished = sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.live--
		s.live--
		s.unread++
		g.admit()
	})
	read = sync.OnceFunc(func() {
		finished()
		g.mu.Lock()
		defer g.mu.Unlock()
		s.unread--
		g.admit()
		g.forget(who, s)
	})
	return finished, read, nil
}

func (g *gate) fits(s *share) bool {
	return g.live < g.max && (s.max == 0 || s.live < s.max) && s.unread < maxUnread
}

func (g *gate) take(s *share) {
	g.live++
	s.live++
}

// wait is called with the lock held and returns with it held.
func (g *gate) wait(ctx context.Context, s *share, timeout time.Duration) error {
	if len(s.waiting) >= g.queue {
		return errFull
	}
	place := make(chan struct{})
	s.waiting = append(s.waiting, place)
	g.waiting++
	if !slices.Contains(g.turn, s) {
		g.turn = append(g.turn, s)
	}
	g.mu.Unlock()
	late := time.NewTimer(timeout)
	defer late.Stop()
	var err error
	select {
	case <-place:
	case <-ctx.Done():
		err = ctx.Err()
	case <-late.C:
		err = errFull
	}
	g.mu.Lock()
	if i := slices.Index(s.waiting, place); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		g.waiting--
	} else if err != nil { // let in at the same moment
		g.live--
		s.live--
		g.admit()
	}
	return err
}

// admit lets in whom it can, one of each identity in turn.
func (g *gate) admit() {
	for i := 0; i < len(g.turn) && g.live < g.max; {
		s := g.turn[i]
		switch {
		case len(s.waiting) == 0:
			g.turn = slices.Delete(g.turn, i, i+1)
		case !g.fits(s):
			i++
		default:
			g.take(s)
			close(s.waiting[0])
			s.waiting = s.waiting[1:]
			g.waiting--
			g.turn = append(slices.Delete(g.turn, i, i+1), s)
			i = 0
		}
	}
}

func (g *gate) forget(who string, s *share) {
	if s.live == 0 && s.unread == 0 && len(s.waiting) == 0 && g.shares[who] == s {
		delete(g.shares, who)
		g.turn = slices.DeleteFunc(g.turn, func(t *share) bool { return t == s })
	}
}

// counts are the runs that live and those that wait.
func (g *gate) counts() (live, waiting int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.live, g.waiting
}
