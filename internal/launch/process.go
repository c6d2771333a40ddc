//go:build linux

package launch

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Process is a confined process.
type Process struct {
	spec     *Spec
	own      []fileID // what the donated files are
	root     bool
	landlock int               // ABI version
	outside  map[string]string // the supervisor's namespaces
	examined *Receipt          // the part that Examine has read

	pid int
	uid uint32

	mu    sync.Mutex // guards pidfd
	pidfd int        // -1 after the end

	done chan struct{}
	exit Exit
}

func newProcess(s *Spawner, spec *Spec) (*Process, error) {
	p := &Process{spec: spec, root: s.root, landlock: s.landlock, outside: s.namespaces, pidfd: -1, done: make(chan struct{})}
	p.own = make([]fileID, len(spec.Files))
	for i, f := range spec.Files {
		if f == nil {
			p.own[i] = fileID{rdev: nullDevice, kind: unix.S_IFCHR}
			continue
		}
		fd, err := descriptor(f)
		if err != nil {
			return nil, err
		}
		if p.own[i], err = identify(fd); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// PID is its id in the supervisor's pid namespace. It may be reused after Done.
func (p *Process) PID() int { return p.pid }

// UID is its user id outside its user namespace.
func (p *Process) UID() uint32 { return p.uid }

// Kill sends SIGKILL to it, and with it to its whole pid namespace. After its end
// it does nothing.
func (p *Process) Kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pidfd < 0 {
		return nil
	}
	err := unix.PidfdSendSignal(p.pidfd, unix.SIGKILL, nil, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return os.NewSyscallError("pidfd_send_signal", err)
}

// Done is closed when the process has ended and nothing of it is left.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for Done and tells how the process ended.
func (p *Process) Wait() Exit {
	<-p.done
	return p.exit
}

// started and ended are called by the listener, in this order.
func (p *Process) started(pid int, uid uint32, pidfd int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pid, p.uid, p.pidfd = pid, uid, pidfd
}

func (p *Process) ended(exit Exit) {
	p.mu.Lock()
	if p.pidfd >= 0 {
		unix.Close(p.pidfd)
		p.pidfd = -1
	}
	p.mu.Unlock()
	p.exit = exit
	close(p.done)
}

// awaitDeath waits until the kernel has ended the process, reaped or not. It was
// killed already, so that this is a matter of milliseconds.
func (p *Process) awaitDeath() {
	if p.pidfd < 0 {
		return
	}
	poll := []unix.PollFd{{Fd: int32(p.pidfd), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(poll, -1); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
