package broker

import (
	"fmt"
	"sync"
	"time"

	"realm.internal/supervisor/pkg/audit"
)

// Trail writes the audit records of one run.
type Trail struct {
	run    string
	sink   audit.Sink
	redact func(string) string

	mu      sync.Mutex
	records []audit.Record
	op      uint64
}

// NewTrail returns a Trail that appends to sink and keeps a copy. redact, when
// not nil, is applied to targets and reasons.
func NewTrail(run string, sink audit.Sink, redact func(string) string) *Trail {
	if redact == nil {
		redact = func(s string) string { return s }
	}
	return &Trail{run: run, sink: sink, redact: redact}
}

// Append writes one record. An operation whose record is refused must not happen.
func (t *Trail) Append(r audit.Record) error {
	r.Run, r.Target, r.Reason = t.run, t.redact(r.Target), t.redact(r.Reason)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.sink.Append(&r); err != nil {
		return fmt.Errorf("write audit record: %w", err)
	}
	t.records = append(t.records, r)
	return nil
}

// Begin writes the run's first record.
func (t *Trail) Begin(reason string) error {
	return t.Append(audit.Record{Capability: audit.Execute, Outcome: audit.Allowed, Reason: reason})
}

// End writes the run's last record and makes the log durable.
func (t *Trail) End(outcome audit.Outcome, reason string, took time.Duration) (head string, err error) {
	ms := took.Milliseconds()
	if err := t.Append(audit.Record{Capability: audit.Execute, Outcome: outcome, Reason: reason, DurationMs: &ms}); err != nil {
		return "", err
	}
	if head, err = t.sink.Sync(); err != nil {
		return "", fmt.Errorf("sync audit log: %w", err)
	}
	return head, nil
}

// Records returns what was written, oldest first.
func (t *Trail) Records() []audit.Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]audit.Record(nil), t.records...)
}

func (t *Trail) nextOp() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.op++
	return t.op
}
