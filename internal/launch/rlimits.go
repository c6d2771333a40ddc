//go:build linux

package launch

import (
	"time"

	"golang.org/x/sys/unix"
)

// Defaults of Rlimits.
const (
	realmOpenFiles   = 64
	commandOpenFiles = 1024
	realmSignals     = 64 // beyond it those of the runtimes lose no more than their details
	commandSignals   = 1024
	commandFileBytes = 1 << 30
	stackBytes       = 8 << 20
)

// rlimit is one resource limit, soft and hard alike.
type rlimit struct {
	resource int
	value    uint64
}

// list is every limit that is set for a process of this kind.
func (r Rlimits) list(kind Kind) []rlimit {
	files, size, signals := uint64(realmOpenFiles), uint64(0), uint64(realmSignals)
	if kind == Command {
		files, size, signals = commandOpenFiles, commandFileBytes, commandSignals
	}
	list := []rlimit{
		{unix.RLIMIT_NOFILE, or(r.OpenFiles, files)},
		{unix.RLIMIT_FSIZE, or(r.FileBytes, size)},
		{unix.RLIMIT_STACK, or(r.StackBytes, stackBytes)},
		{unix.RLIMIT_MEMLOCK, 0},
		{unix.RLIMIT_CORE, 1}, // a core handler that is a pipe ignores 0
		{unix.RLIMIT_MSGQUEUE, 0},
		{unix.RLIMIT_SIGPENDING, signals}, // what is queued counts against the supervisor's user as well
		{unix.RLIMIT_NICE, 0},
		{unix.RLIMIT_RTPRIO, 0},
	}
	if r.CPU > 0 {
		list = append(list, rlimit{unix.RLIMIT_CPU, uint64((r.CPU + time.Second - 1) / time.Second)})
	}
	if r.AddressSpace > 0 {
		list = append(list, rlimit{unix.RLIMIT_AS, r.AddressSpace})
	}
	if r.Processes > 0 {
		list = append(list, rlimit{unix.RLIMIT_NPROC, r.Processes})
	}
	return list
}

func or(v, fallback uint64) uint64 {
	if v != 0 {
		return v
	}
	return fallback
}
