package seccomp

// Mode bits that no file may get from inside a jail: set-user-ID and
// set-group-ID would keep their meaning on the host's side of a write root.
const setIDBits = 0o6000

// Flags of open(2) that make the mode argument count, as on x86-64.
// openTmpfile is the bit of O_TMPFILE that is not O_DIRECTORY.
const (
	openCreate  = 0x40
	openTmpfile = 0x400000
)

// namespaceFlags are the CLONE_NEW flags that clone(2) knows: time (which clone
// itself reads as part of the signal), mount, cgroup, uts, ipc, user, pid, net.
var namespaceFlags = [...]uint64{
	0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
}

// CommandTable is the filter of granted commands: the calls of ordinary
// programs, with ENOSYS for all others, so that programs use what they would
// use on an older kernel instead of dying. Calls that are refused on purpose
// and that programs report by name answer EPERM.
func CommandTable() Table {
	rows := ordinaryRows()
	for _, part := range [][]Row{
		refusedRows(), modeRows(), openRows(), cloneRows(),
		ioctlRows(), fcntlRows(), prctlRows(), socketRows(), commandAdviceRows(), personalityRows(),
	} {
		rows = append(rows, part...)
	}
	return Table{Name: "command", Default: Errno(enosys), Rows: rows}
}

// refusedRows answer EPERM where ENOSYS would be a lie that programs act on.
func refusedRows() []Row {
	var rows []Row
	for _, group := range []struct {
		user  string
		calls []call
	}{
		{"mounting", []call{
			{"mount", 165}, {"umount2", 166}, {"pivot_root", 155}, {"chroot", 161},
			{"open_tree", 428}, {"move_mount", 429}, {"fsopen", 430}, {"fsconfig", 431}, {"fsmount", 432},
			{"fspick", 433}, {"mount_setattr", 442}, {"open_tree_attr", 467},
		}},
		{"namespaces", []call{{"unshare", 272}, {"setns", 308}}},
		{"other processes' memory and descriptors", []call{
			{"ptrace", 101}, {"process_vm_readv", 310}, {"process_vm_writev", 311}, {"kcmp", 312},
			{"pidfd_getfd", 438}, {"process_madvise", 440}, {"process_mrelease", 448},
			{"move_pages", 279}, {"migrate_pages", 256},
		}},
		{"kernel keyrings", []call{{"add_key", 248}, {"request_key", 249}, {"keyctl", 250}}},
		{"large kernel surfaces", []call{
			{"bpf", 321}, {"userfaultfd", 323}, {"perf_event_open", 298}, {"fanotify_init", 300},
			{"io_uring_setup", 425}, {"io_uring_enter", 426}, {"io_uring_register", 427},
		}},
		{"file handles, which pass by path checks", []call{{"name_to_handle_at", 303}, {"open_by_handle_at", 304}}},
		{"the machine", []call{
			{"init_module", 175}, {"finit_module", 313}, {"delete_module", 176},
			{"kexec_load", 246}, {"kexec_file_load", 320}, {"reboot", 169},
			{"swapon", 167}, {"swapoff", 168}, {"acct", 163}, {"quotactl", 179}, {"quotactl_fd", 443},
			{"syslog", 103}, {"vhangup", 153}, {"iopl", 172}, {"ioperm", 173}, {"modify_ldt", 154},
			{"sethostname", 170}, {"setdomainname", 171},
		}},
		{"clocks", []call{{"settimeofday", 164}, {"clock_settime", 227}, {"adjtimex", 159}, {"clock_adjtime", 305}}},
	} {
		for _, c := range group.calls {
			rows = append(rows, Row{c.name, c.number, Errno(eperm), nil, group.user + ": refused"})
		}
	}
	const user = "carries its modes and flags in memory, where a filter cannot look; callers fall back"
	return append(rows,
		Row{"clone3", 435, Errno(enosys), nil, user},
		Row{"openat2", 437, Errno(enosys), nil, user},
		Row{"fchmodat2", 452, Errno(enosys), nil, "mode bits of files; the C library falls back to fchmodat"},
		Row{"memfd_create", 319, Errno(enosys), nil, "files outside every granted path, executable ones included"},
	)
}

// modeRows refuse set-ID bits on every call that takes a mode. The kernel reads
// 16 bits of it, so only those two bits are compared.
func modeRows() []Row {
	var rows []Row
	for _, c := range []struct {
		call
		arg uint8
	}{
		{call{"chmod", 90}, 1}, {call{"fchmod", 91}, 1}, {call{"fchmodat", 268}, 2},
		{call{"mknod", 133}, 1}, {call{"mknodat", 259}, 2},
		{call{"mkdir", 83}, 1}, {call{"mkdirat", 258}, 2}, {call{"creat", 85}, 1},
	} {
		rows = append(rows,
			Row{c.name, c.number, Allow, when(none(c.arg, setIDBits)), "files and their modes"},
			Row{c.name, c.number, Errno(eperm), when(has(c.arg, 0o4000)), "no set-user-ID file"},
			Row{c.name, c.number, Errno(eperm), when(has(c.arg, 0o2000)), "no set-group-ID file"},
		)
	}
	return rows
}

// openRows do the same for open and openat, whose mode counts only when they
// create a file.
func openRows() []Row {
	var rows []Row
	for _, c := range []struct {
		call
		flags uint8
	}{
		{call{"open", 2}, 1}, {call{"openat", 257}, 2},
	} {
		mode := c.flags + 1
		rows = append(rows,
			Row{c.name, c.number, Allow, when(none(c.flags, openCreate|openTmpfile)), "opening files"},
			Row{c.name, c.number, Allow, when(none(mode, setIDBits)), "creating files"},
		)
		for _, flag := range []uint64{openCreate, openTmpfile} {
			rows = append(rows,
				Row{c.name, c.number, Errno(eperm), when(has(c.flags, flag), has(mode, 0o4000)), "no set-user-ID file"},
				Row{c.name, c.number, Errno(eperm), when(has(c.flags, flag), has(mode, 0o2000)), "no set-group-ID file"},
			)
		}
	}
	return rows
}

// cloneRows allow processes and threads, never a namespace.
func cloneRows() []Row {
	var every uint64
	for _, flag := range namespaceFlags {
		every |= flag
	}
	rows := []Row{{"clone", 56, Allow, when(none(0, every)), "fork and threads"}}
	for _, flag := range namespaceFlags {
		rows = append(rows, Row{"clone", 56, Errno(eperm), when(has(0, flag)), "no new namespace"})
	}
	return rows
}

// ioctlRows allow the requests that programs make of terminals, pipes and
// plain files. TIOCSTI and TIOCLINUX type into the terminal of whoever started
// the supervisor. The request is an unsigned int.
func ioctlRows() []Row {
	var rows []Row
	for _, r := range []struct {
		request uint32
		user    string
	}{
		{0x5401, "TCGETS: isatty"},
		{0x5402, "TCSETS: terminal modes"},
		{0x5403, "TCSETSW: terminal modes"},
		{0x5404, "TCSETSF: terminal modes"},
		{0x802c542a, "TCGETS2: isatty of newer C libraries"},
		{0x540f, "TIOCGPGRP: shells"},
		{0x5410, "TIOCSPGRP: shells"},
		{0x5413, "TIOCGWINSZ: column widths"},
		{0x5429, "TIOCGSID: shells"},
		{0x541b, "FIONREAD: bytes to read"},
		{0x5421, "FIONBIO: non-blocking pipes"},
		{0x5450, "FIONCLEX: descriptor flags"},
		{0x5451, "FIOCLEX: descriptor flags, Python"},
		{0x5452, "FIOASYNC: descriptor flags"},
		{0x00000002, "FIGETBSZ: block size"},
		{0x40049409, "FICLONE: copies that share blocks"},
		{0x4020940d, "FICLONERANGE: copies that share blocks"},
		{0xc020660b, "FS_IOC_FIEMAP: copies of sparse files"},
		{0x80086601, "FS_IOC_GETFLAGS: attributes when copying"},
	} {
		rows = append(rows, Row{"ioctl", 16, Allow, when(low(1, r.request)), r.user})
	}
	return append(rows,
		Row{"ioctl", 16, Errno(eperm), when(low(1, 0x5412)), "TIOCSTI: typing into a terminal"},
		Row{"ioctl", 16, Errno(eperm), when(low(1, 0x541c)), "TIOCLINUX: typing into a console"},
	)
}

// fcntlRows allow what concerns descriptors and locks. A lease holds up whoever opens
// the file on the host, and the user of a jail is the owner of what is mapped to it. The
// command is an unsigned int.
func fcntlRows() []Row {
	var rows []Row
	for _, r := range []struct {
		first, last uint32
		user        string
	}{
		{0, 4, "F_DUPFD to F_SETFL: descriptors and their flags"},
		{5, 7, "F_GETLK to F_SETLKW: locks"},
		{8, 11, "F_SETOWN to F_GETSIG: who is told of input"},
		{15, 16, "F_SETOWN_EX and F_GETOWN_EX: the same"},
		{36, 38, "F_OFD_GETLK to F_OFD_SETLKW: locks"},
		{1027, 1027, "F_DUPFD_QUERY: programs that compare descriptors"},
		{1030, 1030, "F_DUPFD_CLOEXEC: descriptors"},
		{1031, 1032, "F_SETPIPE_SZ and F_GETPIPE_SZ: pipes"},
		{1033, 1034, "F_ADD_SEALS and F_GET_SEALS: files in memory"},
		{1035, 1036, "F_GET_RW_HINT and F_SET_RW_HINT: databases"},
	} {
		for command := r.first; command <= r.last; command++ {
			rows = append(rows, Row{"fcntl", 72, Allow, when(low(1, command)), r.user})
		}
	}
	return append(rows,
		Row{"fcntl", 72, Errno(eperm), when(low(1, 1024)), "F_SETLEASE: holds up programs of the host"},
		Row{"fcntl", 72, Errno(eperm), when(low(1, 1026)), "F_NOTIFY: signals about directories"},
	)
}

// prctlRows allow what changes or asks about the caller alone. The option is
// an int.
func prctlRows() []Row {
	var rows []Row
	for _, o := range []struct {
		option uint32
		user   string
	}{
		{1, "PR_SET_PDEATHSIG: children that end with their parent"},
		{2, "PR_GET_PDEATHSIG: its counterpart"},
		{3, "PR_GET_DUMPABLE: hardened programs"},
		{4, "PR_SET_DUMPABLE: hardened programs"},
		{7, "PR_GET_KEEPCAPS: libcap"},
		{8, "PR_SET_KEEPCAPS: programs that drop privileges"},
		{15, "PR_SET_NAME: thread names"},
		{16, "PR_GET_NAME: thread names"},
		{21, "PR_GET_SECCOMP: programs that sandbox themselves"},
		{22, "PR_SET_SECCOMP: programs that sandbox themselves; only narrows"},
		{23, "PR_CAPBSET_READ: libcap"},
		{27, "PR_GET_SECUREBITS: libcap"},
		{29, "PR_SET_TIMERSLACK: event loops"},
		{30, "PR_GET_TIMERSLACK: event loops"},
		{36, "PR_SET_CHILD_SUBREAPER: process supervisors"},
		{37, "PR_GET_CHILD_SUBREAPER: process supervisors"},
		{38, "PR_SET_NO_NEW_PRIVS: programs that sandbox themselves"},
		{39, "PR_GET_NO_NEW_PRIVS: programs that sandbox themselves"},
		{40, "PR_GET_TID_ADDRESS: runtimes"},
		{41, "PR_SET_THP_DISABLE: allocators"},
		{42, "PR_GET_THP_DISABLE: allocators"},
		{47, "PR_CAP_AMBIENT: libcap"},
		{0x53564d41, "PR_SET_VMA: names of memory"},
	} {
		rows = append(rows, Row{"prctl", 157, Allow, when(low(0, o.option)), o.user})
	}
	return rows
}

// Types of sockets, in the bits of the type argument that are not flags.
const (
	sockTypes     = 0xf
	sockStream    = 1
	sockSeqpacket = 5
)

// socketRows allow connected pairs and no other socket. A command has no network,
// but a local socket could still reach every service of the host whose name lies in
// a granted root, read-only or not: connecting needs write permission on the name,
// which a root that is mapped to the command gives it. A pair of datagram sockets
// could too, since each message may name another receiver. No row has connect or listen:
// a pair needs neither, and kernels without "unix: Fix race in SOCK_SEQPACKET's
// unix_dgram_sendmsg()" (6.1 and older) can lose a pair's connection in a race.
func socketRows() []Row {
	var rows []Row
	for _, kind := range []uint64{sockStream, sockSeqpacket} {
		rows = append(rows, Row{"socketpair", 53, Allow, when(low(0, 1), Condition{Arg: 1, Mask: sockTypes, Value: kind}),
			"AF_UNIX, connected: between the command's own processes"})
	}
	for _, f := range []struct {
		family uint32
		name   string
	}{
		{2, "AF_INET"}, {10, "AF_INET6"}, {15, "AF_KEY"}, {16, "AF_NETLINK"}, {17, "AF_PACKET"}, {21, "AF_RDS"},
		{29, "AF_CAN"}, {30, "AF_TIPC"}, {31, "AF_BLUETOOTH"}, {38, "AF_ALG"}, {39, "AF_NFC"}, {40, "AF_VSOCK"},
		{43, "AF_SMC"}, {44, "AF_XDP"},
	} {
		rows = append(rows, Row{"socketpair", 53, Errno(eafnosupport), when(low(0, f.family)), f.name + ": no network"})
	}
	return append(rows, Row{"socket", 41, Errno(eafnosupport), nil, "no network, and no service of the host"})
}

// commandAdviceRows allow every advice about the caller's own pages but two kinds:
// merging, by which one process can time what pages another has, and poisoning.
// The advice is an int.
func commandAdviceRows() []Row {
	var rows []Row
	for _, r := range []struct {
		first, last uint32
		user        string
	}{
		{0, 4, "MADV_NORMAL to MADV_DONTNEED: allocators, readers of mapped files"},
		{8, 11, "MADV_FREE, REMOVE, DONTFORK, DOFORK: allocators"},
		{13, 25, "MADV_UNMERGEABLE to MADV_COLLAPSE: allocators, runtimes"},
		{102, 103, "MADV_GUARD_INSTALL and REMOVE: thread stacks of newer C libraries"},
	} {
		for advice := r.first; advice <= r.last; advice++ {
			rows = append(rows, Row{"madvise", 28, Allow, when(low(2, advice)), r.user})
		}
	}
	return append(rows,
		Row{"madvise", 28, Errno(eperm), when(low(2, 12)), "MADV_MERGEABLE: pages shared with strangers can be timed"},
		Row{"madvise", 28, Errno(eperm), when(low(2, 100)), "MADV_HWPOISON: faults in memory"},
		Row{"madvise", 28, Errno(eperm), when(low(2, 101)), "MADV_SOFT_OFFLINE: faults in memory"},
	)
}

// personalityRows allow asking, and setting what is set already.
func personalityRows() []Row {
	const user = "programs that ask for their execution domain"
	return []Row{
		{"personality", 135, Allow, when(low(0, 0xffffffff)), user},
		{"personality", 135, Allow, when(low(0, 0)), user},
		{"personality", 135, Errno(eperm), when(low(0, 0x0040000)), "ADDR_NO_RANDOMIZE: address layout stays random"},
	}
}
