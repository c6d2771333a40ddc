package supervisor

import (
	"encoding/json"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/value"
)

// Log is one console call of the guest.
type Log struct {
	Level   string `json:"level"` // log, info, warn, error or debug
	Message string `json:"message"`
	Ms      int64  `json:"ms"` // milliseconds since the source was sent
}

// Stats are measured figures of a run.
type Stats struct {
	WallMs             int64   `json:"wallMs"` // from the source's arrival to the end, at least 1
	CPUMs              int64   `json:"cpuMs"`
	HeapMb             float64 `json:"heapMb"`       // V8's used heap at the end
	PeakMemoryMb       float64 `json:"peakMemoryMb"` // of the whole realm
	Operations         int64   `json:"operations"`
	DeniedOperations   int64   `json:"deniedOperations"`
	DataRequestCount   int64   `json:"dataRequestCount"`
	DataBytesReceived  int64   `json:"dataBytesReceived"`
	BytesRead          int64   `json:"bytesRead"`
	BytesWritten       int64   `json:"bytesWritten"`
	NetworkBytes       int64   `json:"networkBytes"`
	ProcessOutputBytes int64   `json:"processOutputBytes"`
	// StatusEventsDropped counts those above maxStatusEvents, up to 10 000, and those above maxLogBytes.
	StatusEventsDropped int64 `json:"statusEventsDropped,omitempty"`
}

// Result is what a run left, also when it failed.
type Result struct {
	RequestID string
	// Value is the decoded result, see pkg/value for its Go types; Undefined
	// after a failure.
	Value any
	Logs  []Log
	// LogsTruncated says that console output went over its limits.
	LogsTruncated bool
	Stats         Stats
	// Receipt is nil when no realm was confined.
	Receipt *Receipt
	// Audit holds this run's records as they were written.
	Audit []audit.Record

	err     *Error
	release func() // nil where nothing was reserved
	source  string
	limits  Limits
	grants  grants.Grants
	// conceal replaces secrets, those too that the guest may read.
	conceal func(string) string
}

// Undefined is JavaScript's undefined.
var Undefined = value.Undefined

// Release drops the value, or what was thrown, and gives back what Request.Reserve has
// reserved for it. It may be called again, and need not be where nothing is reserved.
func (r *Result) Release() {
	r.Value = Undefined
	if r.err != nil {
		r.err.Thrown = nil
	}
	if r.release != nil {
		r.release()
	}
	r.release = nil
}

// Decode stores the value in v, as encoding/json would, see value.Assign. After
// a failure the error is that of the run.
func (r *Result) Decode(v any) error {
	if r.err != nil {
		return r.err
	}
	return value.Assign(r.Value, v)
}

// ValueJSON is the value's JSON form, with $type for what JSON cannot say.
func (r *Result) ValueJSON() (json.RawMessage, error) { return value.MarshalJSON(r.Value) }

// Err is why the run failed, or nil.
func (r *Result) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}
