package supervisor

import (
	"context"

	"realm.internal/supervisor/internal/confine"
)

// takeRealm returns a realm for spec that nobody has used: one that waits, the one
// that was started ahead, or a new one.
func (s *Supervisor) takeRealm(ctx context.Context, spec confine.Spec) (*confine.Realm, error) {
	if r := s.host.pool.take(spec); r != nil {
		return r, nil
	}
	if r := s.host.ahead.take(ctx, spec); r != nil {
		return r, nil
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
	started chan *confine.Realm // one, nil if it could not be started; then closed
}

func startAhead(h *confine.Host, spec confine.Spec) *ahead {
	ctx, stop := context.WithCancel(context.Background())
	a := &ahead{spec: spec, stop: stop, started: make(chan *confine.Realm, 1)}
	go func() {
		r, _ := h.Start(ctx, spec) // why it did not start is told when the run starts another
		a.started <- r
		close(a.started)
	}()
	return a
}

// take returns the realm if it fits spec and nobody has taken it.
func (a *ahead) take(ctx context.Context, spec confine.Spec) *confine.Realm {
	if a == nil {
		return nil
	}
	if !fits(a.spec, spec) {
		a.stop()
		return nil
	}
	defer context.AfterFunc(ctx, a.stop)()
	r := <-a.started
	if r != nil && !adapt(r, spec) {
		r.End()
		return nil
	}
	return r
}

// close ends a realm that no run took.
func (a *ahead) close() {
	if a == nil {
		return
	}
	a.stop()
	if r := <-a.started; r != nil {
		r.End()
	}
}
