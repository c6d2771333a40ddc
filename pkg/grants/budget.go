package grants

import (
	"fmt"
	"sync/atomic"
)

// Budget counts what a run has used of its limits. Make one for each run with [NewBudget].
type Budget struct {
	operations counter
	requests   counter
	dataBytes  counter
	status     counter
}

// counter is an amount that may not go over its limit.
type counter struct {
	used  atomic.Int64
	limit int64
}

// add charges n and reports whether the limit held. What is refused stays charged, so that it stays refused.
func (c *counter) add(n int64) bool {
	for {
		old := c.used.Load()
		sum := old + n
		if n < 0 || sum < old {
			return false
		}
		if c.used.CompareAndSwap(old, sum) {
			return sum <= c.limit
		}
	}
}

// NewBudget starts a budget that has used nothing.
func NewBudget(l Limits) *Budget {
	return &Budget{
		operations: counter{limit: l.MaxOperations},
		requests:   counter{limit: l.MaxDataRequests},
		dataBytes:  counter{limit: l.MaxDataBytes},
		status:     counter{limit: l.MaxStatusEvents},
	}
}

// Operation charges one capability call, before it is decided. The error is a *Denial.
func (b *Budget) Operation() error {
	return exhausted(b.operations.add(1), ResourceOperations, "maxOperations", b.operations.limit, b.operations.limit+1)
}

// DataRequest charges one call of a host tool. The error is a *Denial.
func (b *Budget) DataRequest() error {
	return exhausted(b.requests.add(1), ResourceDataRequests, "maxDataRequests", b.requests.limit, b.requests.limit+1)
}

// DataBytes charges n bytes of a host tool's answer. The error is a *Denial.
func (b *Budget) DataBytes(n int64) error {
	ok := b.dataBytes.add(n)
	return exhausted(ok, ResourceDataBytes, "maxDataBytes", b.dataBytes.limit, b.dataBytes.used.Load())
}

// StatusEvent charges one status event. The error is a *Denial.
func (b *Budget) StatusEvent() error {
	return exhausted(b.status.add(1), ResourceStatusEvents, "maxStatusEvents", b.status.limit, b.status.limit+1)
}

// Used is what a budget has counted so far.
type Used struct {
	Operations   int64 // operations that were charged, denied ones too
	DataRequests int64
	DataBytes    int64
	StatusEvents int64
}

// Used reads the counters. Refused charges are included.
func (b *Budget) Used() Used {
	return Used{b.operations.used.Load(), b.requests.used.Load(), b.dataBytes.used.Load(), b.status.used.Load()}
}

func exhausted(ok bool, capability, key string, limit, need int64) error {
	if ok {
		return nil
	}
	return &Denial{
		Capability: capability,
		Target:     key,
		Rule:       fmt.Sprintf("the limit %s of %d is exhausted", key, limit),
		Hint:       limitHint(key, need),
	}
}
