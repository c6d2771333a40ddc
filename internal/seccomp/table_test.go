package seccomp

import (
	"slices"
	"testing"
)

// overlap reports whether one call could match both rows.
func overlap(a, b Row) bool {
	for arg := range uint8(6) {
		maskA, valueA := combined(a, arg)
		maskB, valueB := combined(b, arg)
		if (valueA^valueB)&maskA&maskB != 0 {
			return false
		}
	}
	return true
}

// combined is what all conditions of a row together say about an argument.
func combined(row Row, arg uint8) (mask, value uint64) {
	for _, c := range row.When {
		if c.Arg == arg {
			mask, value = mask|c.Mask, value|c.Value
		}
	}
	return mask, value
}

func TestRowsWithDifferentActionsNeverOverlap(t *testing.T) {
	for _, table := range Tables() {
		for i, a := range table.Rows {
			for _, b := range table.Rows[i+1:] {
				if a.Number == b.Number && a.Action != b.Action && overlap(a, b) {
					t.Errorf("%s: %s: %v %x and %v %x overlap", table.Name, a.Call, a.Action, a.When, b.Action, b.When)
				}
			}
		}
	}
}

func TestRowsAreWellFormed(t *testing.T) {
	for _, table := range Tables() {
		unconditional := map[uint32]bool{}
		names := map[uint32]string{}
		for _, row := range table.Rows {
			if row.Call == "" || row.User == "" {
				t.Errorf("%s: %+v lacks its name or its user", table.Name, row)
			}
			if row.Action == table.Default {
				if row.Action == KillProcess || len(row.When) > 0 {
					t.Errorf("%s: %s: says what the default says", table.Name, row.Call)
				}
			}
			if names[row.Number] == "" {
				names[row.Number] = row.Call
			} else if names[row.Number] != row.Call || unconditional[row.Number] || len(row.When) == 0 {
				t.Errorf("%s: %s: second row for call %d", table.Name, row.Call, row.Number)
			}
			unconditional[row.Number] = unconditional[row.Number] || len(row.When) == 0
			for _, c := range row.When {
				if c.Arg > 5 || c.Value&^c.Mask != 0 || c.Mask == 0 {
					t.Errorf("%s: %s: condition %+v can never be met as written", table.Name, row.Call, c)
				}
			}
		}
	}
}

// A refusal must not compare more bits than the kernel reads of that argument.
// Covers: T-SYS-03
func TestRefusalsIgnoreBitsThatTheKernelIgnores(t *testing.T) {
	for _, table := range Tables() {
		for _, row := range table.Rows {
			for _, c := range row.When {
				if row.Action != Allow && c.Mask&^all32 != 0 {
					t.Errorf("%s: %s: refusal compares the upper half: %+v", table.Name, row.Call, c)
				}
			}
		}
	}
}

// What no filter may let through, whatever else changes in the tables.
func TestDangerousCallsAreNeverAllowed(t *testing.T) {
	never := []string{
		"mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr",
		"unshare", "setns", "clone3", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd", "kcmp",
		"add_key", "request_key", "keyctl", "bpf", "userfaultfd", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register",
		"name_to_handle_at", "open_by_handle_at", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot",
		"swapon", "swapoff", "acct", "quotactl", "syslog", "iopl", "ioperm", "modify_ldt", "settimeofday", "clock_settime", "adjtimex",
		"clock_adjtime", "openat2", "fchmodat2", "memfd_create", "fanotify_init", "remap_file_pages", "uselib", "vmsplice",
		"inotify_init", "inotify_init1", "connect", "accept", "accept4", "bind", "listen",
	}
	for _, table := range Tables() {
		for _, row := range table.Rows {
			if row.Action == Allow && slices.Contains(never, row.Call) {
				t.Errorf("%s allows %s", table.Name, row.Call)
			}
		}
	}
	for _, row := range RealmTable(false).Rows {
		switch row.Call {
		case "execve", "execveat", "fork", "vfork", "socket", "socketpair", "sendmsg", "recvmsg", "kill", "tkill", "open", "openat", "dup", "dup2", "dup3", "memfd_secret", "shmget", "shmat":
			if row.Action == Allow {
				t.Errorf("realm allows %s", row.Call)
			}
		}
	}
}
