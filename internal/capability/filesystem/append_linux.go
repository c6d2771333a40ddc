package filesystem

import (
	"context"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/internal/capability/roots"
	"realm.internal/supervisor/pkg/grants"
)

// extend appends to the one regular file that was examined.
func (p *place) extend(t ticket, data []byte) error {
	fd, err := p.openOld(t, unix.O_WRONLY|unix.O_APPEND)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var now unix.Stat_t
	if err := unix.Fstat(fd, &now); err != nil {
		return capability.Failed(os.NewSyscallError("fstat", err))
	}
	for rest := data; len(rest) > 0; {
		n, err := unix.Write(fd, rest)
		if err != nil && err != unix.EINTR {
			_ = unix.Ftruncate(fd, now.Size) // take back the part that got through
			return capability.Failed(os.NewSyscallError("write", err))
		}
		rest = rest[max(0, n):]
	}
	if err := unix.Fsync(fd); err != nil {
		return capability.Failed(os.NewSyscallError("fsync", err))
	}
	return nil
}

// content reads the whole of the file that was examined.
func (p *place) content(ctx context.Context, t ticket) ([]byte, error) {
	fd, err := p.openOld(t, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "granted file")
	defer f.Close()
	return readPart(ctx, io.NewSectionReader(f, 0, p.old.Size), p.old.Size)
}

// openOld opens the file that was examined, and only that one: what has taken its name meanwhile is refused.
func (p *place) openOld(t ticket, flags int) (int, error) {
	held, err := roots.Openat2(p.dir, p.base, unix.O_PATH|unix.O_NOFOLLOW, unix.RESOLVE_BENEATH|unix.RESOLVE_NO_SYMLINKS)
	if err != nil {
		return -1, capability.Failed(err)
	}
	defer unix.Close(held)
	var st unix.Stat_t
	if err := unix.Fstat(held, &st); err != nil {
		return -1, capability.Failed(os.NewSyscallError("fstat", err))
	}
	if st.Dev != p.old.Dev || st.Ino != p.old.Ino || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return -1, capability.Failed(unix.EAGAIN)
	}
	// A file can be mounted where its directory is not.
	if err := refusePseudo(held, t, grants.CapabilityFilesystemWrite); err != nil {
		return -1, err
	}
	fd, err := reopen(held, flags|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return -1, capability.Failed(err)
	}
	return fd, nil
}
