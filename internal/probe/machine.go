//go:build probe && linux

package probe

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// machineProbes call what changes the whole machine, always so that the kernel
// refuses for the arguments' sake if it gets as far as looking at them. Only an
// error that comes after the privilege check counts as having worked.
func machineProbes() []Probe {
	passed := func(name, claim string, number uintptr, args func() []uintptr, after ...syscall.Errno) Probe {
		return Probe{Name: "machine/" + name, Claim: claim, Run: passes(number, args, after...)}
	}
	var tooEarly [2]int64 // 1970: the kernel sets no time before that of its own start
	ldt := passed("modify-ldt", "no segment can be made", unix.SYS_MODIFY_LDT, func() []uintptr { return []uintptr{1, bad, 0} }, unix.EINVAL, unix.EFAULT)
	ldt.FilterOnly = "segments of its own address space"
	reboot := passed("reboot", "the machine keeps running", unix.SYS_REBOOT, with(unix.LINUX_REBOOT_MAGIC1, 0, 0, 0), unix.EINVAL)
	reboot.Works = true // whoever has a pid namespace of its own may end that
	return []Probe{
		ldt,
		reboot,
		passed("kexec-load", "no kernel can be loaded", unix.SYS_KEXEC_LOAD, with(0, bad, 0, bad), unix.EINVAL),
		passed("kexec-file-load", "no kernel can be loaded", unix.SYS_KEXEC_FILE_LOAD, with(bad, bad, 0, 0, bad), unix.EINVAL, unix.EBADF),
		passed("init-module", "no module can be loaded", unix.SYS_INIT_MODULE, func() []uintptr { return []uintptr{buffer(8), 8, text("")} }, unix.ENOEXEC),
		passed("finit-module", "no module can be loaded", unix.SYS_FINIT_MODULE, func() []uintptr { return []uintptr{bad, text(""), 0} }, unix.EBADF),
		passed("delete-module", "no module can be removed", unix.SYS_DELETE_MODULE, func() []uintptr { return []uintptr{text("probe"), unix.O_NONBLOCK} }, unix.ENOENT),
		passed("settimeofday", "the clock stays", unix.SYS_SETTIMEOFDAY, func() []uintptr {
			return []uintptr{address(&tooEarly), 0}
		}, unix.EINVAL),
		passed("settimezone", "the clock's zone stays", unix.SYS_SETTIMEOFDAY, func() []uintptr {
			invalid := [2]int32{1 << 20, 0}
			return []uintptr{0, address(&invalid)}
		}, unix.EINVAL),
		passed("clock-settime", "the clock stays", unix.SYS_CLOCK_SETTIME, func() []uintptr {
			return []uintptr{unix.CLOCK_REALTIME, address(&tooEarly)}
		}, unix.EINVAL),
		passed("adjtimex", "the clock's rate stays", unix.SYS_ADJTIMEX, func() []uintptr {
			change := unix.Timex{Modes: 0x4000, Tick: -1} // an impossible tick
			return []uintptr{address(&change)}
		}, unix.EINVAL),
		passed("clock-adjtime", "the clock's rate stays", unix.SYS_CLOCK_ADJTIME, func() []uintptr {
			change := unix.Timex{Modes: 0x4000, Tick: -1}
			return []uintptr{unix.CLOCK_REALTIME, address(&change)}
		}, unix.EINVAL),
		passed("syslog-read", "kernel messages cannot be read", unix.SYS_SYSLOG, func() []uintptr { return []uintptr{3, buffer(256), 256} }),
		passed("vhangup", "terminals are not hung up", unix.SYS_VHANGUP, with()),
		passed("iopl", "no port can be reached", unix.SYS_IOPL, with(3)),
		passed("ioperm", "no port can be reached", unix.SYS_IOPERM, with(0x80, 1, 1)),
		passed("uselib", "no library is mapped", unix.SYS_USELIB, func() []uintptr { return []uintptr{text("/lib")} }),
		passed("lookup-dcookie", "no file names leak from the profiler", unix.SYS_LOOKUP_DCOOKIE, func() []uintptr { return []uintptr{0, buffer(64), 64} }, unix.EINVAL),
		passed("nfsservctl", "the file server is not reached", unix.SYS_NFSSERVCTL, with(0, 0, 0)),
		passed("set-mempolicy", "memory placement stays", unix.SYS_MIGRATE_PAGES, with(1, 0, 0, 0)),
	}
}
