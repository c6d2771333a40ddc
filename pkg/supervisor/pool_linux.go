package supervisor

import (
	"context"
	"os"
	"sync"
	"time"

	"realm.internal/supervisor/internal/confine"
)

// waitingAge is how long a realm may wait before it is replaced: its time zone
// data, its keys and the binary it came from should not be old.
const waitingAge = 15 * time.Minute

// retryAfter is how long the pool rests after a realm could not be started.
const retryAfter = time.Second

// refillDelay is how long a run that took a realm has the host to itself before the
// next one is started: most are over by then, and a start would take a processor.
const refillDelay = 3 * time.Millisecond

// pool keeps realms that are confined and ready and have seen nothing of any
// caller. Each is used once. It starts one realm at a time, so that refilling
// never takes more than one CPU from the runs.
type pool struct {
	host  *confine.Host
	spec  confine.Spec
	size  int
	realm string // path of the binary

	mu      sync.Mutex
	waiting []*pooled
	binary  os.FileInfo
	wake    chan struct{}
	stop    context.CancelFunc
	done    chan struct{}
}

type pooled struct {
	realm *confine.Realm
	since time.Time
}

func newPool(h *confine.Host, path string, spec confine.Spec, size int) *pool {
	ctx, stop := context.WithCancel(context.Background())
	p := &pool{host: h, spec: spec, size: size, realm: path, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	go p.fill(ctx)
	return p
}

// take returns a waiting realm that fits spec, the oldest first, or nil.
func (p *pool) take(spec confine.Spec) *confine.Realm {
	if p == nil || !fits(p.spec, spec) {
		return nil
	}
	defer time.AfterFunc(refillDelay, p.signal)
	p.discard() // the binary may be another since the last time
	for {
		r := p.pop()
		if r == nil {
			return nil
		}
		if p.usable(r) && adapt(r.realm, spec) {
			return r.realm
		}
		r.realm.End()
	}
}

func (p *pool) usable(r *pooled) bool {
	select {
	case <-r.realm.Done():
		return false
	default:
		return time.Since(r.since) < waitingAge
	}
}

func (p *pool) pop() *pooled {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		return nil
	}
	r := p.waiting[0]
	p.waiting = p.waiting[1:]
	return r
}

func (p *pool) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// fill keeps size realms waiting until the pool is closed.
func (p *pool) fill(ctx context.Context) {
	defer close(p.done)
	check := time.NewTicker(waitingAge / 10)
	defer check.Stop()
	for {
		p.discard()
		for p.short() && ctx.Err() == nil {
			r, err := p.host.Start(ctx, p.spec)
			if err != nil {
				p.rest(ctx)
				continue
			}
			p.push(r)
		}
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		case <-check.C:
		}
	}
}

func (p *pool) rest(ctx context.Context) {
	t := time.NewTimer(retryAfter)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

func (p *pool) short() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) < p.size
}

func (p *pool) push(r *confine.Realm) {
	p.mu.Lock()
	p.waiting = append(p.waiting, &pooled{realm: r, since: time.Now()})
	p.mu.Unlock()
	go func() {
		<-r.Done() // a realm that dies while it waits is replaced
		p.signal()
	}()
}

// discard ends realms that died, are too old, or come from a binary that has
// been replaced.
func (p *pool) discard() {
	now, err := os.Stat(p.realm)
	p.mu.Lock()
	replaced := err == nil && p.binary != nil && (!os.SameFile(p.binary, now) || p.binary.ModTime() != now.ModTime())
	if err == nil {
		p.binary = now
	}
	var keep, drop []*pooled
	for _, r := range p.waiting {
		if replaced || !p.usable(r) {
			drop = append(drop, r)
		} else {
			keep = append(keep, r)
		}
	}
	p.waiting = keep
	p.mu.Unlock()
	for _, r := range drop {
		r.realm.End()
	}
}

// ready is how many realms wait.
func (p *pool) ready() int {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting)
}

// close ends every waiting realm.
func (p *pool) close() {
	if p == nil {
		return
	}
	p.stop()
	<-p.done
	for r := p.pop(); r != nil; r = p.pop() {
		r.realm.End()
	}
}

// Waiting is how many pre-started realms wait for a run.
func (s *Supervisor) Waiting() int { return s.host.pool.ready() }
