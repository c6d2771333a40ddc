//go:build linux

package subprocess

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability/roots"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/pkg/grants"
)

// openRoots turns the grant's extra paths into mounts, parents before what lies below them, so that a narrower root
// wins over a wider one.
func (c Config) openRoots(sandbox grants.Sandbox) ([]launch.Mount, error) {
	within := grants.Sandbox{Read: roots.Anywhere(), Write: roots.Anywhere()}
	if c.Ceilings != nil {
		within = *c.Ceilings
	}
	var pseudo []string // where they are mounted
	if len(sandbox.Read)+len(sandbox.Write) > 0 {
		var err error
		if pseudo, err = roots.PseudoMounts(); err != nil {
			return nil, err
		}
	}
	var mounts []launch.Mount
	var errs []error
	for _, list := range []struct {
		key             string
		paths, ceilings []string
		writable        bool
	}{{"read", sandbox.Read, within.Read, false}, {"write", sandbox.Write, within.Write, true}} {
		for i, path := range list.paths {
			m, err := c.openRoot(path, list.ceilings, list.writable, pseudo)
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

func (c Config) openRoot(path string, ceilings []string, writable bool, pseudo []string) (launch.Mount, error) {
	for _, own := range []string{"/", "/proc", "/sys", "/tmp", "/dev"} {
		if path == own || (own == "/proc" || own == "/sys") && strings.HasPrefix(path, own+"/") {
			return launch.Mount{}, errors.New("cannot be a root of a jail")
		}
	}
	fd, err := roots.Open(path, ceilings, unix.O_DIRECTORY) // which mounts what is mounted on demand
	if errors.Is(err, unix.ENOTDIR) {
		fd, err = roots.Open(path, ceilings, 0)
	}
	if errors.Is(err, unix.EXDEV) {
		return launch.Mount{}, errors.New("leads out of what the policy allows")
	}
	var missing *launch.Unenforceable
	if errors.As(err, &missing) {
		return launch.Mount{}, missing
	}
	if err != nil {
		return launch.Mount{}, bare(err)
	}
	defer unix.Close(fd)
	resolved, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
	if err != nil {
		return launch.Mount{}, bare(err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return launch.Mount{}, err
	}
	if kind := st.Mode & unix.S_IFMT; kind != unix.S_IFDIR && kind != unix.S_IFREG {
		return launch.Mount{}, errors.New("neither a directory nor a regular file")
	}
	if writable {
		if err := roots.HoldsNone(fd, c.Protect); err != nil {
			return launch.Mount{}, err
		}
	}
	if err := ordinary(fd, resolved, pseudo); err != nil {
		return launch.Mount{}, err
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

// ordinary refuses a root that shows the kernel's state and not files: its mount, or one that would come along.
func ordinary(fd int, resolved string, pseudo []string) error {
	name, err := roots.Pseudo(fd)
	if err != nil {
		return err
	}
	if name != "" {
		return fmt.Errorf("lies on a pseudo file system (%s)", name)
	}
	below := strings.TrimSuffix(resolved, "/") + "/"
	if i := slices.IndexFunc(pseudo, func(at string) bool { return strings.HasPrefix(at, below) }); i >= 0 {
		return fmt.Errorf("a pseudo file system is mounted at %s", pseudo[i])
	}
	return nil
}
