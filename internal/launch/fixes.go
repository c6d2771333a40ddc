//go:build linux

package launch

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// fixFor says what an operator can do about a refused step.
func fixFor(name string, errno syscall.Errno) string {
	switch name {
	case layer.UserNS, layer.PidNS, layer.MountNS, layer.NetNS, layer.IPCNS, layer.UTSNS, layer.CgroupNS:
		return namespaceFix(errno)
	case layer.RootFS:
		if errno == syscall.EPERM {
			return "inside a container: " + containerFix + "; for granted commands allow open_tree, move_mount and mount_setattr too, and run it with --security-opt systempaths=unconfined; or run on the host"
		}
	case layer.Landlock:
		return "add landlock to the lsm= boot parameter, or do not require it"
	case layer.CgroupCPU:
		return "start the supervisor in an ordinary scheduling class: tasks of the real-time ones (SCHED_FIFO, SCHED_RR) cannot join a cpu group without a real-time budget"
	case layer.Seccomp:
		return "use a kernel built with CONFIG_SECCOMP_FILTER"
	}
	switch errno {
	case syscall.EPERM, syscall.EACCES, syscall.ENOSYS:
		return "use Linux 5.12 or later; inside a container: allow the system calls of this step in its seccomp profile, or run on the host"
	}
	return ""
}

// containerFix names what the profiles of container engines refuse, see docs/CI.md.
const containerFix = "allow clone3, unshare, mount, umount2, pivot_root, sethostname, setdomainname, keyctl and pidfd_getfd in its seccomp profile, and mount in its AppArmor profile"

func namespaceFix(errno syscall.Errno) string {
	switch {
	case foreignProc():
		return "/proc is none of this pid namespace: mount one, as unshare --mount-proc does"
	case errno == syscall.EPERM && unmapped():
		return "the surrounding user namespace maps no ids, so that nobody in it can make another: give it a map, as unshare --map-root-user does"
	case sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1" && !capable(unix.CAP_SYS_ADMIN):
		return "AppArmor denies unprivileged user namespaces: install a profile that allows userns for the realm binary, or sysctl kernel.apparmor_restrict_unprivileged_userns=0"
	case sysctl("kernel/unprivileged_userns_clone") == "0" && !capable(unix.CAP_SYS_ADMIN):
		return "sysctl kernel.unprivileged_userns_clone=1"
	case sysctl("user/max_user_namespaces") == "0":
		return "sysctl user.max_user_namespaces=65536"
	case errno == syscall.ENOSPC:
		return "raise the user.max_*_namespaces sysctls, or run fewer realms"
	case errno == syscall.ENOSYS:
		return "use Linux 5.12 or later; inside a container: " + containerFix
	case errno == syscall.EPERM && os.Geteuid() == 0 && !capable(unix.CAP_SETFCAP):
		// The kernel takes whoever maps uid 0 for one that could write capabilities into files.
		return "user 0 without CAP_SETFCAP can give realms no user: run the supervisor as an ordinary user, or with CAP_SETUID and CAP_SETGID, or with CAP_SETFCAP"
	case errno == syscall.EPERM, errno == syscall.EACCES:
		return "the surrounding container forbids namespaces: " + containerFix + ", or run on the host"
	}
	return ""
}

// foreignProc tells whether /proc was mounted for another pid namespace, where the number of a child is not its own.
func foreignProc() bool {
	self, err := os.Readlink("/proc/self")
	return err != nil || self != strconv.Itoa(os.Getpid())
}

// unmapped tells whether this user namespace has no ids yet.
func unmapped() bool {
	ids, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && len(ids) == 0
}

// capable tells whether this process has an effective capability.
func capable(number int) bool {
	var sets [2]unix.CapUserData
	err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &sets[0])
	return err == nil && sets[number/32].Effective&(1<<(number%32)) != 0
}

// sysctl reads one value; empty if this kernel has none of that name.
func sysctl(name string) string {
	value, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(value))
}
