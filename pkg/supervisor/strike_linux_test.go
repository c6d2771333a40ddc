package supervisor_test

import (
	"os"
	"os/exec"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watch is who answers for a step: everybody who makes one of its calls waits for
// the answer.
type watch struct {
	step
	before       map[int]bool
	ours, theirs *os.File
	made         int // calls
	killed       int
	over         chan error
}

// watch answers for a deprived supervisor that asks and is about to be started.
func (s step) watch(t *testing.T, cmd *exec.Cmd, before map[int]bool) *watch {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{step: s, before: before, ours: os.NewFile(uintptr(pair[0]), "ours"), theirs: os.NewFile(uintptr(pair[1]), "theirs"), over: make(chan error, 1)}
	if w.at == "" {
		w.at = w.who
	}
	cmd.ExtraFiles = []*os.File{w.theirs}
	go func() { w.over <- w.answer(t) }()
	return w
}

// struck waits until nobody is left who could ask, and reports whether somebody was killed.
func (w *watch) struck(t *testing.T) bool {
	t.Helper()
	_ = w.theirs.Close()
	if err := <-w.over; err != nil {
		t.Error(err)
	}
	_ = w.ours.Close()
	return w.killed > 0
}

// answer answers until the last process with the filter has ended.
func (w *watch) answer(t *testing.T) error {
	rights := make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(int(w.ours.Fd()), make([]byte, 1), rights, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil {
		return err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fds[0]) }()
	for {
		poll := []unix.PollFd{{Fd: int32(fds[0]), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil && err != unix.EINTR {
			return err
		}
		if poll[0].Revents&unix.POLLIN == 0 && poll[0].Revents != 0 {
			return nil
		}
		var asked question
		if poll[0].Revents == 0 || control(fds[0], unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&asked)) != nil {
			continue // it has been killed meanwhile, or a signal makes it ask again
		}
		w.strike(t, int(asked.thread))
		_ = control(fds[0], unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&reply{id: asked.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}))
	}
}

// question is seccomp_notif, reply is seccomp_notif_resp.
type question struct {
	id            uint64
	thread, flags uint32
	_             [8]uint64 // number, architecture, instruction, arguments
}

type reply struct {
	id    uint64
	value int64
	error int32
	flags uint32
}

func control(fd int, request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

// strike kills when the time has come.
func (w *watch) strike(t *testing.T, thread int) {
	caller, ok := readProcess(thread)
	if !ok || partOf(caller) != w.at {
		return
	}
	if w.made++; w.made != max(w.nth, 1) {
		return
	}
	if w.at == w.who {
		w.kill(thread)
		return
	}
	for _, p := range descendants(t, os.Getpid()) {
		if !w.before[p.pid] && p.state != 'Z' && partOf(p) == w.who {
			w.kill(p.pid)
		}
	}
}

func (w *watch) kill(pid int) {
	if unix.Kill(pid, unix.SIGKILL) == nil {
		w.killed++
	}
}

// partOf tells the processes of a run apart. A command's launcher becomes the first
// process of its jail.
func partOf(p process) string {
	switch parent, _ := readProcess(p.parent); {
	case p.name == "realm":
		return "realm"
	case p.name == "/bin/sh":
		return "command"
	case p.name == "realm-spawner" && parent.name == "realm-spawner":
		return "launcher"
	case p.name == "realm-spawner":
		return "spawner"
	case p.parent == os.Getpid():
		return "supervisor"
	}
	return ""
}
