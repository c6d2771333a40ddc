//go:build probe && linux

package probe

import "golang.org/x/sys/unix"

func privilegeProbes() []Probe {
	const keys = "keyrings belong to the realm's own user namespace and session"
	const self = "changes nothing but the realm's own attributes"
	attack := func(name, claim string, works bool, number uintptr, args func() []uintptr) Probe {
		return Probe{Name: "privileges/" + name, Claim: claim, Works: works, Run: succeeds(number, args)}
	}
	filtered := func(name, claim, why string, works bool, number uintptr, args func() []uintptr) Probe {
		p := attack(name, claim, works, number, args)
		p.FilterOnly = why
		return p
	}
	prctl := func(name, claim string, args ...uintptr) Probe {
		return Probe{Name: "privileges/" + name, Claim: claim, Run: succeeds(unix.SYS_PRCTL, with(args...))}
	}
	all := func() []uintptr {
		header := [2]uint32{unix.LINUX_CAPABILITY_VERSION_3, 0}
		data := [6]uint32{^uint32(0), ^uint32(0), 0, ^uint32(0), ^uint32(0), 0}
		return []uintptr{address(&header), address(&data)}
	}
	return []Probe{
		attack("setuid-0", "no id becomes 0", true, unix.SYS_SETUID, with(0)),
		attack("setgid-0", "no id becomes 0", true, unix.SYS_SETGID, with(0)),
		attack("setresuid-0", "no id becomes 0", true, unix.SYS_SETRESUID, with(0, 0, 0)),
		attack("setreuid-0", "no id becomes 0", true, unix.SYS_SETREUID, with(0, 0)),
		attack("setuid-other", "no id becomes another's", false, unix.SYS_SETUID, with(1001)),
		attack("setgroups", "no group is joined", false, unix.SYS_SETGROUPS, func() []uintptr {
			groups := [1]uint32{0}
			return []uintptr{1, address(&groups)}
		}),
		{Name: "privileges/setfsuid-0", Claim: "no id becomes 0", Works: true, Run: func(Target) (bool, string) {
			call(unix.SYS_SETFSUID, 0)
			now, errno := call(unix.SYS_SETFSUID, bad)
			return errno == 0 && now == 0, describe(now, errno)
		}},
		attack("capset-all", "no capability is regained", true, unix.SYS_CAPSET, all),
		{Name: "privileges/capabilities", Claim: "every capability set is empty", Works: true, Run: anyCapability},
		{Name: "privileges/bounding-set", Claim: "the bounding set is empty", Works: true, Run: func(Target) (bool, string) {
			for capability := range uintptr(64) {
				if held, errno := call(unix.SYS_PRCTL, unix.PR_CAPBSET_READ, capability); errno == 0 && held == 1 {
					return true, describe(capability, 0)
				}
			}
			return false, "empty"
		}},
		{Name: "privileges/no-new-privs", Claim: "no_new_privs is set", Works: true, Run: func(Target) (bool, string) {
			set, errno := call(unix.SYS_PRCTL, unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
			return errno == 0 && set == 0, describe(set, errno)
		}},
		{Name: "privileges/dumpable", Claim: "nobody may attach to a realm or dump it", Run: func(Target) (bool, string) {
			set, errno := call(unix.SYS_PRCTL, unix.PR_GET_DUMPABLE)
			return errno == 0 && set != 0, describe(set, errno)
		}},
		prctl("clear-no-new-privs", "no_new_privs stays", unix.PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0),
		prctl("ambient", "no ambient capability is raised", unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_RAISE, 21, 0, 0),
		prctl("securebits", "secure bits stay", unix.PR_SET_SECUREBITS, 0),
		prctl("memory-map", "the process cannot lie about its memory", unix.PR_SET_MM, 1, 0, 0, 0),
		prctl("seccomp-off", "the filter cannot be taken off", unix.PR_SET_SECCOMP, 0, 0, 0, 0),
		{Name: "privileges/seccomp-filter", Claim: "no filter of the guest's own", FilterOnly: "a further filter only narrows", Works: true, Run: func(Target) (bool, string) {
			if _, errno := call(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); errno != 0 {
				return false, describe(0, errno)
			}
			allow := unix.SockFilter{Code: 6, K: 0x7fff0000}
			program := unix.SockFprog{Len: 1, Filter: &allow}
			kept.Pin(&allow)
			result, errno := call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, address(&program))
			return errno == 0, describe(result, errno)
		}},
		{Name: "privileges/seccomp-listener", Claim: "no listener that answers for other threads' calls", FilterOnly: "a further filter only narrows", Works: true, Run: func(Target) (bool, string) {
			if _, errno := call(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); errno != 0 {
				return false, describe(0, errno)
			}
			allow := unix.SockFilter{Code: 6, K: 0x7fff0000}
			program := unix.SockFprog{Len: 1, Filter: &allow}
			kept.Pin(&allow)
			result, errno := call(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, address(&program))
			return errno == 0, describe(result, errno)
		}},
		{Name: "privileges/make-dumpable", Claim: "the realm cannot make itself dumpable", FilterOnly: self, Works: true, Run: succeeds(unix.SYS_PRCTL, with(unix.PR_SET_DUMPABLE, 1))},
		{Name: "privileges/ptracer", Claim: "nobody is invited to trace", FilterOnly: self, Run: succeeds(unix.SYS_PRCTL, with(unix.PR_SET_PTRACER, bad))},
		{Name: "privileges/personality", Claim: "address layout stays random", FilterOnly: self, Works: true, Run: succeeds(unix.SYS_PERSONALITY, with(0x0040000))},
		{Name: "privileges/read-implies-exec", Claim: "readable memory does not become executable", FilterOnly: self, Works: true, Run: succeeds(unix.SYS_PERSONALITY, with(0x0400000))},
		attack("core-limit", "no core dump is written", true, unix.SYS_SETRLIMIT, func() []uintptr {
			limit := [2]uint64{2, 2}
			return []uintptr{unix.RLIMIT_CORE, address(&limit)}
		}),
		{Name: "privileges/core-limit-set", Claim: "no core dump is written", Works: true, Run: func(Target) (bool, string) {
			var limit [2]uint64
			result, errno := call(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_CORE, 0, address(&limit))
			return errno == 0 && limit[1] > 1, describe(result, errno)
		}},
		attack("raise-files", "limits cannot be raised", false, unix.SYS_PRLIMIT64, func() []uintptr {
			limit := [2]uint64{1 << 21, 1 << 21}
			return []uintptr{0, unix.RLIMIT_NOFILE, address(&limit), 0}
		}),
		attack("raise-memlock", "limits cannot be raised", false, unix.SYS_PRLIMIT64, func() []uintptr {
			limit := [2]uint64{1 << 40, 1 << 40}
			return []uintptr{0, unix.RLIMIT_MEMLOCK, address(&limit), 0}
		}),
		filtered("keyctl-session", "no keyring is entered", keys, true, unix.SYS_KEYCTL, func() []uintptr { return []uintptr{1, 0} }),
		filtered("keyctl-user-keyring", "the user's keyring cannot be read", keys, false, unix.SYS_KEYCTL, func() []uintptr {
			return []uintptr{11, ^uintptr(3), buffer(256), 256} // KEYCTL_READ of KEY_SPEC_USER_KEYRING
		}),
		filtered("add-key", "no key can be stored", keys, true, unix.SYS_ADD_KEY, func() []uintptr {
			return []uintptr{text("user"), text("probe"), text("x"), 1, ^uintptr(1)} // process keyring
		}),
		attack("request-key", "no key can be requested", false, unix.SYS_REQUEST_KEY, func() []uintptr { return []uintptr{text("user"), text("probe"), 0, 0} }),
		attack("bpf-map", "no map can be made", false, unix.SYS_BPF, func() []uintptr {
			attr := [32]uint32{2, 4, 4, 1} // array of one
			return []uintptr{0, address(&attr), 128}
		}),
		attack("bpf-program", "no program can be loaded", false, unix.SYS_BPF, func() []uintptr {
			program := [2]uint64{0xb7, 0x95} // r0 = 0; exit
			license := text("GPL")
			attr := [16]uint64{1 | 2<<32, uint64(address(&program)), uint64(license)}
			return []uintptr{5, address(&attr), 128}
		}),
		{Name: "privileges/landlock", Claim: "no rule set of the guest's own", FilterOnly: "a further rule set only narrows", Works: true,
			Run: passes(unix.SYS_LANDLOCK_RESTRICT_SELF, with(bad, 0), unix.EBADF)},
	}
}

// anyCapability reads all three sets.
func anyCapability(Target) (bool, string) {
	header := [2]uint32{unix.LINUX_CAPABILITY_VERSION_3, 0}
	var data [6]uint32
	result, errno := call(unix.SYS_CAPGET, address(&header), address(&data))
	return errno == 0 && data != [6]uint32{}, describe(result, errno)
}
