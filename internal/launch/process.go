//go:build linux

package launch

// Process is a confined process.
type Process struct{}

// PID is its id in the supervisor's pid namespace. It may be reused after Done.
func (p *Process) PID() int { return 0 }

// UID is its user id outside its user namespace.
func (p *Process) UID() uint32 { return 0 }

// Kill sends SIGKILL to it, and with it to its whole pid namespace. After its end
// it does nothing.
func (p *Process) Kill() error { return errSkeleton }

// Done is closed when the process has ended and nothing of it is left.
func (p *Process) Done() <-chan struct{} { return nil }

// Wait waits for Done and tells how the process ended.
func (p *Process) Wait() Exit { return Exit{} }

// Receipt reads from the kernel what confines the process and compares it with
// the Spec that started it. The first difference is an *Unenforceable; the caller
// then kills the process. To be called after the realm said that it is ready and
// before it gets a source.
func (p *Process) Receipt() (*Receipt, error) { return nil, errSkeleton }
