//go:build probe && linux

package probe

import "golang.org/x/sys/unix"

func mountProbes() []Probe {
	mount := func(source, target, kind string, flags uintptr) func() []uintptr {
		return func() []uintptr { return []uintptr{text(source), text(target), text(kind), flags, 0} }
	}
	var probes []Probe
	for _, kind := range []string{"tmpfs", "proc", "sysfs", "cgroup", "cgroup2", "devpts", "mqueue", "overlay", "devtmpfs", "debugfs", "tracefs", "bpf", "securityfs", "ramfs", "binfmt_misc", "fuse", "ext4", "nfs"} {
		works := kind == "tmpfs" || kind == "proc" || kind == "mqueue" || kind == "devpts" || kind == "ramfs"
		probes = append(probes, Probe{Name: "mount/" + kind, Claim: kind + " cannot be mounted", Works: works,
			Run: succeeds(unix.SYS_MOUNT, mount("probe", "/", kind, 0))})
	}
	return append(probes,
		Probe{Name: "mount/remount-writable", Claim: "the root stays read-only", Run: succeeds(unix.SYS_MOUNT, mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND))},
		Probe{Name: "mount/remount-superblock", Claim: "the root stays small", Run: succeeds(unix.SYS_MOUNT, mount("", "/", "", unix.MS_REMOUNT))},
		Probe{Name: "mount/bind", Claim: "nothing can be bound", Works: true, Run: succeeds(unix.SYS_MOUNT, mount("/", "/", "", unix.MS_BIND|unix.MS_REC))},
		Probe{Name: "mount/propagation", Claim: "mounts cannot be shared again", Works: true, Run: succeeds(unix.SYS_MOUNT, mount("", "/", "", unix.MS_SHARED))},
		Probe{Name: "mount/umount", Claim: "the root cannot be taken away to show what lies below", Run: succeeds(unix.SYS_UMOUNT2, func() []uintptr {
			return []uintptr{text("/"), unix.MNT_DETACH}
		})},
		Probe{Name: "mount/pivot-root", Claim: "the root cannot be swapped", Run: succeeds(unix.SYS_PIVOT_ROOT, func() []uintptr { return []uintptr{text("."), text(".")} })},
		Probe{Name: "mount/open-tree", Claim: "no mount can be copied", Works: true, Run: succeeds(unix.SYS_OPEN_TREE, func() []uintptr {
			return []uintptr{cwd, text("/"), unix.OPEN_TREE_CLONE | unix.AT_RECURSIVE}
		})},
		Probe{Name: "mount/open-tree-plain", Claim: "no mount can be opened", FilterOnly: "opens the realm's own empty root", Works: true,
			Run: succeeds(unix.SYS_OPEN_TREE, func() []uintptr { return []uintptr{cwd, text("/"), 0} })},
		Probe{Name: "mount/move-mount", Claim: "no mount can be moved", Run: succeeds(unix.SYS_MOVE_MOUNT, func() []uintptr {
			return []uintptr{cwd, text("/"), cwd, text("/"), 0}
		})},
		Probe{Name: "mount/fsopen", Claim: "no file system can be configured", Works: true, Run: succeeds(unix.SYS_FSOPEN, func() []uintptr { return []uintptr{text("tmpfs"), 0} })},
		Probe{Name: "mount/fspick", Claim: "no file system can be reconfigured", Run: succeeds(unix.SYS_FSPICK, func() []uintptr { return []uintptr{cwd, text("/"), 0} })},
		Probe{Name: "mount/fsconfig", Claim: "no file system can be configured", Works: true, Run: func(Target) (bool, string) {
			fd, errno := call(unix.SYS_FSOPEN, text("tmpfs"), 0)
			if errno == 0 {
				fd, errno = call(unix.SYS_FSCONFIG, fd, unix.FSCONFIG_SET_STRING, text("size"), text("1m"), 0)
			}
			return errno == 0, describe(fd, errno)
		}},
		Probe{Name: "mount/fsmount", Claim: "no file system can be mounted", Works: true, Run: passes(unix.SYS_FSMOUNT, with(bad, 0, 0), unix.EBADF)},
		Probe{Name: "mount/setattr", Claim: "the root stays read-only", Run: succeeds(unix.SYS_MOUNT_SETATTR, func() []uintptr {
			return []uintptr{cwd, text("/"), 0, address(&unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOEXEC | unix.MOUNT_ATTR_NOSUID}), 32}
		})},
		Probe{Name: "mount/statmount", Claim: "the mounts of the host cannot be listed", FilterOnly: "shows the realm's own mounts", Run: succeeds(unix.SYS_LISTMOUNT, func() []uintptr {
			request := [4]uint64{24, ^uint64(0), 0}
			return []uintptr{address(&request), buffer(512), 64, 0}
		})},
		Probe{Name: "mount/swapon", Claim: "swap stays as it is", Run: passes(unix.SYS_SWAPON, func() []uintptr { return []uintptr{text("/probe"), 0} }, unix.ENOENT)},
		Probe{Name: "mount/swapoff", Claim: "swap stays as it is", Run: passes(unix.SYS_SWAPOFF, func() []uintptr { return []uintptr{text("/probe")} }, unix.ENOENT)},
		Probe{Name: "mount/quotactl", Claim: "quotas stay as they are", Run: succeeds(unix.SYS_QUOTACTL, func() []uintptr {
			return []uintptr{0x80000100, text("/probe"), 0, 0}
		})},
		Probe{Name: "mount/acct", Claim: "process accounting stays as it is", Run: passes(unix.SYS_ACCT, func() []uintptr { return []uintptr{text("/probe")} }, unix.ENOENT)},
	)
}
