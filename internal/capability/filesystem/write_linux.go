package filesystem

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// newFileMode is what a new file gets, less the umask.
const newFileMode = 0o644

// newDirectoryMode is what a new directory gets, less the umask.
const newDirectoryMode = 0o755

// Write makes data the content of a file: at every moment, also after a crash, the name holds the old content or the
// new one. An existing file keeps its permission bits and, where the host lets it, its owner; its inode, and so every
// other hard link to it, is left as it was. The error is a *grants.Denial or a *capability.Failure.
func (r *Roots) Write(ctx context.Context, t grants.FileWrite, data []byte) error {
	if err := sized(t, data); err != nil {
		return err
	}
	p, err := r.place(ctx, t)
	if err != nil {
		return err
	}
	defer p.close()
	r.sweepOnce(p.dir)
	return p.replace(ctx, r.options, data)
}

// Append adds data to the end of a file, or makes the file. A file that has other hard links is replaced by a longer
// copy instead, so that those keep what they had; it must then fit into the ticket's bytes. An append that fails is
// taken back, but a crash in the middle of it can leave a part. The error is a *grants.Denial or a *capability.Failure.
func (r *Roots) Append(ctx context.Context, t grants.FileWrite, data []byte) error {
	if err := sized(t, data); err != nil {
		return err
	}
	p, err := r.place(ctx, t)
	if err != nil {
		return err
	}
	defer p.close()
	r.sweepOnce(p.dir)
	if !p.exists {
		return p.replace(ctx, r.options, data)
	}
	if p.old.Nlink == 1 {
		return p.extend(t, data)
	}
	if p.old.Size+int64(len(data)) > t.MaxBytes() {
		return grants.ExceededBytes(t.Path(), "maxWriteBytes", t.MaxBytes(), p.old.Size+int64(len(data)))
	}
	old, err := p.content(ctx, t)
	if err != nil {
		return err
	}
	return p.replace(ctx, r.options, append(old, data...))
}

// MakeDirectory makes one directory. The error is a *grants.Denial or a *capability.Failure.
func (r *Roots) MakeDirectory(ctx context.Context, t grants.MakeDirectory) error {
	p, err := r.parent(ctx, t)
	if err != nil {
		return err
	}
	defer p.close()
	if p.base == "." {
		return capability.Failed(unix.EEXIST)
	}
	if err := unix.Mkdirat(p.dir, p.base, newDirectoryMode); err != nil {
		return capability.Failed(os.NewSyscallError("mkdirat", err))
	}
	return nil
}

// Remove removes a file, a symbolic link itself, or an empty directory. The error is a *grants.Denial or a
// *capability.Failure.
func (r *Roots) Remove(ctx context.Context, t grants.Remove) error {
	p, err := r.parent(ctx, t)
	if err != nil {
		return err
	}
	defer p.close()
	err = unix.Unlinkat(p.dir, p.base, 0)
	if err == unix.EISDIR || err == unix.EPERM {
		err = unix.Unlinkat(p.dir, p.base, unix.AT_REMOVEDIR)
	}
	if err != nil {
		return capability.Failed(os.NewSyscallError("unlinkat", err))
	}
	return nil
}

// sized refuses data that is not what was decided about.
func sized(t grants.FileWrite, data []byte) error {
	if !t.Valid() {
		return capability.NoTicket()
	}
	if int64(len(data)) != t.Bytes() {
		return &capability.Failure{Code: "EPERM", Message: "the data is not what was decided about",
			Host: fmt.Errorf("%d bytes, decided about %d", len(data), t.Bytes())}
	}
	return nil
}

// place is where a write goes: a directory that is held open and a name in it.
type place struct {
	dir    int
	base   string
	exists bool
	old    unix.Stat_t // when it exists
}

func (p *place) close() { unix.Close(p.dir) }

// parent opens the directory that holds a ticket's path. Links on the way are followed within the root, the last
// component never.
func (r *Roots) parent(ctx context.Context, t ticket) (*place, error) {
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	dir, base := split(t.Relative())
	fd, err := r.open(r.write, t, dir, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, fault(err, t, grants.CapabilityFilesystemWrite)
	}
	if err := refusePseudo(fd, t, grants.CapabilityFilesystemWrite); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &place{dir: fd, base: base}, nil
}

// place is parent for an operation on a file's content: the name must be free or a regular file's.
func (r *Roots) place(ctx context.Context, t ticket) (*place, error) {
	p, err := r.parent(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := p.examine(t); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *place) examine(t ticket) error {
	err := unix.Fstatat(p.dir, p.base, &p.old, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return capability.Failed(os.NewSyscallError("fstatat", err))
	}
	p.exists = true
	if p.old.Mode&unix.S_IFMT == unix.S_IFLNK {
		return &grants.Denial{
			Capability: grants.CapabilityFilesystemWrite,
			Target:     grants.Target(t.Path()),
			Rule:       "it is a symbolic link, and writes do not follow one",
			Hint:       "write to the path of the file itself, or remove the link first",
		}
	}
	return regular(p.old.Mode)
}
