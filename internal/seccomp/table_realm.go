package seccomp

// Protection and mapping bits of mmap(2), as on x86-64.
const (
	protRead  = 0x1
	protWrite = 0x2
	protExec  = 0x4

	mapPrivate   = 0x02
	mapFixed     = 0x10
	mapAnonymous = 0x20
	mapNoReserve = 0x4000
	mapStack     = 0x20000
)

// threadFlags is what glibc passes to clone for a thread: VM, FS, FILES,
// SIGHAND, THREAD, SYSVSEM, SETTLS, PARENT_SETTID and CHILD_CLEARTID. Nothing
// else may be created.
const threadFlags = 0x3d0f00

// RealmTable is the filter of a realm once its engine is warm: memory, threads
// of its own process, clocks, and reading and writing what it already holds.
// Everything else ends the process, except for calls that the runtimes make in
// passing and whose refusal they are known to bear.
//
// A jitless realm gets EACCES for every attempt to make memory executable.
func RealmTable(jitless bool) Table {
	name := "realm"
	if jitless {
		name = "realm-jitless"
	}
	rows := []Row{
		// Descriptors that the realm was given or made before the lock.
		{"read", 0, Allow, nil, "frames and the control pipe; eventfds"},
		{"write", 1, Allow, nil, "frames and stderr; eventfds"},
		{"writev", 20, Allow, nil, "frames in several parts; V8's fatal messages"},
		{"close", 3, Allow, nil, "os.File.Close of its own descriptors"},
		{"fstat", 5, Allow, nil, "stdio buffers of the C library"},
		{"lseek", 8, Allow, nil, "stdio streams of the C library"},
		{"epoll_pwait", 281, Allow, nil, "waiting for the supervisor, the control thread or the time"},
		{"epoll_create1", 291, Allow, nil, "Go's poller, which its first timer starts"},
		{"epoll_ctl", 233, Allow, nil, "Go's poller"},
		{"eventfd2", 290, Allow, nil, "Go's poller, its wake-up"},

		// Memory.
		{"munmap", 11, Allow, nil, "V8 heap, allocators, thread stacks"},
		{"brk", 12, Allow, nil, "malloc"},
		{"mremap", 25, Allow, nil, "realloc of large blocks"},

		// Threads and their synchronisation.
		{"clone", 56, Allow, when(eq(0, threadFlags)), "pthread_create after clone3 was refused"},
		{"clone3", 435, Errno(enosys), nil, "pthread_create tries it first and falls back on ENOSYS only"},
		{"futex", 202, Allow, nil, "every lock; Atomics.wait"},
		{"set_robust_list", 273, Allow, nil, "start of a thread"},
		{"rseq", 334, Allow, nil, "start of a thread; ENOSYS after registration aborts glibc"},
		{"sched_yield", 24, Allow, nil, "spinning locks of Go and V8"},
		{"sched_getaffinity", 204, Allow, nil, "processor counts; pthread_getattr_np"},
		{"sched_getparam", 143, Allow, nil, "V8 mutexes log when it fails"},
		{"sched_getscheduler", 145, Allow, nil, "pthread_getschedparam"},
		{"gettid", 186, Allow, nil, "signals between own threads"},
		{"getpid", 39, Allow, nil, "signals between own threads"},
		{"exit", 60, Allow, nil, "end of a thread"},
		{"exit_group", 231, Allow, nil, "end of the realm"},
		{"restart_syscall", 219, Allow, nil, "kernel, after a stop and continue inside a sleep"},

		// Signals within the process. A realm is process 1 of its namespace.
		{"tgkill", 234, Allow, when(eq(0, 1)), "Go preemption; abort"},
		{"rt_sigaction", 13, Allow, nil, "Go signal handlers; abort"},
		{"rt_sigprocmask", 14, Allow, nil, "start of a thread; Go"},
		{"rt_sigreturn", 15, Allow, nil, "return from a handler"},
		{"sigaltstack", 131, Allow, nil, "start of a Go thread"},

		// Clocks and randomness.
		{"nanosleep", 35, Allow, nil, "Go's usleep"},
		{"clock_nanosleep", 230, Allow, nil, "sleeps of the C library"},
		{"clock_gettime", 228, Allow, nil, "clocks that the vDSO does not serve"},
		{"clock_getres", 229, Allow, nil, "V8's time resolution"},
		{"gettimeofday", 96, Allow, nil, "clocks where the vDSO is off"},
		{"getrandom", 318, Allow, nil, "hash seeds of Go maps; V8"},

		// Names of threads and of memory, as debuggers see them.
		{"prctl", 157, Allow, when(eq(0, 15)), "PR_SET_NAME: names of V8's threads"},
		{"prctl", 157, Allow, when(eq(0, 0x53564d41), eq(1, 0)), "PR_SET_VMA: names of the Go heap and of malloc's arenas"},

		// Probed in passing; refusal is borne.
		{"open", 2, Errno(enoent), nil, "configuration and /proc files that runtimes look for"},
		{"openat", 257, Errno(enoent), nil, "configuration, /proc and /sys files that runtimes look for"},
		{"stat", 4, Errno(enoent), nil, "time zone files"},
		{"newfstatat", 262, Errno(enoent), nil, "time zone files"},
		{"access", 21, Errno(enoent), nil, "loader and allocator settings"},
		{"readlink", 89, Errno(enoent), nil, "/etc/localtime, /proc/self/exe"},
		{"ioctl", 16, Errno(enotty), nil, "isatty"},
		{"uname", 63, Errno(eperm), nil, "system information"},
		{"sysinfo", 99, Errno(eperm), nil, "memory sizes"},
		{"fcntl", 72, Errno(eperm), nil, "descriptor flags when a file is wrapped"},
		{"prlimit64", 302, Errno(eperm), nil, "stack size of new threads, file limit of Go"},
		{"getrusage", 98, Errno(eperm), nil, "V8's processor times in traces"},
		{"setpriority", 141, Errno(eperm), nil, "V8's low-priority workers"},
		{"statx", 332, Errno(enosys), nil, "stat of newer C libraries"},
		{"openat2", 437, Errno(enosys), nil, "os.Root"},
		{"faccessat2", 439, Errno(enosys), nil, "access of newer C libraries"},
		{"close_range", 436, Errno(enosys), nil, "closefrom"},
		{"pidfd_open", 434, Errno(enosys), nil, "Go's process checks"},
		{"memfd_create", 319, Errno(enosys), nil, "shared code mappings; none without it"},
		{"membarrier", 324, Errno(enosys), nil, "V8's code patching; falls back to signals"},
		{"pkey_alloc", 330, Errno(enosys), nil, "V8 asks once, before the lock; afterwards there are no more keys"},
		{"pkey_free", 331, Errno(enosys), nil, "counterpart of pkey_alloc"},
	}
	rows = append(rows, adviceRows()...)
	rows = append(rows, mappingRows(jitless)...)
	return Table{Name: name, Default: KillProcess, Rows: rows}
}

// adviceRows are the kinds of madvise in use.
func adviceRows() []Row {
	var rows []Row
	for _, advice := range []struct {
		value uint64
		user  string
	}{
		{4, "MADV_DONTNEED: Go heap, V8 page release, stacks of ended threads"},
		{8, "MADV_FREE: Go heap"},
		{14, "MADV_HUGEPAGE: Go heap"},
		{15, "MADV_NOHUGEPAGE: Go heap"},
	} {
		rows = append(rows, Row{"madvise", 28, Allow, when(eq(2, advice.value)), advice.user})
	}
	return rows
}

// mappingRows allow private anonymous memory, and execution of it only with a
// JIT. Protection is an unsigned long: every bit beyond read, write and
// execute is refused, the upper half included.
func mappingRows(jitless bool) []Row {
	anonymous := []Condition{
		{Arg: 3, Mask: ^uint64(mapFixed | mapStack | mapNoReserve), Value: mapPrivate | mapAnonymous},
		low(4, 0xffffffff), // no descriptor
	}
	allowed := uint64(protRead | protWrite | protExec)
	if jitless {
		allowed = protRead | protWrite
	}
	rows := []Row{
		{"mmap", 9, Allow, append(when(within(2, allowed)), anonymous...), "private anonymous memory: heaps, stacks, reservations"},
		{"mprotect", 10, Allow, when(within(2, allowed)), "V8 commits and seals pages; guard pages of stacks"},
		{"pkey_mprotect", 329, Allow, when(within(2, allowed)), "mprotect of V8 on processors with protection keys"},
	}
	if !jitless {
		return rows
	}
	const user = "no executable memory in a jitless realm"
	return append(rows,
		Row{"mmap", 9, Errno(eacces), when(has(2, protExec)), user},
		Row{"mprotect", 10, Errno(eacces), when(has(2, protExec)), user},
		Row{"pkey_mprotect", 329, Errno(eacces), when(has(2, protExec)), user},
	)
}
