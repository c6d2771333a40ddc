//go:build probe && linux

package probe

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// setIDProbes try to leave a file that runs as its owner, where there is a
// directory to write to. The file has no name and vanishes with the process.
func setIDProbes() []Probe {
	const claim = "no file gets a set-ID bit"
	const flags, mode = unix.O_TMPFILE | unix.O_RDWR, unix.S_ISUID | 0o755
	plain := func() (uintptr, error) {
		fd, errno := call(unix.SYS_OPEN, text("/tmp"), flags, 0o600)
		if errno != 0 {
			return 0, errno
		}
		return fd, nil
	}
	changed := func(name string, works bool, change func(fd uintptr)) Probe {
		return Probe{Name: "setid/" + name, Claim: claim, Works: works, Run: func(Target) (bool, string) {
			fd, err := plain()
			if err != nil {
				return false, err.Error()
			}
			change(fd)
			return setID(fd)
		}}
	}
	return []Probe{
		{Name: "setid/open", Claim: claim, Works: true, Run: func(Target) (bool, string) {
			fd, errno := call(unix.SYS_OPEN, text("/tmp"), flags, mode)
			if errno != 0 {
				return false, describe(fd, errno)
			}
			return setID(fd)
		}},
		{Name: "setid/openat-high-bits", Claim: claim, Works: true, Run: func(Target) (bool, string) {
			fd, errno := call(unix.SYS_OPENAT, cwd, text("/tmp"), flags|1<<32, mode|1<<63)
			if errno != 0 {
				return false, describe(fd, errno)
			}
			return setID(fd)
		}},
		{Name: "setid/openat2", Claim: claim, Works: true, Run: func(Target) (bool, string) {
			fd, errno := call(unix.SYS_OPENAT2, cwd, text("/tmp"), address(&unix.OpenHow{Flags: flags, Mode: mode}), 24)
			if errno != 0 {
				return false, describe(fd, errno)
			}
			return setID(fd)
		}},
		changed("fchmod", true, func(fd uintptr) { call(unix.SYS_FCHMOD, fd, mode) }),
		changed("fchmod-setgid", true, func(fd uintptr) { call(unix.SYS_FCHMOD, fd, unix.S_ISGID|0o755) }),
		changed("fchmod-both", true, func(fd uintptr) { call(unix.SYS_FCHMOD, fd, unix.S_ISUID|unix.S_ISGID|0o755) }),
		changed("fchmod-high-bit", true, func(fd uintptr) { call(unix.SYS_FCHMOD, fd, mode|1<<32) }),
		changed("chmod-by-proc", true, func(fd uintptr) { call(unix.SYS_CHMOD, text(fmt.Sprintf("/proc/self/fd/%d", fd)), mode) }),
		changed("fchmodat-by-proc", true, func(fd uintptr) {
			call(unix.SYS_FCHMODAT, cwd, text(fmt.Sprintf("/proc/self/fd/%d", fd)), mode)
		}),
		changed("fchmodat2", true, func(fd uintptr) { call(unix.SYS_FCHMODAT2, fd, text(""), mode, unix.AT_EMPTY_PATH) }),
		changed("capability", false, func(fd uintptr) {
			value := [6]uint32{0x03000001, 1 << 21, 0, 0, 0, 0} // revision 3, effective, CAP_SYS_ADMIN
			call(unix.SYS_FSETXATTR, fd, text("security.capability"), address(&value), 24, 0)
		}),
	}
}

// setID looks at the result, whatever the calls said.
func setID(fd uintptr) (bool, string) {
	var st unix.Stat_t
	if result, errno := call(unix.SYS_FSTAT, fd, address(&st)); errno != 0 {
		return false, describe(result, errno)
	}
	size, errno := call(unix.SYS_FGETXATTR, fd, text("security.capability"), buffer(64), 64)
	capable := errno == 0 && size > 0
	return capable || st.Mode&(unix.S_ISUID|unix.S_ISGID) != 0, fmt.Sprintf("mode %#o", st.Mode)
}
