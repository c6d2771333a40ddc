//go:build linux

package launch

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// fileID identifies an open file well enough to tell a donated one from any other.
type fileID struct {
	device, inode, rdev uint64
	kind                uint32 // S_IFMT
	access              int    // O_ACCMODE
}

const nullDevice = 1<<8 | 3 // makedev(1, 3)

func identify(fd int) (fileID, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fileID{}, os.NewSyscallError("fstat", err)
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return fileID{}, os.NewSyscallError("fcntl", err)
	}
	return fileID{st.Dev, st.Ino, st.Rdev, st.Mode & unix.S_IFMT, flags & unix.O_ACCMODE}, nil
}

func (f fileID) isNull() bool { return f.kind == unix.S_IFCHR && f.rdev == nullDevice }

func (f fileID) String() string {
	switch {
	case f.isNull():
		return "null"
	case f.kind == unix.S_IFIFO:
		return "pipe"
	case f.kind == unix.S_IFSOCK:
		return "socket"
	case f.kind == unix.S_IFREG:
		return "file"
	case f.kind == unix.S_IFDIR:
		return "directory"
	}
	return "other"
}

// checkDescriptors compares the open descriptors with the donated ones. fdinfo lists
// them where /proc/PID/fd is closed to us, as it is once the process is not dumpable;
// pidfd_getfd shows what they are.
func (p *Process) checkDescriptors(proc *procDir) ([]ReceiptDescriptor, error) {
	names, err := proc.list("fdinfo")
	if err != nil {
		return nil, err
	}
	list := make([]ReceiptDescriptor, 0, len(names))
	donated := 0
	for _, name := range names {
		fd, err := strconv.Atoi(name)
		if err != nil {
			return nil, err
		}
		kind, err := p.checkDescriptor(fd)
		if err != nil {
			return nil, err
		}
		if fd < len(p.own) {
			donated++
		}
		list = append(list, ReceiptDescriptor{FD: fd, Kind: kind})
	}
	if donated != len(p.own) {
		return nil, &Unenforceable{Layer: layer.Descriptors, Detail: fmt.Sprintf("%d of %d donated descriptors are open", donated, len(p.own))}
	}
	return list, nil
}

func (p *Process) checkDescriptor(fd int) (string, error) {
	ours, err := p.borrow(fd)
	if err != nil {
		return "", &Unenforceable{
			Layer: layer.Descriptors, Detail: fmt.Sprintf("descriptor %d cannot be examined: %v", fd, err),
			Fix: "allow pidfd_getfd: kernel.yama.ptrace_scope below 3, and the surrounding container's seccomp profile", Err: err,
		}
	}
	defer unix.Close(ours)
	got, err := identify(ours)
	if err != nil {
		return "", err
	}
	if fd < len(p.own) {
		if want := p.own[fd]; got != want && !(want.isNull() && got.isNull()) {
			return "", &Unenforceable{Layer: layer.Descriptors, Detail: fmt.Sprintf("descriptor %d is not the donated %v but a %v", fd, want, got)}
		}
		return got.String(), nil
	}
	link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(ours))
	if err != nil {
		return "", err
	}
	switch link {
	case "anon_inode:[eventpoll]":
		return "eventpoll", nil
	case "anon_inode:[eventfd]":
		return "eventfd", nil
	}
	return "", &Unenforceable{Layer: layer.Descriptors, Detail: fmt.Sprintf("descriptor %d is open, and nobody gave it", fd)}
}

// borrow duplicates a descriptor of the process into ours.
func (p *Process) borrow(fd int) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pidfd < 0 {
		return -1, unix.ESRCH
	}
	return unix.PidfdGetfd(p.pidfd, fd, 0)
}
