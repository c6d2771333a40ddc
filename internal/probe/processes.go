//go:build probe && linux

package probe

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

func processProbes() []Probe {
	const own = "reaches only the realm's own processes"
	exec := func(path string) func() []uintptr {
		return func() []uintptr {
			argv := [2]uintptr{text(path), 0}
			return []uintptr{text(path), address(&argv), 0}
		}
	}
	attack := func(name, claim string, works bool, run func(Target) (bool, string)) Probe {
		return Probe{Name: "processes/" + name, Claim: claim, Works: works, Run: run}
	}
	return []Probe{
		{Name: "processes/fork", Claim: "no process can be started", FilterOnly: own, Works: true, Run: func(Target) (bool, string) { return ends(call(unix.SYS_FORK)) }},
		{Name: "processes/vfork", Claim: "no process can be started", FilterOnly: own, Works: true, Run: func(Target) (bool, string) {
			return ends(call(unix.SYS_CLONE, uintptr(unix.SIGCHLD))) // vfork's child would return into this frame first
		}},
		{Name: "processes/clone3", Claim: "no process can be started", FilterOnly: own, Works: true, Run: func(Target) (bool, string) {
			args := [11]uint64{}
			args[4] = uint64(unix.SIGCHLD)
			return ends(call(unix.SYS_CLONE3, address(&args), 88))
		}},
		{Name: "processes/clone-parent", Claim: "no sibling can be started", FilterOnly: own, Run: func(Target) (bool, string) { return forks(unix.CLONE_PARENT) }},
		// A successful execve prints nothing more, so that the test misses its line.
		attack("exec-shell", "no program can be executed", false, succeeds(unix.SYS_EXECVE, exec("/bin/true"))),
		attack("exec-empty-path", "the realm's own descriptors cannot be executed", false, succeeds(unix.SYS_EXECVEAT, func() []uintptr {
			return []uintptr{3, text(""), 0, 0, unix.AT_EMPTY_PATH}
		})),
		attack("exec-memfd", "no program made in memory can be executed", true, execMemory),
		{Name: "processes/ptrace-traceme", Claim: "nobody is made a tracer", FilterOnly: "the spawner would trace it, which kills it all the same", Works: true,
			Run: func(Target) (bool, string) {
				every := ^uint64(0) // signal, such as Go's own: a traced thread stops at each, and nobody is there to let it go on
				if result, errno := call(unix.SYS_RT_SIGPROCMASK, unix.SIG_BLOCK, address(&every), 0, 8); errno != 0 {
					return false, "no attempt: " + describe(result, errno)
				}
				result, errno := call(unix.SYS_PTRACE, unix.PTRACE_TRACEME)
				return errno == 0, describe(result, errno)
			}},
		attack("ptrace-attach-target", "the supervisor cannot be traced", false, func(t Target) (bool, string) {
			result, errno := call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, uintptr(t.PID), 0, 0)
			return errno == 0, describe(result, errno)
		}),
		attack("ptrace-seize-init", "process 1 cannot be traced", false, succeeds(unix.SYS_PTRACE, with(unix.PTRACE_SEIZE, 1, 0, 0))),
		attack("read-memory-target", "the supervisor's memory cannot be read", true, func(t Target) (bool, string) { return remote(unix.SYS_PROCESS_VM_READV, t.PID) }),
		attack("write-memory-target", "the supervisor's memory cannot be written", true, func(t Target) (bool, string) { return remote(unix.SYS_PROCESS_VM_WRITEV, t.PID) }),
		attack("read-memory-parent", "the parent's memory cannot be read", false, func(Target) (bool, string) {
			parent, errno := call(unix.SYS_GETPPID)
			if errno != 0 {
				return false, describe(parent, errno)
			}
			return remote(unix.SYS_PROCESS_VM_READV, int(parent))
		}),
		{Name: "processes/read-memory-self", Claim: "no memory can be read by process id", FilterOnly: own, Works: true, Run: func(Target) (bool, string) {
			pid, _ := call(unix.SYS_GETPID)
			return remote(unix.SYS_PROCESS_VM_READV, int(pid))
		}},
		attack("pidfd-open-target", "the supervisor cannot be referred to", true, func(t Target) (bool, string) {
			fd, errno := call(unix.SYS_PIDFD_OPEN, uintptr(t.PID), 0)
			return errno == 0, describe(fd, errno)
		}),
		{Name: "processes/pidfd-open-self", Claim: "no process can be referred to", FilterOnly: own, Works: true, Run: func(Target) (bool, string) {
			pid, _ := call(unix.SYS_GETPID)
			fd, errno := call(unix.SYS_PIDFD_OPEN, pid, 0)
			return errno == 0, describe(fd, errno)
		}},
		attack("pidfd-getfd-parent", "no descriptor can be taken from another process", false, func(Target) (bool, string) {
			parent, _ := call(unix.SYS_GETPPID)
			return referred(parent, unix.SYS_PIDFD_GETFD, 2, 0)
		}),
		attack("pidfd-getfd-target", "no descriptor can be taken from the supervisor", true, func(t Target) (bool, string) {
			return referred(uintptr(t.PID), unix.SYS_PIDFD_GETFD, 2, 0)
		}),
		{Name: "processes/pidfd-getfd-self", Claim: "no descriptor can be taken by process", FilterOnly: own, Works: true, Run: func(Target) (bool, string) {
			pid, _ := call(unix.SYS_GETPID)
			return referred(pid, unix.SYS_PIDFD_GETFD, 2, 0)
		}},
		attack("pidfd-signal", "the supervisor cannot be signalled by descriptor", true, func(t Target) (bool, string) {
			return referred(uintptr(t.PID), unix.SYS_PIDFD_SEND_SIGNAL, 0, 0, 0)
		}),
		attack("process-madvise", "the supervisor's memory cannot be advised on", false, func(t Target) (bool, string) {
			place := unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&pageOfOurs)) &^ (page - 1), Len: page}
			return referred(uintptr(t.PID), unix.SYS_PROCESS_MADVISE, address(&place), 1, unix.MADV_COLD, 0)
		}),
		attack("process-mrelease", "the supervisor's memory cannot be released", true, func(t Target) (bool, string) {
			result, errno := call(unix.SYS_PIDFD_OPEN, uintptr(t.PID), 0)
			if errno != 0 {
				return false, describe(result, errno)
			}
			result, errno = call(unix.SYS_PROCESS_MRELEASE, result, 0)
			return errno == 0 || errno == unix.EINVAL, describe(result, errno) // it lives: nothing to release yet
		}),
		attack("kcmp-target", "the supervisor cannot be compared with", false, func(t Target) (bool, string) {
			result, errno := call(unix.SYS_KCMP, uintptr(t.PID), 1, 1, 0, 0)
			return errno == 0, describe(result, errno)
		}),
		attack("robust-list-target", "the supervisor's lock list cannot be read", true, func(t Target) (bool, string) {
			result, errno := call(unix.SYS_GET_ROBUST_LIST, uintptr(t.PID), buffer(8), buffer(8))
			return errno == 0, describe(result, errno)
		}),
		attack("move-pages-target", "the supervisor's pages cannot be moved", false, func(t Target) (bool, string) {
			result, errno := call(unix.SYS_MOVE_PAGES, uintptr(t.PID), 0, 0, 0, 0, 0)
			return errno == 0, describe(result, errno)
		}),
		attack("priority-user", "no other process of the user can be slowed", true, func(t Target) (bool, string) {
			result, errno := call(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, uintptr(t.PID), 19)
			return errno == 0, describe(result, errno)
		}),
		attack("priority-up", "the realm cannot be made more important", false, succeeds(unix.SYS_SETPRIORITY, with(unix.PRIO_PROCESS, 0, ^uintptr(9)))),
		attack("realtime", "the realm gets no real-time scheduling", false, succeeds(unix.SYS_SCHED_SETSCHEDULER, func() []uintptr {
			priority := int32(1)
			return []uintptr{0, 1, address(&priority)}
		})),
		attack("io-priority", "the realm gets no real-time input and output", false, succeeds(unix.SYS_IOPRIO_SET, with(1, 0, 1<<13))),
		{Name: "processes/affinity", Claim: "the realm stays on its processors", FilterOnly: "its control group bounds it on any processor", Works: true, Run: succeeds(unix.SYS_SCHED_SETAFFINITY, func() []uintptr {
			mask := [16]uint64{1}
			return []uintptr{0, 128, address(&mask)}
		})},
		{Name: "processes/setsid", Claim: "the realm stays in its session", Works: true, Run: succeeds(unix.SYS_SETSID, with())},
		{Name: "processes/trace-perf", Claim: "nothing can be measured with performance counters", Run: succeeds(unix.SYS_PERF_EVENT_OPEN, func() []uintptr {
			attr := [32]uint32{1, 128} // software event, cpu clock, kernel included
			return []uintptr{address(&attr), 0, bad, bad, 0}
		})},
	}
}

// referred does something to a process by a descriptor that refers to it.
func referred(pid, number uintptr, args ...uintptr) (bool, string) {
	result, errno := call(unix.SYS_PIDFD_OPEN, pid, 0)
	if errno == 0 {
		result, errno = call(number, append([]uintptr{result}, args...)...)
	}
	return errno == 0, describe(result, errno)
}

// remote moves eight bytes between this process and another.
func remote(number uintptr, pid int) (bool, string) {
	var here [8]byte
	local := unix.Iovec{Base: &here[0]}
	local.SetLen(len(here))
	// Its own stack is mapped in any process; elsewhere the address is a guess,
	// and a fault in a process that may be read is EFAULT, not EPERM.
	far := unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&here[0])), Len: len(here)}
	result, errno := call(number, uintptr(pid), address(&local), 1, address(&far), 1, 0)
	runtime.KeepAlive(&here)
	return errno == 0 || errno == unix.EFAULT, describe(result, errno)
}

// execMemory writes a program into memory and executes it by descriptor. The
// program is a script without an interpreter that exists, so that ENOENT and
// ENOEXEC mean that the kernel went as far as loading it.
func execMemory(Target) (bool, string) {
	fd, errno := call(unix.SYS_MEMFD_CREATE, text("probe"), 0)
	if errno != 0 {
		return false, describe(fd, errno)
	}
	if n, errno := call(unix.SYS_WRITE, fd, text("no program"), 10); errno != 0 {
		return false, describe(n, errno)
	}
	result, errno := call(unix.SYS_EXECVEAT, fd, text(""), 0, 0, unix.AT_EMPTY_PATH)
	return errno == unix.ENOEXEC, describe(result, errno)
}
