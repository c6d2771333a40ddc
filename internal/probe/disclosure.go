//go:build probe && linux

package probe

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

// disclosureProbes look for counters and names that say something about the
// host or about a realm's siblings.
func disclosureProbes() []Probe {
	const everybody = "the kernel tells everybody"
	return []Probe{
		{Name: "disclosure/host-name", Claim: "the host's name is not seen", Works: true, Run: func(Target) (bool, string) {
			var names unix.Utsname
			result, errno := call(unix.SYS_UNAME, address(&names))
			name, _, _ := bytes.Cut(names.Nodename[:], []byte{0})
			return errno == 0 && string(name) != "realm", describe(result, errno) + " " + string(name)
		}},
		{Name: "disclosure/sysinfo", Claim: "load and memory of the host are not seen", FilterOnly: everybody, Works: true,
			Run: succeeds(unix.SYS_SYSINFO, func() []uintptr { return []uintptr{buffer(256)} })},
		{Name: "disclosure/process-clock-target", Claim: "the supervisor's processor time is not seen", Works: true, Run: func(t Target) (bool, string) {
			result, errno := call(unix.SYS_CLOCK_GETTIME, processClock(t.PID), buffer(16))
			return errno == 0, describe(result, errno)
		}},
		{Name: "disclosure/process-clocks", Claim: "no other process's processor time is seen", Run: func(Target) (bool, string) {
			for pid := 2; pid < 1<<15; pid++ {
				if result, errno := call(unix.SYS_CLOCK_GETTIME, processClock(pid), buffer16()); errno == 0 && !ownThread(pid) {
					return true, describe(uintptr(pid), 0) + describe(result, errno)
				}
			}
			return false, "none"
		}},
		{Name: "disclosure/scheduler-target", Claim: "the supervisor's scheduling is not seen", Works: true, Run: func(t Target) (bool, string) {
			result, errno := call(unix.SYS_SCHED_GETSCHEDULER, uintptr(t.PID))
			return errno == 0, describe(result, errno)
		}},
		{Name: "disclosure/affinity-target", Claim: "the supervisor's processors are not seen", Works: true, Run: func(t Target) (bool, string) {
			result, errno := call(unix.SYS_SCHED_GETAFFINITY, uintptr(t.PID), 128, buffer(128))
			return errno == 0, describe(result, errno)
		}},
		{Name: "disclosure/limits-target", Claim: "the supervisor's limits are not seen", Works: true, Run: func(t Target) (bool, string) {
			result, errno := call(unix.SYS_PRLIMIT64, uintptr(t.PID), unix.RLIMIT_NOFILE, 0, buffer(16))
			return errno == 0, describe(result, errno)
		}},
		{Name: "disclosure/session-target", Claim: "the supervisor's session is not seen", Works: true, Run: func(t Target) (bool, string) {
			result, errno := call(unix.SYS_GETSID, uintptr(t.PID))
			return errno == 0, describe(result, errno)
		}},
		{Name: "disclosure/children-usage", Claim: "nobody's resource usage is seen", FilterOnly: "a realm has no children", Works: true,
			Run: succeeds(unix.SYS_GETRUSAGE, func() []uintptr { return []uintptr{bad, buffer(256)} })},
		{Name: "disclosure/parent", Claim: "the parent has no id here", Run: func(Target) (bool, string) {
			parent, errno := call(unix.SYS_GETPPID)
			return errno == 0 && parent != 0, describe(parent, errno)
		}},
		{Name: "disclosure/processor", Claim: "the processor in use is not told", FilterOnly: "an instruction tells it as well", Works: true,
			Run: succeeds(unix.SYS_GETCPU, func() []uintptr { return []uintptr{buffer(4), 0, 0} })},
		{Name: "disclosure/semaphores", Claim: "no semaphores of the host are seen", Run: func(Target) (bool, string) {
			var info [10]int32
			result, errno := call(unix.SYS_SEMCTL, 0, 0, 19, address(&info)) // SEM_INFO
			return errno == 0 && info[7] != 0, describe(result, errno)
		}},
		{Name: "disclosure/pipe-numbers", Claim: "the number of a new pipe tells nothing of others'", FilterOnly: everybody, Works: true, Run: func(Target) (bool, string) {
			var numbers [2]uint64
			for i := range numbers {
				var ends [2]int32
				var st unix.Stat_t
				if result, errno := call(unix.SYS_PIPE2, address(&ends), 0); errno != 0 {
					return false, describe(result, errno)
				}
				call(unix.SYS_FSTAT, uintptr(ends[0]), address(&st))
				numbers[i] = st.Ino
			}
			return numbers[0] != numbers[1], fmt.Sprint(numbers)
		}},
		{Name: "disclosure/null-times", Claim: "times of a shared device carry nothing between realms", FilterOnly: "fstat of the null device shows who touched it last; only touching it is refused", Run: succeeds(unix.SYS_UTIMENSAT, with(1, 0, 0, 0))},
	}
}

// processClock is the clock id of a process's processor time, clock_getcpuclockid(3).
func processClock(pid int) uintptr {
	const process = 2
	return uintptr(uint32(int32(^pid)<<3 | process))
}

var scratch [16]byte

func buffer16() uintptr { return address(&scratch) }

// ownThread: a thread's id is a clock as well, but its own process's.
func ownThread(id int) bool {
	_, errno := call(unix.SYS_TGKILL, 1, uintptr(id), 0)
	return errno == 0
}
