package broker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

// refusalsKept is how many calls beyond maxOperations are refused one by one,
// each with its record; a realm that goes on then is ended, or it would fill
// the log.
const refusalsKept = 1000

// call is the way of one capability call: M is its message, T its ticket.
type call[M, T any] struct {
	capability string
	// target is what audit and errors name.
	target func(*M) string
	check  func(*Broker, *M) (T, error)
	// execute carries out what the ticket permits.
	execute func(context.Context, *Broker, T, *M) (answer, error)
	// inline calls never block and are carried out by the reader itself.
	inline bool
}

// answer is what a call gives back to the guest.
type answer struct {
	// One of: bytes become a Uint8Array, value is encoded by pkg/value.
	bytes  []byte
	value  any
	raw    rpc.Raw // encoded already
	moved  int64   // bytes, for the audit record
	reason string  // for the audit record
	// concealed are the secrets that were taken out of the answer.
	concealed []string
}

func (c call[M, T]) handle(b *Broker, f rpc.Frame) error {
	m := new(M)
	if err := f.Decode(any(m).(rpc.Message)); err != nil {
		return err
	}
	if f.ID <= b.lastID {
		return fmt.Errorf("%w: call id %d again", ErrProtocol, f.ID)
	}
	b.lastID = f.ID
	op := operation{id: f.ID, number: b.Trail.nextOp(), capability: c.capability, target: c.target(m)}

	if err := b.Budget.Operation(); err != nil {
		if b.Budget.Used().Operations > b.limits.MaxOperations+refusalsKept {
			b.state, b.end = finished, End{Failure: exhaustedFailure(err)}
			return nil
		}
		op.target = b.shorten(op.target) // there may be more of these than the operator has allowed of others
		return b.refuse(op, err)
	}
	ticket, err := c.check(b, m)
	if err != nil {
		return b.refuse(op, err)
	}
	if err := b.Trail.Append(op.record(audit.Allowed, "")); err != nil {
		b.fail(err)
		return err
	}
	run := func() {
		start := time.Now()
		a, err := c.execute(b.ctx, b, ticket, m)
		b.finish(op, a, err, time.Since(start))
	}
	if c.inline {
		run()
		return nil
	}
	b.slots <- struct{}{}
	b.calls.Go(func() {
		defer func() { <-b.slots }()
		run()
	})
	return nil
}

// operation identifies one call in replies and records.
type operation struct {
	id, number         uint64
	capability, target string
}

func (o operation) record(out audit.Outcome, reason string) audit.Record {
	return audit.Record{Op: o.number, Capability: o.capability, Target: o.target, Outcome: out, Reason: reason}
}

// refuse records and answers a call that was not executed.
func (b *Broker) refuse(op operation, err error) error {
	b.count.denied.Add(1)
	var d *grants.Denial
	if !errors.As(err, &d) {
		d = &grants.Denial{Capability: op.capability, Target: op.target, Rule: err.Error()}
	}
	r := op.record(audit.Denied, d.Rule)
	r.Capability = d.Capability
	if err := b.Trail.Append(r); err != nil {
		b.fail(err)
		return err
	}
	return b.reply(op.id, &rpc.Reply{Error: b.denied(d)})
}

// finish records and answers a call that was executed.
func (b *Broker) finish(op operation, a answer, err error, took time.Duration) {
	r := op.record(audit.Used, a.reason)
	ms := took.Milliseconds()
	r.DurationMs = &ms
	reply := &rpc.Reply{OK: true, Value: a.raw}
	if err == nil && a.raw == nil && a.bytes == nil {
		reply.Value, err = value.Encode(a.value)
	}
	if err != nil {
		reply = &rpc.Reply{}
		r.Outcome, r.Reason, reply.Error = b.classify(op, err)
		if r.Outcome == audit.Denied {
			r.Capability = reply.Error.Capability // a limit's, as where it is refused at once
		}
	} else {
		r.Bytes = &a.moved
	}
	if r.Outcome == audit.Denied {
		b.count.denied.Add(1)
	}
	aerr := b.Trail.Append(r)
	if aerr == nil {
		aerr = b.recordConcealed(op, a.concealed)
	}
	if aerr != nil {
		b.fail(aerr) // the effect has happened, its record has not: the run ends here
		return
	}
	if a.bytes != nil && reply.OK {
		_ = b.Out.ReplyBytes(op.id, a.bytes) // a realm that is gone shows at the reader
		return
	}
	_ = b.reply(op.id, reply)
}

func (b *Broker) reply(id uint64, r *rpc.Reply) error {
	e := &r.Error
	for _, s := range []*string{&e.Message, &e.Target, &e.Hint} {
		*s = b.Secrets.Diagnostics.Text(*s)
	}
	err := b.Out.Send(id, r)
	if errors.Is(err, rpc.ErrTooLarge) {
		return b.Out.Send(id, &rpc.Reply{Error: rpc.ReplyError{Kind: rpc.KindOperation, Code: "EMSGSIZE", Message: "the answer is too large to cross"}})
	}
	return nil // a realm that is gone shows at the reader
}

// classify turns an executor's error into outcome, reason and reply. What only
// the host may know goes to the reason alone.
func (b *Broker) classify(op operation, err error) (audit.Outcome, string, rpc.ReplyError) {
	var d *grants.Denial
	if errors.As(err, &d) {
		e := b.denied(d)
		if d.Target != "" && d.Target != op.target { // the hop of a redirect
			return audit.Denied, e.Message, e
		}
		return audit.Denied, d.Rule, e
	}
	e := rpc.ReplyError{Kind: rpc.KindOperation, Capability: op.capability, Target: op.target}
	var t *toolError
	var f *capability.Failure
	switch {
	case errors.As(err, &t):
		e.Kind, e.Code, e.Message = rpc.KindTool, t.code, t.message
		return audit.Error, t.kind(), e // its message may quote what it was asked
	case errors.As(err, &f):
		e.Code, e.Message = f.Code, f.Message
		reason := f.Code + ": " + f.Message
		if f.Host != nil {
			reason += ": " + f.Host.Error()
		}
		return audit.Error, reason, e
	case b.ctx.Err() != nil:
		e.Kind, e.Code, e.Message = rpc.KindAborted, "ABORTED", "the run was ended"
		return audit.Error, "the run was ended", e
	}
	e.Code, e.Message = "EIO", "the operation failed"
	return audit.Error, err.Error(), e
}

func (b *Broker) denied(d *grants.Denial) rpc.ReplyError {
	told := *d
	told.Target = b.shorten(d.Target)
	return rpc.ReplyError{Kind: rpc.KindDenied, Message: told.Error(), Capability: told.Capability, Target: told.Target, Hint: told.Hint}
}

// shorten takes secrets out before it cuts: what is cut first could keep most of one.
func (b *Broker) shorten(target string) string {
	return grants.Shorten(b.Secrets.Diagnostics.Text(target))
}

func exhaustedFailure(err error) *rpc.Failure {
	f := &rpc.Failure{Code: "DENIED", Phase: "run", Name: "SandboxDeniedError", Message: err.Error(), Thrown: rpc.Raw{0xc0}}
	var d *grants.Denial
	if errors.As(err, &d) {
		f.Capability, f.Target, f.Hint = d.Capability, d.Target, d.Hint
	}
	return f
}
