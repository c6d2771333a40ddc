package supervisor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"realm.internal/supervisor/internal/broker"
	"realm.internal/supervisor/internal/confine"
	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

// served is how a broker ended.
type served struct {
	end broker.End
	err error
}

// stop is why the supervisor ended a run; the first reason wins.
type stop struct {
	code    Code
	message string
	cause   error // of the caller's context
}

// terms are what the first record says about a run: what it is, and without which layers.
func (x *execution) terms(sourceSum, grantsSum string) string {
	text := "source sha256 " + sourceSum + ", grants sha256 " + grantsSum
	if missing := x.s.host.confine.Weakenings(); len(missing) > 0 {
		text += ", without " + strings.Join(missing, ", ") + " as the operator allowed"
	}
	return text
}

// run takes the execution to its end and publishes the result.
func (x *execution) run(ctx context.Context) {
	began := time.Now()
	res := &Result{RequestID: x.req.ID, Value: Undefined, source: x.req.Source, limits: Limits(x.limits), grants: x.req.Grants, Stats: Stats{WallMs: 1}}
	if err := x.place.await(ctx, x.session.abort); err != nil {
		res.err = AsError(err)
		x.publish(res)
		return
	}
	sourceSum, grantsSum := hexSum(x.message.Source), grants.Hash(x.req.Grants)
	if err := x.trail.Begin(x.terms(sourceSum, grantsSum)); err != nil {
		res.err = failure(CodeInternal, err, "nothing ran: %v", err)
		x.publish(res)
		x.place.free()
		return
	}
	realm, err := x.s.takeRealm(ctx, realmSpec(x.req.Grants.Engine, x.limits))
	if err != nil {
		res.err = x.launchFailure(ctx, err)
	} else {
		res.Receipt = x.receipt(realm, sourceSum, grantsSum)
		x.serve(ctx, realm, res)
	}
	x.finish(res, time.Since(began))
	if realm != nil {
		realm.End()
	}
	x.place.free()
}

func (x *execution) launchFailure(ctx context.Context, err error) *Error {
	if ctx.Err() != nil {
		return failure(CodeAborted, err, "%s", abortion(ctx, "aborted before the realm was ready"))
	}
	return launchError(err)
}

// realmSpec is what a realm for these grants needs to know when it starts.
func realmSpec(e grants.Engine, l grants.Limits) confine.Spec {
	return confine.Spec{
		HeapMb: l.MemoryMb, MemoryBytes: l.RealmMemoryMb << 20, Pids: l.MaxPids,
		JIT: e.JIT == nil || *e.JIT, Locale: locale(e), TimeZone: timeZone(e),
	}
}

// serve sends the source and answers the realm until the run is over.
func (x *execution) serve(ctx context.Context, realm *confine.Realm, res *Result) {
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	x.execs.Tools = x.tools()
	b := broker.New(broker.Config{
		Reader: realm.Reader, Deadline: realm.SetReadDeadline, Out: realm.Writer,
		Checker: x.checker, Budget: grants.NewBudget(x.limits), Trail: x.trail,
		Executors: x.execs, Events: x.session, Secrets: x.secrets, Kill: realm.Kill, Reserve: x.reserve,
	})
	start := time.Now()
	x.session.start(start)
	done := make(chan served, 1)
	go func() {
		end, err := b.Serve(calls)
		done <- served{end, err}
	}()
	go func() { _ = realm.Writer.Send(0, &x.message) }() // a realm that does not read is ended by its deadline
	s, why := x.watch(ctx, realm, start, done, cancel)
	cancel()
	x.conclude(res, b, realm, s, why, start)
}

// watch enforces the deadlines until the broker is done.
func (x *execution) watch(ctx context.Context, realm *confine.Realm, start time.Time, done <-chan served, cancel func()) (served, *stop) {
	wall := time.NewTimer(time.Duration(x.limits.WallClockMs) * time.Millisecond)
	defer wall.Stop()
	cpuLimit := time.Duration(x.limits.CPUMs) * time.Millisecond
	before, _ := realm.CPUTime() // a realm that waited has used CPU to start
	cpu := time.NewTimer(cpuLimit / time.Duration(runtime.NumCPU()))
	defer cpu.Stop()
	var kill <-chan time.Time
	var why *stop
	var ended time.Time
	var last farewell
	end := func(code Code, letter byte, message string, cause error) {
		if why == nil {
			why = &stop{code, message, cause}
			ended = time.Now()
			last.began, _ = realm.CPUTime()
			realm.Interrupt(letter)
			kill = time.After(time.Millisecond)
		}
	}
	for {
		select {
		case s := <-done:
			return s, why
		case <-wall.C:
			end(CodeTimeout, 'T', fmt.Sprintf("the wall clock limit of %d ms is over", x.limits.WallClockMs), nil)
		case <-cpu.C:
			used, err := realm.CPUTime()
			if left := cpuLimit - (used - before); err == nil && left > 0 {
				cpu.Reset(max(left/time.Duration(runtime.NumCPU()), time.Millisecond))
			} else if err == nil {
				end(CodeTimeout, 'T', fmt.Sprintf("the CPU limit of %d ms is used up", x.limits.CPUMs), nil)
			}
		case <-ctx.Done():
			end(CodeAborted, 'A', abortion(ctx, "aborted by the caller"), ctx.Err())
			ctx = context.Background()
		case <-x.session.abort:
			end(CodeAborted, 'A', x.session.why, nil)
			x.session.abort = nil
		case <-kill:
			used, err := realm.CPUTime()
			if left := last.left(used, realm.Heard()); err == nil && left > 0 && time.Since(ended) < maxGrace {
				kill = time.After(last.pause(left))
				continue
			}
			realm.Kill()
			cancel()
			kill = nil
		}
	}
}

// conclude turns what happened into the result's value or error.
func (x *execution) conclude(res *Result, b *broker.Broker, realm *confine.Realm, s served, why *stop, start time.Time) {
	wallMs := max(time.Since(start).Milliseconds(), 1)
	var fig confine.Figures
	if why == nil && s.err == nil {
		fig = realm.Finish() // it has said how it ended
	} else {
		fig = realm.End()
	}
	res.Stats = stats(b.Stats(), fig, wallMs)
	res.LogsTruncated = b.Stats().LogsTruncated
	heap := int64(0)
	switch {
	case s.end.Result != nil:
		heap = s.end.Result.HeapBytes
	case s.end.Failure != nil:
		heap = s.end.Failure.HeapBytes
	}
	res.Stats.HeapMb = megabytes(min(heap, x.limits.RealmMemoryMb<<20)) // the realm's word; more cannot be true
	switch {
	case why != nil:
		res.err = stopped(why, s.end.Failure)
	case s.err != nil:
		res.err = brokenRealm(s.err, fig)
	case s.end.Failure != nil:
		res.release = x.reserve(s.end.Failure.Thrown)
		res.err = x.toolHint(guestFailure(s.end.Failure))
	default:
		res.release = x.reserve(s.end.Result.Value)
		v, err := value.Decode(s.end.Result.Value, value.Limits{})
		if err != nil {
			res.err = crashed("the realm sent a result that is no value", err)
			break
		}
		res.Value = v
	}
	x.redact(res)
}

// What a value takes while it is decoded and written as JSON, at most: by its bytes (all of them control characters, which
// JSON writes as six, in a buffer that grows), by its values, and by its objects.
const (
	perByte   = 16
	perValue  = 32
	perObject = 400
)

func (x *execution) reserve(raw rpc.Raw) (release func()) {
	if x.req.Reserve == nil || len(raw) == 0 {
		return func() {}
	}
	values, objects := rpc.Count(raw)
	return x.req.Reserve(perByte*int64(len(raw)) + perValue*int64(values) + perObject*int64(objects))
}

func stats(b broker.Stats, fig confine.Figures, wallMs int64) Stats {
	return Stats{
		WallMs: wallMs, CPUMs: fig.CPU.Milliseconds(), PeakMemoryMb: megabytes(fig.PeakBytes),
		Operations: b.Operations, DeniedOperations: b.Denied,
		DataRequestCount: b.DataRequests, DataBytesReceived: b.DataBytes,
		BytesRead: b.BytesRead, BytesWritten: b.BytesWritten,
		NetworkBytes: b.NetworkBytes, ProcessOutputBytes: b.ProcessOutputBytes,
		StatusEventsDropped: b.StatusDropped,
	}
}

// megabytes is n in MiB with two decimals.
func megabytes(n int64) float64 { return float64(n*100>>20) / 100 }

// finish writes the last record and publishes the result.
func (x *execution) finish(res *Result, took time.Duration) {
	outcome, reason := audit.Used, ""
	if res.err != nil {
		outcome, reason = audit.Error, string(res.err.Code)
		if !othersWord(res.err.Code) {
			reason += ": " + res.err.Message
		}
		if res.err.Code == CodeDenied {
			outcome = audit.Denied
		}
	}
	head, err := x.trail.End(outcome, reason, took)
	if err != nil {
		res.err = unrecorded(res.err, err)
		res.Value = Undefined
		x.s.cfg.Logger.Error("a run's end could not be recorded", "run", x.req.ID, "error", err)
	}
	res.Audit = x.trail.Records()
	if res.Receipt != nil {
		res.Receipt.AuditHead = head
	}
	x.publish(res)
}

// othersWord reports whether an error of this code has a message of the guest's, which may quote what it read, or of
// whoever aborted it.
func othersWord(c Code) bool {
	switch c {
	case CodeRuntime, CodeValidation, CodeDenied, CodeOOM, CodeDeadlock, CodeAborted:
		return true
	}
	return false
}

// unrecorded makes a run that ended well a failed one, and adds to the error of
// one that did not.
func unrecorded(e *Error, cause error) *Error {
	if e == nil {
		e = failure(CodeInternal, cause, "the run's end could not be recorded: %v", cause)
		e.Phase = "run"
		return e
	}
	told := *e
	told.Message += fmt.Sprintf("; and its end could not be recorded: %v", cause)
	told.wrapped = errors.Join(e.wrapped, cause)
	return &told
}

// publish frees what the run held before anybody can know that it is over.
func (x *execution) publish(res *Result) {
	x.close()
	x.place.vacate()
	x.session.finish(res)
}
