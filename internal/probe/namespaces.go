//go:build probe && linux

package probe

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func namespaceProbes() []Probe {
	const nested = "an unprivileged namespace inside the realm's own gains nothing outside"
	var probes []Probe
	for _, n := range []struct {
		name string
		flag uintptr
	}{
		{"user", unix.CLONE_NEWUSER}, {"mount", unix.CLONE_NEWNS}, {"pid", unix.CLONE_NEWPID}, {"net", unix.CLONE_NEWNET},
		{"ipc", unix.CLONE_NEWIPC}, {"uts", unix.CLONE_NEWUTS}, {"cgroup", unix.CLONE_NEWCGROUP}, {"time", unix.CLONE_NEWTIME},
	} {
		// A process with threads cannot unshare a user namespace, so that unshare
		// fails for that reason in a control run; clone has no such condition.
		unshare := Probe{Name: "namespaces/unshare-" + n.name, Claim: "no " + n.name + " namespace can be made", Works: n.flag != unix.CLONE_NEWUSER,
			Run: succeeds(unix.SYS_UNSHARE, with(n.flag))}
		probes = append(probes, unshare)
		if n.flag == unix.CLONE_NEWTIME {
			continue // not a flag of clone
		}
		clone := Probe{Name: "namespaces/clone-" + n.name, Claim: "no process starts in a new " + n.name + " namespace", Works: true,
			Run: func(Target) (bool, string) { return forks(n.flag) }}
		if n.flag == unix.CLONE_NEWUSER {
			clone.FilterOnly = nested
		}
		probes = append(probes, clone)
	}
	return append(probes,
		Probe{Name: "namespaces/setns-stdin", Claim: "no namespace can be entered by descriptor", Run: succeeds(unix.SYS_SETNS, with(0, 0))},
		Probe{Name: "namespaces/setns-pidfd", Claim: "no namespace can be entered by process", Works: true, Run: func(Target) (bool, string) {
			fd, errno := call(unix.SYS_PIDFD_OPEN, 1, 0)
			if errno == 0 {
				fd, errno = call(unix.SYS_SETNS, fd, unix.CLONE_NEWNET|unix.CLONE_NEWUTS)
			}
			return errno == 0, describe(fd, errno)
		}},
		Probe{Name: "namespaces/clone3-user", Claim: "clone3 makes no namespace", FilterOnly: nested, Works: true, Run: func(Target) (bool, string) {
			args := [11]uint64{unix.CLONE_NEWUSER}
			args[4] = uint64(unix.SIGCHLD)
			return ends(call(unix.SYS_CLONE3, address(&args), 88))
		}},
		Probe{Name: "namespaces/sethostname", Claim: "the host name stays", Works: true, Run: succeeds(unix.SYS_SETHOSTNAME, func() []uintptr { return []uintptr{text("probe"), 5} })},
		Probe{Name: "namespaces/setdomainname", Claim: "the domain name stays", Works: true, Run: succeeds(unix.SYS_SETDOMAINNAME, func() []uintptr { return []uintptr{text("probe"), 5} })},
		Probe{Name: "namespaces/listns", Claim: "namespaces cannot be listed", FilterOnly: "lists only what its caller may enter", Run: succeeds(470, func() []uintptr {
			request := [5]uint64{40}
			return []uintptr{address(&request), buffer(512), 64, 0}
		})},
	)
}

// forks starts a process that ends at once.
func forks(flags uintptr) (bool, string) {
	return ends(call(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0))
}

// ends is what follows a fork: the child must not go on.
func ends(pid uintptr, errno syscall.Errno) (bool, string) {
	if errno == 0 && pid == 0 {
		_, _ = call(unix.SYS_EXIT_GROUP, 0)
	}
	return errno == 0, describe(pid, errno)
}
