//go:build linux

package launch

import (
	"encoding/binary"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// listen takes the spawner's answers until it is gone.
func (s *Spawner) listen() {
	buf := make([]byte, 1024)
	for {
		message, fd, err := s.socket.receive(buf)
		if err != nil {
			s.end()
			return
		}
		if err := s.take(message, fd); err != nil {
			s.log.Error("spawner sent nonsense", "error", err)
		}
	}
}

func (s *Spawner) take(message []byte, fd int) error {
	if len(message) < 4 {
		return errShortMessage
	}
	switch kind := binary.NativeEndian.Uint32(message); kind {
	case msgSpawned:
		m, err := decode[wireSpawned](message)
		if err != nil {
			return err
		}
		s.spawned(m, fd)
	case msgFailed:
		m, err := decode[wireFailed](message)
		if err != nil {
			return err
		}
		s.failed(m)
	case msgExited:
		m, err := decode[wireExited](message)
		if err != nil {
			return err
		}
		s.exited(m)
	default:
		return fmt.Errorf("message of unknown type %d", kind)
	}
	return nil
}

func (s *Spawner) spawned(m wireSpawned, pidfd int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pending[m.ID]
	delete(s.pending, m.ID)
	if p == nil {
		if pidfd >= 0 {
			unix.Close(pidfd)
		}
		return
	}
	if pidfd < 0 { // there was no descriptor left to receive it with: what cannot be killed must not run
		if message, err := encodeGuard(msgKill, m.ID); err == nil {
			go s.socket.send(message) // from here it could wait for a spawner that waits to be heard
		}
		p.answer <- fmt.Errorf("spawn: receive the process's descriptor: %w", unix.EMFILE)
		return
	}
	p.process.started(int(m.PID), m.UID, pidfd)
	s.live[m.ID] = p.process
	if p.gone {
		p.process.Kill()
	}
	p.answer <- nil
}

func (s *Spawner) failed(m wireFailed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pending[m.ID]
	delete(s.pending, m.ID)
	if p != nil {
		p.answer <- stepError(m, p.process.spec)
	}
}

func (s *Spawner) exited(m wireExited) {
	s.mu.Lock()
	process := s.live[m.ID]
	delete(s.live, m.ID)
	s.mu.Unlock()
	if process == nil {
		return // a failed launch: its caller knows
	}
	status := syscall.WaitStatus(m.Status)
	exit := Exit{CPU: time.Duration(m.CPUMicros) * time.Microsecond, MaxRSSBytes: int64(m.MaxRSSKiB) << 10}
	if status.Signaled() {
		exit.Signal = status.Signal()
	} else {
		exit.Code = status.ExitStatus()
	}
	process.ended(exit)
}

// end is the spawner's: every process that it started dies with it, by PDEATHSIG
// or by its own hand. Done is not closed before they are really gone.
func (s *Spawner) end() {
	s.socket.close()
	s.own.wait()
	s.binary.Close()
	s.mu.Lock()
	s.gone = true
	pending, live := s.pending, s.live
	s.pending, s.live = nil, nil
	s.mu.Unlock()
	for _, p := range pending {
		p.answer <- fmt.Errorf("spawn: %w", ErrSpawnerDead)
	}
	for _, p := range live {
		p.Kill()
	}
	for _, p := range live {
		p.awaitDeath()
		p.ended(Exit{Signal: syscall.SIGKILL, Lost: true})
	}
	close(s.dead)
}

// stepError turns a failed step into the error that names its layer.
func stepError(m wireFailed, spec *Spec) error {
	errno := syscall.Errno(m.Errno)
	step, object, name := text(m.Step[:]), text(m.Object[:]), text(m.Layer[:])
	if object != "" {
		step = fmt.Sprintf("%s %q", step, object)
	}
	detail := step + ": " + errno.Error()
	var cause error = errno
	switch {
	case errno == syscall.ESTALE && name == layer.RootFS:
		cause = &MountError{Source: object, Detail: "replaced after it was granted", Err: errno}
	case name == layer.RootFS && object != "":
		cause = &MountError{Source: object, Detail: step + ": " + errno.Error(), Err: errno}
	case errno == syscall.ESTALE && spec.Program != nil:
		return &ExecutableChanged{Path: spec.Program.Path}
	case name == layer.CgroupMemory && errno == syscall.EINVAL:
		name = layer.CgroupCPU // the one controller that refuses a task for what it is, see fixFor
	case name == "":
		return fmt.Errorf("spawn: %s: %w", step, errno)
	}
	return &Unenforceable{Layer: name, Detail: detail, Fix: fixFor(name, errno), Err: cause}
}
