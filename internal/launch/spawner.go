//go:build linux

package launch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"realm.internal/supervisor/internal/cgroup"
)

// Spec describes one confined process.
type Spec struct {
	Kind     Kind
	Args     []string      // argv, Args[0] included
	Env      []string      // the whole environment
	Files    []*os.File    // Files[i] becomes descriptor i, a nil one /dev/null; borrowed until Spawn returns
	Group    *cgroup.Group // nil: no control group
	Limits   Rlimits
	Landlock bool     // deny by landlock too; an *Unenforceable where the kernel has none
	Program  *Program // Command only
}

// Spawner is the client of one spawner process.
type Spawner struct {
	path     string
	binary   *os.File
	digest   func() (string, error)
	socket   *socket
	own      *spawnerProcess
	log      *slog.Logger
	root     bool
	lacks    string
	landlock int

	namespaces map[string]string // our own

	mu      sync.Mutex
	next    uint32
	gone    bool
	pending map[uint32]*pendingSpawn
	live    map[uint32]*Process

	dead chan struct{}
}

// pendingSpawn waits for the spawner's answer.
type pendingSpawn struct {
	process *Process
	answer  chan error // one value
	gone    bool       // its caller has given up: kill what comes
}

// Root tells whether processes get host uids of their own (root mode), or the
// supervisor's own (rootless).
func (s *Spawner) Root() bool { return s.root }

// RootLacks names what root mode lacks; where there is root mode, what write roots of
// commands lack in it. Empty means nothing.
func (s *Spawner) RootLacks() string { return s.lacks }

// LandlockABI is the kernel's landlock version, 0 where there is none.
func (s *Spawner) LandlockABI() int { return s.landlock }

// Digest is the SHA-256, in hex, of the binary that is executed. It is computed
// when it is first asked for, also after Close.
func (s *Spawner) Digest() (string, error) { return s.digest() }

// PID is the spawner's own process id.
func (s *Spawner) PID() int { return s.own.pid }

// Dead is closed when the spawner process is gone: by Close, or because it was
// killed, in which case every process that it started was killed with it.
func (s *Spawner) Dead() <-chan struct{} { return s.dead }

// Spawn starts a process and returns once it executes its program (a Trial: once
// every step was done). A layer that the kernel refused is an *Unenforceable, a
// replaced executable an *ExecutableChanged. If ctx ends first, the process is killed.
func (s *Spawner) Spawn(ctx context.Context, spec Spec) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := spec.check(); err != nil {
		return nil, fmt.Errorf("spawn: %w", err)
	}
	process, err := newProcess(s, &spec)
	if err != nil {
		return nil, fmt.Errorf("spawn: %w", err)
	}
	p, id, err := s.register(process)
	if err != nil {
		return nil, err
	}
	if err := s.request(id, &spec); err != nil {
		s.forget(id)
		return nil, fmt.Errorf("spawn: %w", err)
	}
	select {
	case err := <-p.answer:
		if err != nil {
			return nil, err
		}
		return process, nil
	case <-ctx.Done():
		s.abandon(id, p)
		return nil, ctx.Err()
	}
}

// request sends the message with the descriptors in the order of struct spawn.
func (s *Spawner) request(id uint32, spec *Spec) error {
	var fds []int
	if spec.Kind != Command {
		fds = append(fds, int(s.binary.Fd()))
	}
	var tasks []*os.File
	leaf := false
	if spec.Group != nil {
		tasks = spec.Group.TaskFiles()
		if f := spec.Group.LeafFD(); f != nil {
			leaf = true
			fds = append(fds, int(f.Fd()))
		}
	}
	var null *os.File
	for _, f := range append(tasks[:len(tasks):len(tasks)], spec.Files...) {
		if f == nil {
			if null == nil {
				opened, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
				if err != nil {
					return err
				}
				defer opened.Close()
				null = opened
			}
			f = null
		}
		fd, err := descriptor(f)
		if err != nil {
			return err
		}
		fds = append(fds, fd)
	}
	message, err := encodeSpawn(id, spec, s.root, len(tasks), leaf)
	if err != nil {
		return err
	}
	return s.socket.send(message, fds...)
}

// descriptor is f's number, without File.Fd's side effect of making the file, and
// with it the other end's view of a shared pipe, blocking.
func descriptor(f *os.File) (int, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return -1, err
	}
	number := -1
	err = raw.Control(func(fd uintptr) { number = int(fd) })
	return number, err
}

func (s *Spec) check() error {
	switch {
	case s.Kind < Realm || s.Kind > Trial:
		return fmt.Errorf("unknown kind %d", s.Kind)
	case len(s.Args) == 0:
		return errors.New("no arguments, not even a name")
	case len(s.Files) > maxDonated:
		return fmt.Errorf("%d files, at most %d", len(s.Files), maxDonated)
	case (s.Kind == Command) != (s.Program != nil):
		return errors.New("a program is for commands, and commands have one")
	case s.Program == nil:
		return nil
	case len(s.Program.Seccomp) == 0 || len(s.Program.Seccomp)%8 != 0:
		return &Unenforceable{Layer: "seccomp", Detail: "no filter was given for the command"}
	}
	for _, m := range s.Program.Mounts {
		if err := m.check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spawner) register(process *Process) (*pendingSpawn, uint32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return nil, 0, ErrSpawnerDead
	}
	s.next++
	p := &pendingSpawn{process: process, answer: make(chan error, 1)}
	s.pending[s.next] = p
	return p, s.next, nil
}

func (s *Spawner) forget(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}

// abandon leaves a spawn that is still under way to listen, which will kill it.
func (s *Spawner) abandon(id uint32, p *pendingSpawn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.gone = true
	if started := s.live[id]; started != nil {
		started.Kill()
	}
}

// GuardGroups makes the spawner remove every group of m when this process dies.
func (s *Spawner) GuardGroups(m *cgroup.Manager) error {
	parents, prefix := m.Owned()
	message, err := encodeGuard(msgGuardGroups, 0, append([]string{prefix}, parents...)...)
	if err != nil {
		return fmt.Errorf("guard control groups: %w", err)
	}
	return s.socket.send(message)
}

// GuardFile makes the spawner unlink name in dir when this process dies. release
// takes that back; it must be called once the file was renamed or removed.
func (s *Spawner) GuardFile(dir *os.File, name string) (release func(), err error) {
	s.mu.Lock()
	s.next++
	id := s.next
	s.mu.Unlock()
	message, err := encodeGuard(msgGuardFile, id, name)
	if err != nil {
		return nil, fmt.Errorf("guard file: %w", err)
	}
	fd, err := descriptor(dir)
	if err != nil {
		return nil, fmt.Errorf("guard file: %w", err)
	}
	if err := s.socket.send(message, fd); err != nil {
		return nil, fmt.Errorf("guard file: %w", err)
	}
	return func() {
		if message, err := encodeGuard(msgUnguard, id); err == nil {
			s.socket.send(message) // a dead spawner guards nothing
		}
	}, nil
}

// Close ends the spawner, which kills every process that it started, and waits
// for all of them.
func (s *Spawner) Close() error {
	// Its loop sees the end of the file: the same way as when this process dies.
	err := s.socket.shutdown()
	<-s.dead
	return err
}
