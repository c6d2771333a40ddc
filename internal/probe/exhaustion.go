//go:build probe && linux

package probe

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What the test limits a realm to, and how far beyond it a bomb must get before
// it counts as not contained.
const (
	LimitMemoryBytes = 128 << 20
	LimitPids        = 64

	bombMemoryBytes = 4 * LimitMemoryBytes
	bombPids        = 5 * LimitPids
	bombDescriptors = 1024
	bombMappings    = 1 << 20
	bombFiles       = 1 << 16 // as many as a jail's /tmp has, which is one of them itself
	bombSignals     = 1 << 11
)

func exhaustionProbes() []Probe {
	killed := []string{"killed for its memory"}
	return []Probe{
		{Name: "exhaustion/memory", Claim: "memory is bounded", Ends: killed, Run: func(Target) (bool, string) { return touch(page) }},
		{Name: "exhaustion/page-tables", Claim: "memory of the kernel on the realm's behalf is bounded", Ends: killed, Run: func(Target) (bool, string) { return tables() }},
		// The Go runtime may be the first to miss a mapping, and then ends.
		{Name: "exhaustion/mappings", Claim: "mappings are bounded", Ends: []string{"exit status 2"}, Run: mappings},
		{Name: "exhaustion/descriptors", Claim: "descriptors are bounded", Run: descriptors},
		{Name: "exhaustion/files", Claim: "files are bounded, however small", Run: files},
		{Name: "exhaustion/signals", Claim: "queued signals are bounded", Works: true, Run: queuedSignals},
		// The C library ends the process when a thread cannot be made.
		{Name: "exhaustion/threads", Claim: "threads are bounded", Ends: []string{"SIGABRT", "SIGSEGV", "exit status 2"}, Run: threads},
		{Name: "exhaustion/processes", Claim: "processes are bounded", Run: processes},
		{Name: "exhaustion/spin", Claim: "a realm that spins can be ended", Ends: []string{"stopped by the test"}, Run: func(Target) (bool, string) {
			for {
			}
		}},
		{Name: "exhaustion/deaf", Claim: "a realm that blocks every signal can be ended", Ends: []string{"stopped by the test"}, Run: func(Target) (bool, string) {
			every := ^uint64(0)
			call(unix.SYS_RT_SIGPROCMASK, 0, address(&every), 0, 8)
			for {
			}
		}},
		{Name: "exhaustion/asleep", Claim: "a realm that sleeps can be ended", Ends: []string{"stopped by the test"}, Run: func(Target) (bool, string) {
			forever := [2]int64{1 << 40}
			for {
				call(unix.SYS_NANOSLEEP, address(&forever), 0)
			}
		}},
		{Name: "exhaustion/full-pipe", Claim: "a realm that floods its output is only held up", Ends: []string{"stopped by the test"}, Run: func(Target) (bool, string) {
			block := buffer(1 << 16)
			for range 1 << 12 {
				if n, errno := call(unix.SYS_WRITE, 4, block, 1<<16); errno != 0 {
					return false, describe(n, errno)
				}
			}
			return true, "wrote 256 MiB that nobody read"
		}},
	}
}

// touch writes to fresh memory.
func touch(step uintptr) (bool, string) {
	const chunk = 16 << 20
	for done := 0; done < bombMemoryBytes; done += chunk {
		at, errno := call(unix.SYS_MMAP, 0, chunk, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON, bad, 0)
		if errno != 0 {
			return false, describe(at, errno)
		}
		for offset := uintptr(0); offset < chunk; offset += step {
			poke(at + offset)
		}
	}
	return true, fmt.Sprintf("%d MiB", bombMemoryBytes>>20)
}

func poke(at uintptr) { *(*byte)(unsafe.Add(unsafe.Pointer(nil), at)) = 1 }

// tables reads one byte in each 2 MiB of a huge reservation: every read costs
// the kernel a page of page tables and the realm no page of its own.
func tables() (bool, string) {
	const region = 2 << 20
	const count = bombMemoryBytes / page
	at, errno := call(unix.SYS_MMAP, 0, region*count, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE, bad, 0)
	if errno != 0 {
		return false, describe(at, errno)
	}
	// Without huge pages, which one table entry would be enough for.
	call(unix.SYS_MADVISE, at, region*count, unix.MADV_NOHUGEPAGE)
	sum := byte(0)
	for i := uintptr(0); i < count; i++ {
		sum += *(*byte)(unsafe.Add(unsafe.Pointer(nil), at+i*region))
	}
	return true, fmt.Sprint(count, " tables ", sum)
}

// mappings alternates protections, so that no two neighbours merge.
func mappings(Target) (bool, string) {
	for i := range bombMappings {
		prot := uintptr(unix.PROT_NONE)
		if i%2 == 0 {
			prot = unix.PROT_READ
		}
		if at, errno := call(unix.SYS_MMAP, 0, page, prot, unix.MAP_PRIVATE|unix.MAP_ANON, bad, 0); errno != 0 {
			return false, fmt.Sprint(i, " mappings, then ", describe(at, errno))
		}
	}
	return true, fmt.Sprint(bombMappings)
}

func descriptors(Target) (bool, string) {
	for i := range bombDescriptors {
		if fd, errno := call(unix.SYS_EVENTFD2, 0, 0); errno != 0 {
			return false, fmt.Sprint(i, " descriptors, then ", describe(fd, errno))
		}
	}
	return true, fmt.Sprint(bombDescriptors)
}

func files(Target) (bool, string) {
	for i := range bombFiles {
		fd, errno := call(unix.SYS_OPEN, text(fmt.Sprint("/tmp/probe-", i)), unix.O_CREAT|unix.O_WRONLY, 0o600)
		if errno != 0 {
			return false, fmt.Sprint(i, " files, then ", describe(fd, errno))
		}
		call(unix.SYS_CLOSE, fd)
	}
	return true, fmt.Sprint(bombFiles)
}

// queuedSignals sends its own thread real-time signals that this does not take: each
// is an entry of its own.
func queuedSignals(Target) (bool, string) {
	const sig = 40
	blocked := uint64(1) << (sig - 1)
	call(unix.SYS_RT_SIGPROCMASK, 0, address(&blocked), 0, 8)
	pid, _ := call(unix.SYS_GETPID)
	thread, _ := call(unix.SYS_GETTID)
	for i := range bombSignals {
		if result, errno := call(unix.SYS_TGKILL, pid, thread, sig); errno != 0 {
			return false, fmt.Sprint(i, " signals, then ", describe(result, errno))
		}
	}
	return true, fmt.Sprint(bombSignals)
}

func threads(Target) (bool, string) {
	started := make(chan struct{})
	for range bombPids {
		go func() {
			runtime.LockOSThread()
			started <- struct{}{}
			select {}
		}()
		<-started
	}
	return true, fmt.Sprint(bombPids)
}

func processes(Target) (bool, string) {
	for i := range bombPids {
		pid, errno := call(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0)
		if errno != 0 {
			return false, fmt.Sprint(i, " processes, then ", describe(pid, errno))
		}
		for pid == 0 {
			call(unix.SYS_PAUSE)
		}
	}
	return true, fmt.Sprint(bombPids)
}
