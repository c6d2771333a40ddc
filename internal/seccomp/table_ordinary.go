package seccomp

// call names a call without conditions.
type call struct {
	name   string
	number uint32
}

// ordinaryRows are the calls that a command may make with any arguments,
// because they reach only its own processes, what its mounts show and what it
// has opened.
func ordinaryRows() []Row {
	var rows []Row
	for _, group := range []struct {
		user  string
		calls []call
	}{
		{"reading and writing open files", []call{
			{"read", 0}, {"write", 1}, {"close", 3}, {"lseek", 8}, {"pread64", 17}, {"pwrite64", 18}, {"readv", 19}, {"writev", 20},
			{"preadv", 295}, {"pwritev", 296}, {"preadv2", 327}, {"pwritev2", 328}, {"sendfile", 40}, {"copy_file_range", 326},
			{"splice", 275}, {"tee", 276}, {"readahead", 187}, {"fadvise64", 221}, {"sync_file_range", 277}, {"fallocate", 285},
			{"fsync", 74}, {"fdatasync", 75}, {"truncate", 76}, {"ftruncate", 77}, {"flock", 73}, {"close_range", 436},
			{"dup", 32}, {"dup2", 33}, {"dup3", 292}, {"pipe", 22}, {"pipe2", 293},
		}},
		{"names, attributes and directories", []call{
			{"stat", 4}, {"fstat", 5}, {"lstat", 6}, {"newfstatat", 262}, {"statx", 332}, {"statfs", 137}, {"fstatfs", 138},
			{"access", 21}, {"faccessat", 269}, {"faccessat2", 439}, {"getdents", 78}, {"getdents64", 217}, {"getcwd", 79}, {"chdir", 80}, {"fchdir", 81},
			{"rename", 82}, {"renameat", 264}, {"renameat2", 316}, {"rmdir", 84}, {"link", 86}, {"linkat", 265}, {"unlink", 87}, {"unlinkat", 263},
			{"symlink", 88}, {"symlinkat", 266}, {"readlink", 89}, {"readlinkat", 267}, {"umask", 95},
			{"chown", 92}, {"fchown", 93}, {"lchown", 94}, {"fchownat", 260}, {"utime", 132}, {"utimes", 235}, {"futimesat", 261}, {"utimensat", 280},
			{"setxattr", 188}, {"lsetxattr", 189}, {"fsetxattr", 190}, {"getxattr", 191}, {"lgetxattr", 192}, {"fgetxattr", 193},
			{"listxattr", 194}, {"llistxattr", 195}, {"flistxattr", 196}, {"removexattr", 197}, {"lremovexattr", 198}, {"fremovexattr", 199},
		}},
		{"memory of its own", []call{
			{"mmap", 9}, {"mprotect", 10}, {"munmap", 11}, {"brk", 12}, {"mremap", 25}, {"msync", 26}, {"mincore", 27},
			{"mlock", 149}, {"munlock", 150}, {"mlockall", 151}, {"munlockall", 152}, {"mlock2", 325}, {"get_mempolicy", 239},
			{"pkey_mprotect", 329}, {"pkey_alloc", 330}, {"pkey_free", 331}, {"membarrier", 324}, {"mseal", 462},
		}},
		{"processes and threads of its own", []call{
			{"fork", 57}, {"vfork", 58}, {"execve", 59}, {"execveat", 322}, {"exit", 60}, {"exit_group", 231}, {"wait4", 61}, {"waitid", 247},
			{"getpid", 39}, {"getppid", 110}, {"gettid", 186}, {"getpgrp", 111}, {"getpgid", 121}, {"setpgid", 109}, {"getsid", 124}, {"setsid", 112},
			{"arch_prctl", 158}, {"set_tid_address", 218}, {"set_robust_list", 273}, {"get_robust_list", 274}, {"rseq", 334},
			{"futex", 202}, {"futex_waitv", 449}, {"sched_yield", 24}, {"sched_getaffinity", 204}, {"sched_setaffinity", 203},
			{"sched_getparam", 143}, {"sched_setparam", 142}, {"sched_getscheduler", 145}, {"sched_setscheduler", 144}, {"sched_getattr", 315},
			{"sched_get_priority_max", 146}, {"sched_get_priority_min", 147}, {"sched_rr_get_interval", 148},
			{"getpriority", 140}, {"setpriority", 141}, {"ioprio_get", 252}, {"getcpu", 309},
			{"pidfd_open", 434}, {"pidfd_send_signal", 424},
		}},
		{"signals among its own processes", []call{
			{"kill", 62}, {"tkill", 200}, {"tgkill", 234}, {"pause", 34}, {"restart_syscall", 219},
			{"rt_sigaction", 13}, {"rt_sigprocmask", 14}, {"rt_sigreturn", 15}, {"rt_sigpending", 127}, {"rt_sigtimedwait", 128},
			{"rt_sigqueueinfo", 129}, {"rt_tgsigqueueinfo", 297}, {"rt_sigsuspend", 130}, {"sigaltstack", 131}, {"signalfd", 282}, {"signalfd4", 289},
		}},
		{"waiting for descriptors", []call{
			{"poll", 7}, {"ppoll", 271}, {"select", 23}, {"pselect6", 270}, {"eventfd", 284}, {"eventfd2", 290},
			{"epoll_create", 213}, {"epoll_create1", 291}, {"epoll_ctl", 233}, {"epoll_wait", 232}, {"epoll_pwait", 281}, {"epoll_pwait2", 441},
		}},
		{"clocks and timers", []call{
			{"nanosleep", 35}, {"clock_nanosleep", 230}, {"clock_gettime", 228}, {"clock_getres", 229}, {"gettimeofday", 96}, {"time", 201}, {"times", 100},
			{"alarm", 37}, {"getitimer", 36}, {"setitimer", 38}, {"timer_create", 222}, {"timer_settime", 223}, {"timer_gettime", 224},
			{"timer_getoverrun", 225}, {"timer_delete", 226}, {"timerfd_create", 283}, {"timerfd_settime", 286}, {"timerfd_gettime", 287},
		}},
		{"connected pairs", []call{
			{"shutdown", 48}, {"sendto", 44}, {"recvfrom", 45}, {"sendmsg", 46}, {"recvmsg", 47}, {"sendmmsg", 307}, {"recvmmsg", 299},
			{"getsockname", 51}, {"getpeername", 52}, {"setsockopt", 54}, {"getsockopt", 55},
		}},
		{"identity; without capabilities these change nothing that matters", []call{
			{"getuid", 102}, {"getgid", 104}, {"geteuid", 107}, {"getegid", 108}, {"getresuid", 118}, {"getresgid", 120}, {"getgroups", 115},
			{"setuid", 105}, {"setgid", 106}, {"setreuid", 113}, {"setregid", 114}, {"setresuid", 117}, {"setresgid", 119},
			{"setgroups", 116}, {"setfsuid", 122}, {"setfsgid", 123}, {"capget", 125}, {"capset", 126},
		}},
		{"limits and system information", []call{
			{"getrlimit", 97}, {"setrlimit", 160}, {"prlimit64", 302}, {"getrusage", 98}, {"sysinfo", 99}, {"uname", 63}, {"getrandom", 318},
		}},
		{"programs that sandbox themselves; only narrows", []call{
			{"seccomp", 317}, {"landlock_create_ruleset", 444}, {"landlock_add_rule", 445}, {"landlock_restrict_self", 446},
		}},
	} {
		for _, c := range group.calls {
			rows = append(rows, Row{c.name, c.number, Allow, nil, group.user})
		}
	}
	return rows
}
