package grants

import (
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"time"
)

// EnvironmentRead permits reading one variable of the environment grant.
type EnvironmentRead struct {
	name  string
	value string
	valid bool
}

// Valid reports whether a check issued the ticket.
func (t EnvironmentRead) Valid() bool { return t.valid }

// Name is the variable.
func (t EnvironmentRead) Name() string { return t.name }

// Value is what the grant gives it.
func (t EnvironmentRead) Value() string { return t.value }

// SecretRead permits handing one secret to the guest.
type SecretRead struct {
	name  string
	valid bool
}

// Valid reports whether a check issued the ticket.
func (t SecretRead) Valid() bool { return t.valid }

// Name is the secret.
func (t SecretRead) Name() string { return t.name }

// file is what all file tickets hold.
type file struct {
	path  string // as the guest gave it
	root  string // the granted root, as granted
	rel   string // the cleaned path below it; "." is the root itself
	limit int64
	valid bool
}

// Valid reports whether a check issued the ticket.
func (t file) Valid() bool { return t.valid }

// Path is the path as the guest gave it: the only one to repeat to it.
func (t file) Path() string { return t.path }

// Root is the granted root that holds the path, as it was granted.
func (t file) Root() string { return t.root }

// Relative is the path below the root, clean and without "..", or "." for the root itself.
func (t file) Relative() string { return t.rel }

// MaxBytes is the most that the one operation may move.
func (t file) MaxBytes() int64 { return t.limit }

// FileRead permits reading one file. The fields of a file ticket are set by a [Checker] alone.
type FileRead struct{ file }

// FileList permits listing one directory.
type FileList struct{ file }

// FileStat permits asking for type and size of one name.
type FileStat struct{ file }

// FileWrite permits writing, replacing or appending to one file.
type FileWrite struct {
	file
	bytes int64
}

// Bytes is the number of bytes that was decided about.
func (t FileWrite) Bytes() int64 { return t.bytes }

// MakeDirectory permits making one directory.
type MakeDirectory struct{ file }

// Remove permits removing one file or empty directory.
type Remove struct{ file }

// Fetch permits one HTTP request, without its redirects: each of those is a [Checker.Redirect].
type Fetch struct {
	method  string
	url     url.URL
	origin  Origin
	inject  []Injection
	private bool
	crossed bool
	hops    int
	limit   int64
	valid   bool
}

// Valid reports whether a check issued the ticket.
func (t Fetch) Valid() bool { return t.valid }

// Method is the request's method, in upper case.
func (t Fetch) Method() string { return t.method }

// URL is a copy of the address to request. Its host is in canonical form and carries no default port.
func (t Fetch) URL() *url.URL { u := t.url; return &u }

// Target is the URL as audit records name it: without query and fragment.
func (t Fetch) Target() string { return urlTarget(&t.url) }

// Origin is the granted origin.
func (t Fetch) Origin() Origin { return t.origin }

// Injections are the headers to add. There are none once a redirect has left the first origin.
func (t Fetch) Injections() []Injection { return slices.Clone(t.inject) }

// Address is the address that the origin itself names, if it is an IP literal: it is granted whatever kind it is of.
func (t Fetch) Address() (netip.Addr, bool) { return t.origin.Address() }

// Localhost reports whether the origin's host is localhost, which grants loopback addresses.
func (t Fetch) Localhost() bool { return t.origin.Localhost() }

// PrivateAllowed reports whether the host's name may resolve to addresses that are not public.
func (t Fetch) PrivateAllowed() bool { return t.private }

// Crossed reports whether a redirect has left the first origin: credentials that the guest set are dropped then.
func (t Fetch) Crossed() bool { return t.crossed }

// MaxBytes is the most that the response may have, decompressed.
func (t Fetch) MaxBytes() int64 { return t.limit }

// Spawn permits running one command once.
type Spawn struct {
	path        string
	args        []string
	environment map[string]string
	sandbox     Sandbox
	timeout     time.Duration
	output      int64
	input       int64
	pids        int64
	valid       bool
}

// Valid reports whether a check issued the ticket.
func (t Spawn) Valid() bool { return t.valid }

// Path is the granted executable.
func (t Spawn) Path() string { return t.path }

// Args are the arguments after the program's name.
func (t Spawn) Args() []string { return slices.Clone(t.args) }

// Environment is the whole environment of the command.
func (t Spawn) Environment() map[string]string { return maps.Clone(t.environment) }

// Sandbox names the extra paths in the jail.
func (t Spawn) Sandbox() Sandbox { return t.sandbox.clone() }

// Timeout is how long the command may run.
func (t Spawn) Timeout() time.Duration { return t.timeout }

// MaxOutputBytes bounds stdout and stderr together.
func (t Spawn) MaxOutputBytes() int64 { return t.output }

// MaxInputBytes bounds stdin.
func (t Spawn) MaxInputBytes() int64 { return t.input }

// MaxPids bounds the tasks in the jail.
func (t Spawn) MaxPids() int64 { return t.pids }

// ToolCall permits one call of a host tool.
type ToolCall struct {
	method string
	valid  bool
}

// Valid reports whether a check issued the ticket.
func (t ToolCall) Valid() bool { return t.valid }

// Method is the tool's name.
func (t ToolCall) Method() string { return t.method }

func (s Sandbox) clone() Sandbox {
	return Sandbox{Read: slices.Clone(s.Read), Write: slices.Clone(s.Write), Execute: slices.Clone(s.Execute)}
}
