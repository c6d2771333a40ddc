//go:build probe && linux

package probe

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

const page = 4096

func memoryProbes() []Probe {
	const own = "is memory of the realm's own, charged to its control group"
	const ring = "a ring does what its maker may do"
	const noFile = 1 << 20
	attack := func(name, claim string, works bool, number uintptr, args func() []uintptr) Probe {
		return Probe{Name: "memory/" + name, Claim: claim, Works: works, Run: succeeds(number, args)}
	}
	filtered := func(p Probe, why string) Probe {
		p.FilterOnly = why
		return p
	}
	mapping := func(name, claim string, works bool, prot, flags, fd uintptr) Probe {
		return attack(name, claim, works, unix.SYS_MMAP, with(0, page, prot, flags, fd, 0))
	}
	const readWrite = unix.PROT_READ | unix.PROT_WRITE
	return []Probe{
		filtered(mapping("shared-anonymous", "no memory is shared", true, readWrite, unix.MAP_SHARED|unix.MAP_ANON, bad), own),
		filtered(mapping("shared-validate", "no memory is shared", false, readWrite, unix.MAP_SHARED_VALIDATE|unix.MAP_ANON, bad), own),
		mapping("map-stdin", "no descriptor can be mapped", false, unix.PROT_READ, unix.MAP_PRIVATE, 0),
		mapping("map-pipe", "no descriptor can be mapped", false, unix.PROT_READ, unix.MAP_SHARED, 3),
		mapping("map-huge", "no huge pages are taken from the pool", false, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_HUGETLB, bad),
		mapping("map-locked", "no memory is locked", true, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_LOCKED, bad),
		filtered(mapping("map-growsdown", "no stack grows by itself", true, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_GROWSDOWN, bad), own),
		{Name: "memory/map-page-zero", Claim: "page zero stays unmapped", Run: succeeds(unix.SYS_MMAP, with(0, page, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED, bad, 0))},
		{Name: "memory/map-kernel", Claim: "kernel addresses stay unmapped", Run: succeeds(unix.SYS_MMAP, with(0xffff800000000000, page, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_FIXED, bad, 0))},
		{Name: "memory/move-to-kernel", Claim: "no page moves to a kernel address", Run: func(Target) (bool, string) {
			at, errno := call(unix.SYS_MMAP, 0, page, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON, bad, 0)
			if errno == 0 {
				at, errno = call(unix.SYS_MREMAP, at, page, page, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED, 0xffff800000000000)
			}
			return errno == 0, describe(at, errno)
		}},
		{Name: "memory/read-kernel", Claim: "no kernel memory leaks through a call that copies", Run: func(Target) (bool, string) {
			result, errno := call(unix.SYS_WRITE, 2, 0xffffffff81000000, 16)
			return errno == 0, describe(result, errno)
		}},
		filtered(attack("memfd", "no file in memory can be made", true, unix.SYS_MEMFD_CREATE, func() []uintptr { return []uintptr{text("probe"), 0} }), own),
		filtered(attack("memfd-secret", "no secret memory can be made", false, unix.SYS_MEMFD_SECRET, with(0)), own),
		filtered(attack("shmget", "no System V memory can be made", true, unix.SYS_SHMGET, with(0, page, 0o1600)), own),
		attack("shmat", "no System V memory of the host can be attached", false, unix.SYS_SHMAT, with(0, 0, 0)),
		attack("shm-statistics", "no segments of the host can be seen", false, unix.SYS_SHMCTL, func() []uintptr { return []uintptr{0, 13, buffer(256)} }),
		filtered(attack("semget", "no semaphores can be made", true, unix.SYS_SEMGET, with(0, 1, 0o1600)), own),
		filtered(attack("msgget", "no message queue can be made", true, unix.SYS_MSGGET, with(0, 0o1600)), own),
		attack("mq-open", "no message queue can be made", false, unix.SYS_MQ_OPEN, func() []uintptr { return []uintptr{text("probe"), unix.O_CREAT | unix.O_RDWR, 0o600, 0} }),
		filtered(attack("userfaultfd", "no fault can be answered by the guest", false, unix.SYS_USERFAULTFD, with(1)), "only user mode faults of its own"),
		attack("userfaultfd-kernel", "no kernel fault can be answered by the guest", false, unix.SYS_USERFAULTFD, with(0)),
		filtered(attack("io-uring", "no ring can be made", true, unix.SYS_IO_URING_SETUP, func() []uintptr { return []uintptr{1, buffer(120)} }), ring),
		{Name: "memory/io-uring-enter", Claim: "no ring can be entered", FilterOnly: ring, Works: true, Run: passes(unix.SYS_IO_URING_ENTER, with(noFile, 0, 0, 0, 0, 0), unix.EBADF)},
		{Name: "memory/io-uring-register", Claim: "no ring can be set up", FilterOnly: ring, Works: true, Run: passes(unix.SYS_IO_URING_REGISTER, with(noFile, 0, 0, 0), unix.EBADF)},
		filtered(attack("io-setup", "no asynchronous context can be made", true, unix.SYS_IO_SETUP, func() []uintptr { return []uintptr{1, buffer(8)} }), own),
		attack("mlock", "no memory is locked", true, unix.SYS_MLOCK, with(uintptr(unsafe.Pointer(&pageOfOurs)), 1)),
		attack("mlockall", "no memory is locked", false, unix.SYS_MLOCKALL, with(unix.MCL_FUTURE)),
		filtered(attack("remap-file-pages", "no page is remapped", false, unix.SYS_REMAP_FILE_PAGES, with(0, page, 0, 0, 0)), own),
		attack("poison", "no page can be poisoned", false, unix.SYS_MADVISE, with(bad&^(page-1), page, 100)),
		{Name: "memory/merge", Claim: "no page is merged with another realm's", FilterOnly: "inert while the merging daemon is off", Run: func(Target) (bool, string) {
			at, errno := call(unix.SYS_MMAP, 0, page, readWrite, unix.MAP_PRIVATE|unix.MAP_ANON, bad, 0)
			if errno == 0 {
				at, errno = call(unix.SYS_MADVISE, at, page, unix.MADV_MERGEABLE)
			}
			return errno == 0, describe(at, errno)
		}},
		filtered(attack("merge-process", "no page is merged with another realm's", false, unix.SYS_PRCTL, with(67, 1, 0, 0, 0)), "inert while the merging daemon is off"),
		filtered(attack("seal", "no mapping is sealed against the runtime", false, unix.SYS_MSEAL, with(0, 0, 0)), own),
		filtered(attack("shadow-stack", "no shadow stack of the guest's own", false, unix.SYS_MAP_SHADOW_STACK, with(0, page, 0)), own),
		filtered(attack("pkey", "no protection key can be taken", false, unix.SYS_PKEY_ALLOC, with(0, 0)), own),
		filtered(attack("arch-prctl", "segment bases stay", true, unix.SYS_ARCH_PRCTL, func() []uintptr { return []uintptr{0x1003, buffer(8)} }), own),
	}
}

var pageOfOurs byte

// jitlessProbes try to get executable memory where there is no JIT.
func jitlessProbes() []Probe {
	const claim = "no memory becomes executable"
	const readWrite, exec = unix.PROT_READ | unix.PROT_WRITE, unix.PROT_EXEC
	attack := func(name string, run func(Target) (bool, string)) Probe {
		return Probe{Name: "jitless/" + name, Claim: claim, only: Jitless, Works: true, Run: run}
	}
	mapped := func(prot uintptr) (uintptr, string, bool) {
		at, errno := call(unix.SYS_MMAP, 0, page, prot, unix.MAP_PRIVATE|unix.MAP_ANON, bad, 0)
		return at, describe(at, errno), errno == 0
	}
	protect := func(number, at, prot, key uintptr) (bool, string) {
		result, errno := call(number, at, page, prot, key)
		return errno == 0, describe(result, errno)
	}
	return []Probe{
		attack("map-rwx", func(Target) (bool, string) { _, what, ok := mapped(readWrite | exec); return ok, what }),
		attack("map-rx", func(Target) (bool, string) { _, what, ok := mapped(unix.PROT_READ | exec); return ok, what }),
		attack("map-x", func(Target) (bool, string) { _, what, ok := mapped(exec); return ok, what }),
		attack("write-then-protect", func(Target) (bool, string) {
			at, what, ok := mapped(readWrite)
			if !ok {
				return false, what
			}
			return protect(unix.SYS_MPROTECT, at, unix.PROT_READ|exec, 0)
		}),
		attack("protect-by-key", func(Target) (bool, string) {
			at, what, ok := mapped(readWrite)
			if !ok {
				return false, what
			}
			return protect(unix.SYS_PKEY_MPROTECT, at, unix.PROT_READ|exec, bad)
		}),
		attack("make-code-writable", func(Target) (bool, string) { return protect(unix.SYS_MPROTECT, code()&^(page-1), readWrite|exec, 0) }),
		{Name: "jitless/swap-code", Claim: claim, only: Jitless, Works: true, Run: func(Target) (bool, string) {
			// A writable page moved over code brings its own protection along. The
			// page is one that nothing executes: a copy of this program's code.
			at, what, ok := mapped(readWrite)
			if !ok {
				return false, what
			}
			over, what, ok := mapped(unix.PROT_READ)
			if !ok {
				return false, what
			}
			moved, errno := call(unix.SYS_MREMAP, at, page, page, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED, over)
			if errno != 0 {
				return false, describe(moved, errno)
			}
			return protect(unix.SYS_MPROTECT, moved, unix.PROT_READ|exec, 0)
		}},
		{Name: "jitless/protection-high-bit", Claim: claim, only: Jitless, Run: func(Target) (bool, string) {
			at, what, ok := mapped(readWrite)
			if !ok {
				return false, what
			}
			return protect(unix.SYS_MPROTECT, at, unix.PROT_READ|exec|1<<32, 0)
		}},
	}
}

// code is an address inside this program's text.
func code() uintptr {
	pc, _, _, _ := runtime.Caller(0)
	return pc
}
