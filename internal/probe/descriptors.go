//go:build probe && linux

package probe

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// A realm holds 0 and 1 (null), 2 (its standard error), 3 (from the
// supervisor), 4 (to it) and 5 (control), and what its runtime made since. A
// command is given the first three.
const lastDonated = 5

func descriptorProbes() []Probe {
	const own = "makes descriptors of the realm's own pipes"
	attack := func(name, claim string, number uintptr, args func() []uintptr) Probe {
		return Probe{Name: "descriptors/" + name, Claim: claim, Run: succeeds(number, args)}
	}
	filtered := func(p Probe, why string) Probe {
		p.FilterOnly = why
		return p
	}
	return []Probe{
		{Name: "descriptors/inherited", Claim: "nothing is held but what was given", Run: inherited},
		{Name: "descriptors/kinds", Claim: "what was given are two null devices and pipes", Run: kinds},
		attack("write-to-input", "the input pipe cannot be written", unix.SYS_WRITE, func() []uintptr { return []uintptr{3, text("x"), 1} }),
		attack("write-to-control", "the control pipe cannot be written", unix.SYS_WRITE, func() []uintptr { return []uintptr{5, text("x"), 1} }),
		attack("read-from-output", "the output pipe cannot be read", unix.SYS_READ, func() []uintptr { return []uintptr{4, buffer(1), 1} }),
		attack("read-from-stderr", "standard error cannot be read", unix.SYS_READ, func() []uintptr { return []uintptr{2, buffer(1), 1} }),
		attack("reopen-input", "no descriptor can be opened again with more rights", unix.SYS_OPEN, func() []uintptr { return []uintptr{text("/proc/self/fd/3"), unix.O_RDWR} }),
		attack("chmod-null", "the null device's mode stays", unix.SYS_FCHMOD, with(0, 0o666)),
		attack("chown-null", "the null device's owner stays", unix.SYS_FCHOWN, with(0, 1000, 1000)),
		attack("xattr-null", "the null device gets no attributes", unix.SYS_FSETXATTR, func() []uintptr {
			return []uintptr{0, text("user.probe"), text("x"), 1, 0}
		}),
		attack("enter-null", "no directory is entered by descriptor", unix.SYS_FCHDIR, with(0)),
		attack("list-null", "no descriptor is a directory", unix.SYS_GETDENTS64, func() []uintptr { return []uintptr{3, buffer(256), 256} }),
		attack("open-beside", "no descriptor leads to a directory", unix.SYS_OPENAT, func() []uintptr { return []uintptr{0, text("../etc/passwd"), 0, 0} }),
		filtered(attack("touch-null", "the null device's times stay", unix.SYS_UTIMENSAT, with(0, 0, 0, 0)), "whoever may write a device may touch it"),
		filtered(attack("lock-null", "no lock is shared between realms", unix.SYS_FLOCK, with(0, unix.LOCK_SH|unix.LOCK_NB)), "the null device is one for all: a lock on it is seen by other realms"),
		filtered(attack("dup", "no descriptor is copied", unix.SYS_DUP, with(3)), own),
		filtered(attack("pipe-size", "no pipe is enlarged", unix.SYS_FCNTL, with(4, unix.F_SETPIPE_SZ, 1<<16)), own),
		filtered(attack("pipe-flags", "the supervisor's end does not turn non-blocking", unix.SYS_FCNTL, with(4, unix.F_SETFL, unix.O_NONBLOCK)), "flags belong to the realm's end"),
		filtered(attack("lease", "no lease is taken", unix.SYS_FCNTL, with(0, 1024, 0)), "a lease on a device"),
		attack("tiocsti", "nothing is typed into a terminal", unix.SYS_IOCTL, func() []uintptr { return []uintptr{0, unix.TIOCSTI, text("x")} }),
		attack("tiocsti-high-bit", "nothing is typed into a terminal", unix.SYS_IOCTL, func() []uintptr { return []uintptr{0, unix.TIOCSTI | 1<<32, text("x")} }),
		attack("tioclinux", "nothing is pasted into a console", unix.SYS_IOCTL, func() []uintptr { return []uintptr{0, unix.TIOCLINUX, text("\x03")} }),
		attack("controlling-terminal", "there is no terminal to take", unix.SYS_IOCTL, with(2, unix.TIOCSCTTY, 1)),
		attack("mark-immutable", "no file's flags change", unix.SYS_IOCTL, func() []uintptr { return []uintptr{0, 0x40086602, buffer(8)} }),
		filtered(attack("splice", "pipes are not joined", unix.SYS_TEE, with(3, 2, 1, unix.SPLICE_F_NONBLOCK)), own),
		filtered(attack("vmsplice", "no page is given to a pipe", unix.SYS_VMSPLICE, func() []uintptr {
			return []uintptr{4, address(&unix.Iovec{}), 1, unix.SPLICE_F_NONBLOCK | unix.SPLICE_F_GIFT}
		}), own),
		attack("sendfile", "no file is sent", unix.SYS_SENDFILE, with(4, 3, 0, 1)),
		attack("truncate-output", "nothing given can be truncated", unix.SYS_FTRUNCATE, with(4, 0)),
	}
}

// inherited looks at every number that a descriptor may have here.
func inherited(t Target) (bool, string) {
	for fd := uintptr(t.Last + 1); fd < 1<<16; fd++ {
		var st unix.Stat_t
		if _, errno := call(unix.SYS_FSTAT, fd, address(&st)); errno == unix.EBADF {
			continue
		}
		if st.Mode&unix.S_IFMT != 0 { // epoll and eventfd have no file type
			return true, fmt.Sprintf("descriptor %d has mode %#o", fd, st.Mode)
		}
	}
	return false, "none"
}

func kinds(t Target) (bool, string) {
	for fd := uintptr(0); fd <= uintptr(t.Last); fd++ {
		var st unix.Stat_t
		if _, errno := call(unix.SYS_FSTAT, fd, address(&st)); errno != 0 {
			return true, fmt.Sprintf("descriptor %d: %v", fd, errno)
		}
		kind := st.Mode & unix.S_IFMT
		if null := kind == unix.S_IFCHR && st.Rdev == unix.Mkdev(1, 3); fd < 2 && !null || fd >= 2 && kind != unix.S_IFIFO {
			return true, fmt.Sprintf("descriptor %d has mode %#o", fd, st.Mode)
		}
	}
	return false, "as given"
}
