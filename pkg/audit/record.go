package audit

// Outcome says what became of an operation.
type Outcome string

// The four outcomes. An operation that is allowed has two records that share
// run and op: Allowed, written before it is executed, and Used or Error after
// it; or Denied, where what was allowed met its refusal on the way: a link that
// leads out of a root, a redirect, a limit on bytes. Another refusal has one
// record: Denied.
const (
	Allowed Outcome = "allowed"
	Used    Outcome = "used"
	Denied  Outcome = "denied"
	Error   Outcome = "error"
)

// Execute is the capability of the two records that frame a run.
const Execute = "execute"

// Genesis is the "prev" of a log's first record.
const Genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// Longest strings that a record keeps, in bytes as they are escaped, so that
// who has them escaped gets no more of the log than anybody. [Sink.Append] cuts
// what is longer at a character's start and puts an ellipsis there.
const (
	MaxTargetBytes = 4096
	MaxReasonBytes = 2048
	maxNameBytes   = 256
)

// Record is one line of the log. Seq, Prev and Hash belong to the sink, which
// sets them, and Timestamp when it is zero, while it appends.
type Record struct {
	Seq        uint64  `json:"seq"`                  // the line's number, from 1
	Timestamp  int64   `json:"timestamp"`            // Unix milliseconds
	Run        string  `json:"run,omitempty"`        // the run's id; absent when empty
	Op         uint64  `json:"op"`                   // the operation's number within the run; 0 is the run itself
	Capability string  `json:"capability"`           // such as filesystem.read; never empty
	Target     string  `json:"target,omitempty"`     // path, origin, name; absent when empty
	Outcome    Outcome `json:"outcome"`              //
	Reason     string  `json:"reason,omitempty"`     // why it was denied or failed, who answered a redirected request; absent when empty
	Bytes      *int64  `json:"bytes,omitempty"`      // bytes moved; absent when nil
	DurationMs *int64  `json:"durationMs,omitempty"` // how long it took; absent when nil
	Prev       string  `json:"prev"`                 // hash of the record before, 64 hex digits
	Hash       string  `json:"hash"`                 // hash of this record, 64 hex digits
}

// MarshalJSON returns the canonical line without its newline.
func (r Record) MarshalJSON() ([]byte, error) {
	return appendHash(appendBody(nil, &r), r.Hash), nil
}

func (r *Record) check() error {
	switch {
	case r.Capability == "":
		return invalid("capability is empty")
	case r.Bytes != nil && *r.Bytes < 0:
		return invalid("bytes is negative")
	case r.DurationMs != nil && *r.DurationMs < 0:
		return invalid("durationMs is negative")
	}
	switch r.Outcome {
	case Allowed, Used, Denied, Error:
		return nil
	}
	return invalid("outcome is not allowed, used, denied or error")
}

// shorten brings the strings within their limits, so that a line's length is
// bounded whatever a guest names.
func (r *Record) shorten() {
	r.Run = cut(r.Run, maxNameBytes)
	r.Capability = cut(r.Capability, maxNameBytes)
	r.Target = cut(r.Target, MaxTargetBytes)
	r.Reason = cut(r.Reason, MaxReasonBytes)
}
