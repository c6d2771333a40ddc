package supervisor

import (
	"context"
	"errors"

	"realm.internal/supervisor/internal/confine"
	"realm.internal/supervisor/internal/launch"
)

// takeRealm returns a realm for spec that nobody has used: one that waits, the one
// that was started ahead, or a new one.
func (s *Supervisor) takeRealm(ctx context.Context, spec confine.Spec) (*confine.Realm, error) {
	if r := s.host.pool.take(spec); r != nil {
		return r, nil
	}
	if r, err := s.host.ahead.take(ctx, spec); r != nil || err != nil {
		return r, err
	}
	return s.host.confine.Start(ctx, spec)
}

// fits reports whether a realm that has started can become wanted: the engine's tier
// and the locale are fixed by then, memory and time zone are not.
func fits(started, wanted confine.Spec) bool {
	wanted.HeapMb, wanted.MemoryBytes, wanted.TimeZone = started.HeapMb, started.MemoryBytes, started.TimeZone
	return wanted == started
}

// adapt moves the realm's memory limit; heap limit and time zone go with the source.
func adapt(r *confine.Realm, spec confine.Spec) bool {
	if spec.MemoryBytes != r.Spec.MemoryBytes && r.SetMemory(spec.MemoryBytes) != nil {
		return false
	}
	r.Spec = spec
	return true
}

// ahead is the realm of the first run, which starts while that run is prepared.
type ahead struct {
	spec    confine.Spec
	stop    context.CancelFunc
	started chan begun // one; then closed
}

// begun is a realm, or why there is none.
type begun struct {
	realm *confine.Realm
	err   error
}

func startAhead(h *confine.Host, spec confine.Spec) *ahead {
	ctx, stop := context.WithCancel(context.Background())
	a := &ahead{spec: spec, stop: stop, started: make(chan begun, 1)}
	go func() {
		r, err := h.Start(ctx, spec)
		a.started <- begun{r, err}
		close(a.started)
	}()
	return a
}

// take returns the realm if it fits spec and nobody has taken it. Why it did not start is told by the one that the run starts
// then; but a host that took too long has had its time.
func (a *ahead) take(ctx context.Context, spec confine.Spec) (*confine.Realm, error) {
	if a == nil {
		return nil, nil
	}
	if !fits(a.spec, spec) {
		a.stop()
		return nil, nil
	}
	defer context.AfterFunc(ctx, a.stop)()
	first := <-a.started
	if _, late := errors.AsType[*launch.NotReady](first.err); late {
		return nil, first.err
	}
	if first.realm != nil && !adapt(first.realm, spec) {
		first.realm.End()
		return nil, nil
	}
	return first.realm, nil
}

// close ends a realm that no run took.
func (a *ahead) close() {
	if a == nil {
		return
	}
	a.stop()
	if first := <-a.started; first.realm != nil {
		first.realm.End()
	}
}
