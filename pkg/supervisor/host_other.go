//go:build !linux

package supervisor

import "context"

// host cannot confine anything on this system.
type host struct{}

func (host) close() error { return nil }

// execution is never made here: openHost fails.
type execution struct {
	session *Session
	place   *place
}

func (*execution) run(context.Context) {}
func (*execution) close()              {}

func (s *Supervisor) prepare(Request) (*execution, error) { return nil, notLinux() }

func openHost(*Config) (host, error) { return host{}, notLinux() }

func notLinux() *Error {
	e := failure(CodeUnenforceable, nil, "realms can be confined on Linux only")
	e.Capability, e.Hint = "userns", "run the supervisor on Linux (amd64)"
	return e
}
