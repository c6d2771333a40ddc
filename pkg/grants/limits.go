package grants

import "fmt"

// Resources are the limits of a run as they were asked for. A zero means the default; in a document it is an error,
// as are negative numbers, fractions and numbers above the maximum.
type Resources struct {
	MemoryMb              int64 `json:"memoryMb,omitempty"`              // MiB of V8 heap
	RealmMemoryMb         int64 `json:"realmMemoryMb,omitempty"`         // MiB of the whole realm
	WallClockMs           int64 `json:"wallClockMs,omitempty"`           // milliseconds from the source's arrival to the result
	CPUMs                 int64 `json:"cpuMs,omitempty"`                 // milliseconds of CPU of the realm
	MaxCodeBytes          int64 `json:"maxCodeBytes,omitempty"`          // bytes of source
	MaxResultBytes        int64 `json:"maxResultBytes,omitempty"`        // bytes of the encoded result
	MaxOperations         int64 `json:"maxOperations,omitempty"`         // capability calls, denied ones too
	MaxReadBytes          int64 `json:"maxReadBytes,omitempty"`          // bytes of one read
	MaxWriteBytes         int64 `json:"maxWriteBytes,omitempty"`         // bytes of one write
	MaxNetworkBytes       int64 `json:"maxNetworkBytes,omitempty"`       // decompressed bytes of one response
	MaxProcessOutputBytes int64 `json:"maxProcessOutputBytes,omitempty"` // stdout and stderr of one command
	MaxDataRequests       int64 `json:"maxDataRequests,omitempty"`       // host tool calls
	MaxDataBytes          int64 `json:"maxDataBytes,omitempty"`          // bytes of all tool answers
	MaxStatusEvents       int64 `json:"maxStatusEvents,omitempty"`       // status events
	MaxLogBytes           int64 `json:"maxLogBytes,omitempty"`           // bytes of console output, and of status events
	MaxPids               int64 `json:"maxPids,omitempty"`               // tasks in the realm and, separately, in each command
}

// MaxConsoleCalls is how many console calls of a run are kept.
const MaxConsoleCalls = 1000

// realmOverheadMb is what a realm needs beside its heap when realmMemoryMb is not given.
const realmOverheadMb = 192

const (
	mib        = 1 << 20
	gib        = 1 << 30
	dayMs      = 86_400_000
	oneMillion = 1_000_000

	timeoutKey       = "timeoutMs"
	defaultTimeoutMs = 30_000
	maxTimeoutMs     = dayMs
)

// Limits are Resources with every default filled in.
type Limits Resources

// Limit describes one limit of [Resources].
type Limit struct {
	Key     string // its key in a document
	Default int64  // 0 where it follows from another limit
	Maximum int64  // the minimum is 1
	Derived string // how a Default of 0 is found
	Counts  string // what it bounds, in words

	field func(*Resources) *int64
}

// LimitTable lists every limit, in the order of the documentation.
func LimitTable() []Limit { return append([]Limit(nil), limitTable[:]...) }

var limitTable = [...]Limit{
	{"memoryMb", 256, 4000, "", "MiB of V8 heap", func(r *Resources) *int64 { return &r.MemoryMb }},
	{"realmMemoryMb", 0, 65_536, "memoryMb + 192", "MiB of the whole realm", func(r *Resources) *int64 { return &r.RealmMemoryMb }},
	{"wallClockMs", 30_000, dayMs, "", "milliseconds from the source's arrival in the realm to its result", func(r *Resources) *int64 { return &r.WallClockMs }},
	{"cpuMs", 0, dayMs, "wallClockMs", "milliseconds of CPU of the realm", func(r *Resources) *int64 { return &r.CPUMs }},
	{"maxCodeBytes", 524_288, 16 * mib, "", "bytes of source", func(r *Resources) *int64 { return &r.MaxCodeBytes }},
	{"maxResultBytes", 5_242_880, 256 * mib, "", "bytes of the encoded result", func(r *Resources) *int64 { return &r.MaxResultBytes }},
	{"maxOperations", 100, oneMillion, "", "capability calls, denied ones too", func(r *Resources) *int64 { return &r.MaxOperations }},
	{"maxReadBytes", mib, gib, "", "bytes of one read", func(r *Resources) *int64 { return &r.MaxReadBytes }},
	{"maxWriteBytes", mib, gib, "", "bytes of one write", func(r *Resources) *int64 { return &r.MaxWriteBytes }},
	{"maxNetworkBytes", mib, gib, "", "bytes of one response, decompressed", func(r *Resources) *int64 { return &r.MaxNetworkBytes }},
	{"maxProcessOutputBytes", mib, gib, "", "bytes of stdout and stderr of one command", func(r *Resources) *int64 { return &r.MaxProcessOutputBytes }},
	{"maxDataRequests", 20, oneMillion, "", "host tool calls", func(r *Resources) *int64 { return &r.MaxDataRequests }},
	{"maxDataBytes", 52_428_800, gib, "", "bytes of all tool answers of a run", func(r *Resources) *int64 { return &r.MaxDataBytes }},
	{"maxStatusEvents", 1000, oneMillion, "", "status events", func(r *Resources) *int64 { return &r.MaxStatusEvents }},
	{"maxLogBytes", 262_144, 64 * mib, "", "bytes of console output, and of status events", func(r *Resources) *int64 { return &r.MaxLogBytes }},
	{"maxPids", 64, 4096, "", "tasks in the realm and, separately, in each command", func(r *Resources) *int64 { return &r.MaxPids }},
}

// Value reads this limit out of r.
func (l Limit) Value(r Resources) int64 { return *l.field(&r) }

// Resolve fills in the defaults.
func (r Resources) Resolve() Limits {
	for _, l := range limitTable {
		if p := l.field(&r); *p == 0 {
			*p = l.Default
		}
	}
	if r.RealmMemoryMb == 0 {
		r.RealmMemoryMb = r.MemoryMb + realmOverheadMb
	}
	if r.CPUMs == 0 {
		r.CPUMs = r.WallClockMs
	}
	return Limits(r)
}

// Bound tells the document reader what a number under key may be.
func (Resources) Bound(key string) (maximum int64, fix string, ok bool) {
	for _, l := range limitTable {
		if l.Key == key {
			return l.Maximum, l.fix(), true
		}
	}
	return 0, "", false
}

// Bound tells the document reader what a number under key may be.
func (Subprocess) Bound(key string) (maximum int64, fix string, ok bool) {
	if key != timeoutKey {
		return 0, "", false
	}
	return maxTimeoutMs, timeoutFix(), true
}

func (l Limit) fix() string {
	if l.Derived != "" {
		return boundFix(l.Maximum, l.Derived)
	}
	return boundFix(l.Maximum, fmt.Sprint(l.Default))
}

func timeoutFix() string { return boundFix(maxTimeoutMs, fmt.Sprint(defaultTimeoutMs)) }

func boundFix(maximum int64, standard string) string {
	return fmt.Sprintf("use an integer from 1 to %d, or leave it out for the default, %s", maximum, standard)
}
