//go:build linux

package launch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// helloTimeout bounds how long a program that is no realm binary may pretend, and a
// host may take to run one that is.
const helloTimeout = 10 * time.Second

const spawnerName = "realm-spawner" // the life that it chooses by its name

// Start opens the realm binary at path once, and starts it as spawner. A path that
// cannot be used is a *BinaryError.
//
// On a unified cgroup hierarchy, open the cgroup.Manager first: it may have to move
// this process into a leaf, and a spawner that was started before would stay behind.
func Start(path string, log *slog.Logger) (*Spawner, error) {
	binary, err := openBinary(path)
	if err != nil {
		return nil, err
	}
	namespaces, err := ownNamespaces()
	if err != nil {
		binary.Close()
		return nil, fmt.Errorf("start spawner: %w", err)
	}
	ours, own, err := startProcess(binary)
	if err != nil {
		binary.Close()
		return nil, fmt.Errorf("start spawner: %w", err)
	}
	s := &Spawner{
		path: path, binary: binary, socket: ours, own: own, log: log, namespaces: namespaces,
		digest: digest(binary), pending: map[uint32]*pendingSpawn{}, live: map[uint32]*Process{}, dead: make(chan struct{}),
	}
	if err := s.hello(); err != nil {
		unix.Kill(own.pid, unix.SIGKILL) // it may be anything
		s.end()
		return nil, err
	}
	go s.listen()
	return s, nil
}

// spawnerProcess is the spawner as a child process of ours.
type spawnerProcess struct {
	pid    int
	stderr *os.File // what it says if it cannot start
}

// startProcess forks without user namespaces, so that Go keeps CLONE_VFORK and the
// heap is not copied. The environment is empty: what a realm binary inherits ends up
// in the memory of every command's init.
func startProcess(binary *os.File) (*socket, *spawnerProcess, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		ours.close()
		return nil, nil, err
	}
	defer null.Close()
	stderr, write, err := os.Pipe()
	if err != nil {
		ours.close()
		return nil, nil, err
	}
	defer write.Close()
	// The child puts its own descriptors in place before it executes, and takes a few numbers above them on the way: what
	// it executes must be beyond. It is open there until exec has used the path.
	beyond := max(null.Fd(), write.Fd(), theirs.Fd()) + 16
	executable, err := unix.FcntlInt(binary.Fd(), unix.F_DUPFD_CLOEXEC, int(beyond))
	if err != nil {
		ours.close()
		stderr.Close()
		return nil, nil, err
	}
	defer unix.Close(executable)
	self := fmt.Sprintf("/proc/self/fd/%d", executable)
	pid, err := syscall.ForkExec(self, []string{spawnerName}, &syscall.ProcAttr{
		Env:   []string{},
		Files: []uintptr{null.Fd(), null.Fd(), write.Fd(), theirs.Fd()},
	})
	if err != nil {
		ours.close()
		stderr.Close()
		return nil, nil, &BinaryError{Path: binary.Name(), Problem: BinaryNotRealm, Detail: err.Error(), Err: err}
	}
	return ours, &spawnerProcess{pid: pid, stderr: stderr}, nil
}

// busy tells whether the process would run if the host let it: it waits neither for
// something nor for its parent. A spawner does neither before it has said hello.
func (p *spawnerProcess) busy() bool {
	proc, err := openProc(p.pid)
	if err != nil {
		return false
	}
	defer proc.close()
	stat, err := proc.read("stat")
	_, state, ok := bytes.Cut(stat, []byte(") "))
	return err == nil && ok && (state[0] == 'R' || state[0] == 'D')
}

// wait reaps the process; it has closed its socket or will soon.
func (p *spawnerProcess) wait() {
	p.stderr.Close()
	for {
		_, err := syscall.Wait4(p.pid, nil, 0, nil)
		if !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// hello reads the first message, which proves that the binary is one of ours.
func (s *Spawner) hello() error {
	if err := s.socket.setReadDeadline(time.Now().Add(helloTimeout)); err != nil {
		return err
	}
	message, _, err := s.socket.receive(make([]byte, 256))
	if errors.Is(err, os.ErrDeadlineExceeded) && s.own.busy() {
		return &NotReady{Step: "the start of the spawner", After: helloTimeout, Err: err}
	}
	if err != nil {
		return &BinaryError{Path: s.path, Problem: BinaryNotRealm, Detail: s.lastWords(), Err: err}
	}
	hello, err := decode[wireHello](message)
	if err != nil || hello.Type != msgHello || hello.Magic != launcherMagic {
		return &BinaryError{Path: s.path, Problem: BinaryNotRealm, Detail: "it does not answer as a spawner"}
	}
	if hello.Protocol != launcherProtocol {
		detail := fmt.Sprintf("launcher protocol %d, this supervisor speaks %d", hello.Protocol, launcherProtocol)
		return &BinaryError{Path: s.path, Problem: BinaryWrongVersion, Detail: detail}
	}
	if err := signalled(s.own.pid); err != nil {
		return &Unenforceable{
			Layer: layer.PidNS, Detail: "no process can be killed by its pidfd: " + err.Error(),
			Fix: "use Linux 5.3 or later, or allow pidfd_open and pidfd_send_signal in the surrounding container's seccomp profile", Err: err,
		}
	}
	s.root, s.lacks, s.landlock = hello.Root != 0, text(hello.Lacks[:]), int(hello.Landlock)
	if err := s.checkOthers(); err != nil {
		return err
	}
	if !s.root && os.Geteuid() == 0 {
		s.log.Warn("realms have no host users of their own, but user 0", "lacks", s.lacks)
	}
	s.own.stderr.Close()
	return s.socket.setReadDeadline(time.Time{})
}

// signalled tries, without a signal, what will end realms.
func signalled(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return os.NewSyscallError("pidfd_open", err)
	}
	defer unix.Close(fd)
	return os.NewSyscallError("pidfd_send_signal", unix.PidfdSendSignal(fd, 0, nil, 0))
}

// lastWords is what a program that did not say hello wrote to stderr, e.g. the
// loader's complaint about a missing library.
func (s *Spawner) lastWords() string {
	unix.Kill(s.own.pid, unix.SIGKILL)
	s.own.stderr.SetReadDeadline(time.Now().Add(time.Second))
	said, _ := io.ReadAll(io.LimitReader(s.own.stderr, 300))
	if len(said) == 0 {
		return "it ended without a word"
	}
	return fmt.Sprintf("it said %q", strings.TrimSpace(string(said)))
}
