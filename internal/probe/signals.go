//go:build probe && linux

package probe

import "golang.org/x/sys/unix"

// Signal 0 only asks whether a signal could be sent.
func signalProbes() []Probe {
	const own = "reaches only the realm's own processes"
	aimed := func(name string, works bool, run func(Target) []uintptr, number uintptr) Probe {
		return Probe{Name: "signals/" + name, Claim: "nobody outside can be signalled", Works: works, Run: func(t Target) (bool, string) {
			result, errno := call(number, run(t)...)
			return errno == 0, describe(result, errno)
		}}
	}
	info := func() uintptr {
		info := [16]uint64{0: 0, 1: 0xffffffff} // si_code -1: queued by a process
		return address(&info)
	}
	return []Probe{
		aimed("kill-target", true, func(t Target) []uintptr { return []uintptr{uintptr(t.PID), 0} }, unix.SYS_KILL),
		aimed("kill-parent", false, func(Target) []uintptr {
			parent, _ := call(unix.SYS_GETPPID)
			if parent == 0 {
				parent = bad >> 1 // the parent is outside the namespace: nobody
			}
			return []uintptr{parent, 0}
		}, unix.SYS_KILL),
		aimed("kill-everybody", false, func(Target) []uintptr { return []uintptr{bad, 0} }, unix.SYS_KILL),
		aimed("kill-foreign-group", false, func(t Target) []uintptr { return []uintptr{-uintptr(t.PID), 0} }, unix.SYS_KILL),
		aimed("tkill-target", true, func(t Target) []uintptr { return []uintptr{uintptr(t.PID), 0} }, unix.SYS_TKILL),
		aimed("tgkill-target", true, func(t Target) []uintptr { return []uintptr{uintptr(t.PID), uintptr(t.PID), 0} }, unix.SYS_TGKILL),
		aimed("tgkill-foreign-thread", true, func(t Target) []uintptr { return []uintptr{1, uintptr(t.PID), 0} }, unix.SYS_TGKILL),
		aimed("sigqueue-target", true, func(t Target) []uintptr { return []uintptr{uintptr(t.PID), 0, info()} }, unix.SYS_RT_SIGQUEUEINFO),
		aimed("tgsigqueue-target", true, func(t Target) []uintptr { return []uintptr{uintptr(t.PID), uintptr(t.PID), 0, info()} }, unix.SYS_RT_TGSIGQUEUEINFO),
		aimed("fcntl-owner", true, func(t Target) []uintptr { return []uintptr{4, unix.F_SETOWN, uintptr(t.PID)} }, unix.SYS_FCNTL),
		{Name: "signals/timer", Claim: "no timer delivers signals", FilterOnly: own, Works: true, Run: succeeds(unix.SYS_TIMER_CREATE, func() []uintptr {
			return []uintptr{unix.CLOCK_MONOTONIC, 0, buffer(8)}
		})},
		{Name: "signals/itimer", Claim: "no timer delivers signals", FilterOnly: own, Works: true, Run: succeeds(unix.SYS_SETITIMER, func() []uintptr { return []uintptr{0, buffer(32), 0} })},
		{Name: "signals/alarm", Claim: "no timer delivers signals", FilterOnly: own, Works: true, Run: succeeds(unix.SYS_ALARM, with(0))},
		{Name: "signals/signalfd", Claim: "signals cannot be read as a file", FilterOnly: own, Works: true, Run: succeeds(unix.SYS_SIGNALFD4, func() []uintptr {
			return []uintptr{bad, buffer(8), 8, 0}
		})},
	}
}
