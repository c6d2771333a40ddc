package broker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"realm.internal/supervisor/internal/redact"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
)

// ErrProtocol is wrapped by errors about a realm that broke the protocol.
var ErrProtocol = errors.New("protocol violation")

// maxInFlight bounds the calls that execute at one time: the reader waits then,
// and the realm with it.
const maxInFlight = 32

// Config is what one run may use.
type Config struct {
	Reader *rpc.Reader
	Out    *rpc.Writer
	// Deadline, when set, bounds reads: a frame that was begun must be complete
	// within FrameTimeout (default 10 s).
	Deadline     func(time.Time) error
	FrameTimeout time.Duration

	Checker   *grants.Checker
	Budget    *grants.Budget
	Trail     *Trail
	Executors Executors
	Events    Events
	Secrets   redact.Set
	// Kill ends the realm; it is called when a record cannot be written.
	Kill func()
	// Reserve, when set, waits for the memory that a value of the guest's takes while
	// it is a tree.
	Reserve func(rpc.Raw) (release func())
}

// Events takes what the guest prints. Calls come one at a time and must not block.
type Events interface {
	Console(level, message string)
	Status(stage, message string)
}

// End is how a realm said that its run ended; one of the two is set.
type End struct {
	Result  *rpc.Result
	Failure *rpc.Failure
}

// Broker serves one run.
type Broker struct {
	Config
	limits      grants.Limits
	ctx         context.Context
	state       state
	end         End
	lastID      uint64
	calls       sync.WaitGroup
	slots       chan struct{}
	tree        sync.Mutex // held while parameters are decoded
	logs        logBudget
	statusBytes int64 // left
	count       counters
	fatal       chan error // a record that could not be written
}

// New returns a Broker of c.
func New(c Config) *Broker {
	if c.FrameTimeout == 0 {
		c.FrameTimeout = 10 * time.Second
	}
	if c.Reserve == nil {
		c.Reserve = func(rpc.Raw) func() { return func() {} }
	}
	l := c.Checker.Limits()
	return &Broker{
		Config: c, limits: l, state: running,
		slots:       make(chan struct{}, maxInFlight),
		fatal:       make(chan error, 1),
		logs:        logBudget{calls: grants.MaxConsoleCalls, bytes: l.MaxLogBytes},
		statusBytes: l.MaxLogBytes,
	}
}

// Serve answers the realm until it has sent its result or failure. Any other
// end is an error: io.EOF when the realm closed its pipe, one that wraps
// ErrProtocol, or the error of the audit trail. When ctx ends, calls in flight
// are cancelled; Serve itself ends with the pipe. On return no call is executing.
func (b *Broker) Serve(ctx context.Context) (end End, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel()
		b.calls.Wait()
		select {
		case fatal := <-b.fatal: // of a call that ended behind the realm's last word
			end, err = End{}, fatal
		default:
		}
	}()
	b.ctx = ctx
	b.boundFrameTime()
	for b.state != finished {
		f, err := b.Reader.Next(b.gate)
		if err != nil {
			return End{}, b.readError(err)
		}
		if err := rowOf(f.Op).handle(b, f); err != nil {
			return End{}, b.readError(err)
		}
		select {
		case err := <-b.fatal:
			return End{}, err
		default:
		}
	}
	return b.end, nil
}

// gate answers the largest payload of op in the present state.
func (b *Broker) gate(op rpc.Op) (int, error) {
	r := rowOf(op)
	if r == nil || r.states&b.state == 0 {
		return 0, fmt.Errorf("%w: %s is not expected now", ErrProtocol, op)
	}
	return r.max(b), nil
}

func (b *Broker) boundFrameTime() {
	if b.Deadline == nil {
		return
	}
	b.Reader.Started = func(started bool) {
		var at time.Time
		if started {
			at = time.Now().Add(b.FrameTimeout)
		}
		_ = b.Deadline(at)
	}
}

func (b *Broker) readError(err error) error {
	select {
	case fatal := <-b.fatal:
		return fatal
	default:
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: a frame was not complete after %s", ErrProtocol, b.FrameTimeout)
	}
	if errors.Is(err, rpc.ErrMalformed) {
		return fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return err
}

// fail ends the run because a record could not be written.
func (b *Broker) fail(err error) {
	select {
	case b.fatal <- err:
		b.Kill()
	default:
	}
}

func (b *Broker) result(f rpc.Frame) error {
	m := &rpc.Result{}
	if err := f.Decode(m); err != nil {
		return err
	}
	if n := int64(len(m.Value)); n > b.limits.MaxResultBytes {
		return fmt.Errorf("%w: a result of %d bytes is over maxResultBytes", ErrProtocol, n)
	}
	b.state, b.end = finished, End{Result: m}
	return nil
}

func (b *Broker) failure(f rpc.Frame) error {
	m := &rpc.Failure{}
	if err := f.Decode(m); err != nil {
		return err
	}
	b.state, b.end = finished, End{Failure: m}
	return nil
}
