//go:build linux

package subprocess

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/pkg/grants"
)

// openRoots turns the grant's extra paths into mounts, parents before what lies below them, so that a narrower root
// wins over a wider one.
func openRoots(sandbox grants.Sandbox) ([]launch.Mount, error) {
	var mounts []launch.Mount
	var errs []error
	for _, list := range []struct {
		key      string
		paths    []string
		writable bool
	}{{"read", sandbox.Read, false}, {"write", sandbox.Write, true}} {
		for i, path := range list.paths {
			m, err := openRoot(path, list.writable)
			if err != nil {
				errs = append(errs, fmt.Errorf("subprocess.sandbox.%s[%d]: %s: %w", list.key, i, path, err))
				continue
			}
			mounts = append(mounts, m)
		}
	}
	slices.SortStableFunc(mounts, func(a, b launch.Mount) int {
		return strings.Count(a.Target, "/") - strings.Count(b.Target, "/")
	})
	return mounts, errors.Join(errs...)
}

func openRoot(path string, writable bool) (launch.Mount, error) {
	for _, own := range []string{"/", "/proc", "/sys", "/tmp", "/dev"} {
		if path == own || (own == "/proc" || own == "/sys") && strings.HasPrefix(path, own+"/") {
			return launch.Mount{}, errors.New("cannot be a root of a jail")
		}
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return launch.Mount{}, bare(err)
	}
	var st unix.Stat_t
	if err := unix.Stat(resolved, &st); err != nil {
		return launch.Mount{}, err
	}
	if kind := st.Mode & unix.S_IFMT; kind != unix.S_IFDIR && kind != unix.S_IFREG {
		return launch.Mount{}, errors.New("neither a directory nor a regular file")
	}
	if pseudo(resolved) {
		return launch.Mount{}, errors.New("lies on a pseudo file system")
	}
	return launch.Mount{
		Source:   resolved,
		Target:   path,
		Writable: writable,
		MapOwner: true,
		Device:   st.Dev,
		Inode:    st.Ino,
	}, nil
}

// pseudo reports whether path shows the kernel's state and not files.
func pseudo(path string) bool {
	var fs unix.Statfs_t
	if unix.Statfs(path, &fs) != nil {
		return true
	}
	switch fs.Type {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC,
		unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC, unix.SELINUX_MAGIC, unix.BPF_FS_MAGIC,
		unix.DEVPTS_SUPER_MAGIC, unix.EFIVARFS_MAGIC, unix.PSTOREFS_MAGIC:
		return true
	}
	return false
}
