//go:build probe && linux

package probe

import (
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

var cwd = uintptr(0xffffffffffffff9c) // AT_FDCWD

// fileProbes look for any file at all: a realm's root is an empty, read-only
// directory.
func fileProbes() []Probe {
	var probes []Probe
	everywhere := []string{
		"/etc/passwd", "../../../../etc/passwd", "/proc/self/status", "/proc/self/exe", "/proc/self/mem", "/proc/self/ns/net", "/proc/self/root/etc/passwd",
		"/proc/stat", "/proc/loadavg", "/proc/sys/kernel/core_pattern", "/sys/kernel", "/sys/fs/cgroup", "/dev/null", "/dev/urandom", "/tmp", "/run", "/home", "/bin/sh", "/lib",
	}
	for _, path := range []string{
		"/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/self/status", "/proc/1/environ", "/proc/1/mem", "/proc/1/maps", "/proc/1/root/etc/passwd", "/proc/1/cwd", "/proc/1/fd/0", "/proc/self/exe", "/proc/self/mem",
		"/proc/self/fd/3", "/proc/self/ns/net", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/kcore", "/proc/keys",
		"/proc/stat", "/proc/loadavg", "/proc/self/root/etc/passwd", "../../../../etc/passwd", "/sys/kernel", "/sys/fs/cgroup",
		"/sys/fs/cgroup/cgroup.procs", "/dev/null", "/dev/tty", "/dev/mem", "/dev/kmsg", "/dev/shm", "/dev/urandom", "/dev/ptmx",
		"/dev/fuse", "/dev/kvm", "/dev/net/tun", "/dev/userfaultfd", "/run", "/var/run/docker.sock", "/tmp", "/home", "/root", "/bin/sh", "/lib",
	} {
		probes = append(probes, Probe{
			Name: "files/open" + strings.ReplaceAll(path, "..", "up"), Claim: path + " cannot be opened", Works: slices.Contains(everywhere, path),
			Run: func(Target) (bool, string) {
				result, errno := call(unix.SYS_OPENAT, cwd, text(path), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
				return errno == 0, describe(result, errno)
			},
		})
	}
	for _, path := range []string{
		"/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches",
		"/proc/1/mem", "/proc/1/oom_score_adj", "/proc/1/clear_refs", "/proc/1/attr/current", "/proc/1/uid_map",
		"/sys/kernel/mm/ksm/run", "/sys/power/state", "/sys/kernel/uevent_helper",
		"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/cgroup.kill", "/sys/fs/cgroup/cgroup.subtree_control", "/sys/fs/cgroup/unified/cgroup.procs",
		"/sys/fs/cgroup/unified/cgroup.kill", "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/memory/tasks", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
		"/sys/fs/cgroup/pids/cgroup.procs", "/sys/fs/cgroup/cpu/cgroup.procs", "/sys/fs/cgroup/freezer/cgroup.procs",
	} {
		// A refusal for the file's mode tells that it is there.
		probes = append(probes, Probe{Name: "files/write" + path, Claim: path + " is not there to be written", Works: strings.HasPrefix(path, "/proc/sys/") || strings.HasPrefix(path, "/proc/1/"),
			Run: func(Target) (bool, string) {
				result, errno := call(unix.SYS_OPENAT, cwd, text(path), unix.O_WRONLY|unix.O_NOCTTY, 0)
				return errno != unix.ENOENT && errno != unix.ENOTDIR, describe(result, errno)
			}})
	}
	path := func(s string, more ...uintptr) func() []uintptr {
		return func() []uintptr { return append([]uintptr{text(s)}, more...) }
	}
	return append(probes,
		Probe{Name: "files/open-target", Claim: "a file of the host cannot be opened", Works: true, Run: func(t Target) (bool, string) {
			result, errno := call(unix.SYS_OPEN, text(t.File), unix.O_RDONLY, 0)
			return errno == 0, describe(result, errno)
		}},
		Probe{Name: "files/list-root", Claim: "the root directory has no entries", Works: true, Run: listRoot},
		Probe{Name: "files/leave-root", Claim: "no directory lies above the root", Works: true, Run: leaveRoot},
		Probe{Name: "files/create", Claim: "no file can be created", Run: succeeds(unix.SYS_OPEN, path("/probe", unix.O_CREAT|unix.O_WRONLY, 0o600))},
		Probe{Name: "files/create-relative", Claim: "no file can be created", Run: succeeds(unix.SYS_CREAT, path("probe", 0o600))},
		Probe{Name: "files/tmpfile", Claim: "no unnamed file can be created", Run: succeeds(unix.SYS_OPEN, path("/", unix.O_TMPFILE|unix.O_RDWR, 0o600))},
		Probe{Name: "files/mkdir", Claim: "no directory can be made", Run: succeeds(unix.SYS_MKDIR, path("/probe", 0o700))},
		Probe{Name: "files/mknod-fifo", Claim: "no pipe can be made", Run: succeeds(unix.SYS_MKNOD, path("/probe", unix.S_IFIFO|0o600, 0))},
		Probe{Name: "files/mknod-device", Claim: "no device can be made", Run: succeeds(unix.SYS_MKNOD, path("/probe", unix.S_IFCHR|0o600, 0x103))},
		Probe{Name: "files/symlink", Claim: "no link can be made", Run: succeeds(unix.SYS_SYMLINK, func() []uintptr { return []uintptr{text("/etc"), text("/probe")} })},
		Probe{Name: "files/link", Claim: "no link can be made", Run: succeeds(unix.SYS_LINK, func() []uintptr { return []uintptr{text("/"), text("/probe")} })},
		Probe{Name: "files/rename", Claim: "nothing can be renamed", Run: succeeds(unix.SYS_RENAME, func() []uintptr { return []uintptr{text("/"), text("/probe")} })},
		Probe{Name: "files/unlink", Claim: "nothing can be removed", Run: succeeds(unix.SYS_UNLINK, path("/"))},
		Probe{Name: "files/chmod-root", Claim: "the root's mode stays", Run: succeeds(unix.SYS_CHMOD, path("/", 0o755))},
		Probe{Name: "files/chown-root", Claim: "the root's owner stays", Run: succeeds(unix.SYS_CHOWN, path("/", 1000, 1000))},
		Probe{Name: "files/utime-root", Claim: "the root's times stay", Run: succeeds(unix.SYS_UTIME, path("/", 0))},
		Probe{Name: "files/setxattr-root", Claim: "the root gets no attributes", Run: succeeds(unix.SYS_SETXATTR, func() []uintptr {
			return []uintptr{text("/"), text("user.probe"), text("x"), 1, 0}
		})},
		Probe{Name: "files/chroot", Claim: "the root cannot be changed", Works: true, Run: succeeds(unix.SYS_CHROOT, path("/"))},
		Probe{Name: "files/truncate", Claim: "nothing can be truncated", Run: succeeds(unix.SYS_TRUNCATE, path("/", 0))},
		Probe{Name: "files/stat-host", Claim: "no file of the host can be looked at", Works: true, Run: succeeds(unix.SYS_NEWFSTATAT, func() []uintptr {
			return []uintptr{cwd, text("/etc/passwd"), buffer(144), 0}
		})},
		Probe{Name: "files/statx-host", Claim: "no file of the host can be looked at", Works: true, Run: succeeds(unix.SYS_STATX, func() []uintptr {
			return []uintptr{cwd, text("/etc"), 0, 0x7ff, buffer(256)}
		})},
		Probe{Name: "files/openat2", Claim: "the newer open finds nothing either", Works: true, Run: succeeds(unix.SYS_OPENAT2, func() []uintptr {
			return []uintptr{cwd, text("/etc/passwd"), address(&unix.OpenHow{Flags: unix.O_RDONLY}), 24}
		})},
		Probe{Name: "files/open-by-handle", Claim: "a file handle passes no path check", Run: succeeds(unix.SYS_OPEN_BY_HANDLE_AT, func() []uintptr {
			handle := [4]uint32{8, 1, 2, 0} // inode 2: the root of an ext4 file system
			return []uintptr{cwd, address(&handle), unix.O_RDONLY}
		})},
		Probe{Name: "files/inotify", Claim: "nothing can be watched", FilterOnly: "an instance alone sees nothing", Works: true, Run: succeeds(unix.SYS_INOTIFY_INIT1, with(0))},
		Probe{Name: "files/inotify-host", Claim: "no file of the host can be watched", Works: true, Run: func(Target) (bool, string) {
			fd, errno := call(unix.SYS_INOTIFY_INIT1, 0)
			if errno == 0 {
				fd, errno = call(unix.SYS_INOTIFY_ADD_WATCH, fd, text("/etc"), unix.IN_OPEN)
			}
			return errno == 0, describe(fd, errno)
		}},
		Probe{Name: "files/fanotify", Claim: "no file system can be watched", Run: succeeds(unix.SYS_FANOTIFY_INIT, with(unix.FAN_CLASS_CONTENT, unix.O_RDONLY))},
		Probe{Name: "files/statfs", Claim: "no file system's figures can be read", FilterOnly: "shows the realm's own empty file system", Works: true,
			Run: succeeds(unix.SYS_STATFS, func() []uintptr { return []uintptr{text("/"), buffer(256)} })},
	)
}

// listRoot reads the root's entries by every way that opens a directory.
func listRoot(Target) (bool, string) {
	fd, errno := call(unix.SYS_OPENAT, cwd, text("/"), unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if errno != 0 {
		return false, describe(fd, errno)
	}
	entries := make([]byte, 4096)
	n, errno := call(unix.SYS_GETDENTS64, fd, address(&entries[0]), uintptr(len(entries)))
	if errno != 0 {
		return false, describe(n, errno)
	}
	names := make([]string, 0, 8)
	_, _, names = syscall.ParseDirent(entries[:n], -1, names)
	return len(names) > 0, strings.Join(names, " ")
}

// leaveRoot climbs, in case the old root was not detached.
func leaveRoot(t Target) (bool, string) {
	for range 16 {
		if result, errno := call(unix.SYS_CHDIR, text("..")); errno != 0 {
			return false, describe(result, errno)
		}
	}
	result, errno := call(unix.SYS_OPEN, text("etc/passwd"), unix.O_RDONLY, 0)
	return errno == 0, describe(result, errno)
}
