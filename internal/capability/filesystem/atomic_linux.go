package filesystem

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability"
)

// tempPrefix begins every temporary name, so that what a dead supervisor left can be recognised.
const tempPrefix = ".supervisor-"

// IsTemporary reports whether name is one that an interrupted write may have left behind.
func IsTemporary(name string) bool {
	return len(name) == len(tempPrefix)+26 && name[:len(tempPrefix)] == tempPrefix
}

// replace gives the name new content in one step.
//
// The content is written to a file without a name, where the file system has such. A new name is then linked at once;
// an old one is replaced by way of a temporary name that lives from the link to the rename and is guarded meanwhile.
func (p *place) replace(ctx context.Context, o Options, data []byte) error {
	t := &temporary{dir: p.dir, name: tempPrefix + rand.Text(), options: o}
	defer t.discard()
	mode := uint32(newFileMode)
	if p.exists {
		mode = 0o600 // until it has the permissions of what it replaces, it is nobody else's to open
	}
	if err := t.create(mode); err != nil {
		return err
	}
	if err := p.fill(ctx, t.fd, data); err != nil {
		return err
	}
	if !t.named && !p.exists {
		err := linkTo(t.fd, p.dir, p.base)
		if err == nil {
			return syncDirectory(p.dir)
		}
		if err != unix.EEXIST { // somebody made the name meanwhile: replace it
			return capability.Failed(os.NewSyscallError("linkat", err))
		}
	}
	if err := t.link(); err != nil {
		return err
	}
	if err := unix.Renameat(p.dir, t.name, p.dir, p.base); err != nil {
		return capability.Failed(os.NewSyscallError("renameat", err))
	}
	t.named = false
	return syncDirectory(p.dir)
}

// temporary is a file on its way to a name.
type temporary struct {
	dir     int
	name    string
	options Options

	fd      int
	open    bool
	named   bool   // it has its temporary name
	release func() // of the guard, once it was asked
}

// create makes an empty file: without a name where that is possible, else under the temporary one.
func (t *temporary) create(mode uint32) (err error) {
	const flags = unix.O_WRONLY | unix.O_CLOEXEC
	err = unix.EOPNOTSUPP
	if !t.options.named {
		t.fd, err = unix.Openat(t.dir, ".", flags|unix.O_TMPFILE, mode)
	}
	if err == unix.EOPNOTSUPP || err == unix.EISDIR || err == unix.EINVAL {
		if err := t.guard(); err != nil {
			return err
		}
		t.fd, err = unix.Openat(t.dir, t.name, flags|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW, mode)
		t.named = err == nil
	}
	if err != nil {
		return capability.Failed(os.NewSyscallError("openat", err))
	}
	t.open = true
	return t.claim()
}

// claim locks the file, see sweep for who asks. Where there are no locks, there are none for them either. A name can
// be found before it is claimed: by a sweep, or by somebody who holds a lock and would have the supervisor wait.
func (t *temporary) claim() error {
	err := unix.Flock(t.fd, unix.LOCK_EX|unix.LOCK_NB)
	if !t.named {
		return nil
	}
	var own, there unix.Stat_t
	lost := unix.Fstat(t.fd, &own) == nil && (unix.Fstatat(t.dir, t.name, &there, unix.AT_SYMLINK_NOFOLLOW) != nil || there.Ino != own.Ino)
	if err == unix.EWOULDBLOCK || lost {
		return capability.Failed(unix.EAGAIN)
	}
	return nil
}

// link gives the file its temporary name.
func (t *temporary) link() error {
	if t.named {
		return nil
	}
	if err := t.guard(); err != nil {
		return err
	}
	if err := linkTo(t.fd, t.dir, t.name); err != nil {
		return capability.Failed(os.NewSyscallError("linkat", err))
	}
	t.named = true
	return nil
}

func (t *temporary) guard() (err error) {
	if t.options.Guard == nil {
		return nil
	}
	if t.release, err = t.options.Guard.Guard(t.dir, t.name); err != nil {
		return &capability.Failure{Code: "EIO", Message: "the write could not be made safe", Host: fmt.Errorf("guard temporary: %w", err)}
	}
	return nil
}

// discard removes what is left of the file.
func (t *temporary) discard() {
	if t.named {
		_ = unix.Unlinkat(t.dir, t.name, 0)
	}
	if t.open {
		_ = unix.Close(t.fd)
	}
	if t.release != nil {
		t.release()
	}
}

// fill writes data and the old file's permissions, and waits until both are on the disk.
func (p *place) fill(ctx context.Context, fd int, data []byte) error {
	for len(data) > 0 {
		if err := cancelled(ctx); err != nil {
			return err
		}
		n, err := unix.Write(fd, data[:min(len(data), chunkBytes)])
		if err != nil && err != unix.EINTR {
			return capability.Failed(os.NewSyscallError("write", err))
		}
		data = data[max(0, n):]
	}
	if p.exists {
		// The owner first: changing it clears mode bits. It stays ours where we may not give the file away.
		_ = unix.Fchown(fd, int(p.old.Uid), int(p.old.Gid))
		if err := unix.Fchmod(fd, p.old.Mode&0o777); err != nil {
			return capability.Failed(os.NewSyscallError("fchmod", err))
		}
	}
	if err := unix.Fsync(fd); err != nil {
		return capability.Failed(os.NewSyscallError("fsync", err))
	}
	return nil
}

func linkTo(fd, dir int, name string) error {
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), dir, name, unix.AT_SYMLINK_FOLLOW)
}

// syncDirectory makes a new name durable. File systems that cannot are not a reason to call the write a failure.
func syncDirectory(dir int) error {
	if err := unix.Fsync(dir); err != nil && err != unix.EINVAL && err != unix.EOPNOTSUPP {
		return capability.Failed(os.NewSyscallError("fsync", err))
	}
	return nil
}
