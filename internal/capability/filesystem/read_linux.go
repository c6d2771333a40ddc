package filesystem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// chunkBytes is how much is read between two looks at the context.
const chunkBytes = 256 << 10

// Read reads a regular file, or a part of it. What is larger than the ticket allows is denied before a byte is read.
// The error is a *grants.Denial or a *capability.Failure.
func (r *Roots) Read(ctx context.Context, t grants.FileRead, part Range) ([]byte, error) {
	if part.Offset < 0 || part.Length < 0 {
		return nil, &capability.Failure{Code: "EINVAL", Message: "offset and length must not be negative"}
	}
	fd, st, err := r.inspect(ctx, t)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := regular(st.Mode); err != nil {
		return nil, err
	}
	want := max(0, st.Size-part.Offset)
	if part.Limited || part.Length > 0 {
		want = min(want, part.Length)
	}
	if want > t.MaxBytes() {
		return nil, grants.ExceededBytes(t.Path(), "maxReadBytes", t.MaxBytes(), want)
	}
	opened, err := reopen(fd, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return nil, capability.Failed(err)
	}
	f := os.NewFile(uintptr(opened), "granted file")
	defer f.Close()
	return readPart(ctx, io.NewSectionReader(f, part.Offset, want), want)
}

// readPart reads what was there when the size was looked at: a file that grows meanwhile is cut there, one that
// shrinks ends earlier.
func readPart(ctx context.Context, from io.Reader, size int64) ([]byte, error) {
	data := make([]byte, size)
	for done := 0; done < len(data); {
		if err := cancelled(ctx); err != nil {
			return nil, err
		}
		n, err := from.Read(data[done:min(len(data), done+chunkBytes)])
		done += n
		if errors.Is(err, io.EOF) {
			return data[:done], nil
		}
		if err != nil {
			return nil, capability.Failed(err)
		}
	}
	return data, nil
}

// Stat tells type, size and time of what a path leads to. The error is a *grants.Denial or a *capability.Failure.
func (r *Roots) Stat(ctx context.Context, t grants.FileStat) (Info, error) {
	fd, st, err := r.inspect(ctx, t)
	if err != nil {
		return Info{}, err
	}
	defer unix.Close(fd)
	info := Info{Type: typeOf(st.Mode), ModifiedMs: st.Mtim.Sec*1000 + st.Mtim.Nsec/1e6}
	if info.Type == TypeFile {
		info.Size = st.Size
	}
	return info, nil
}

// inspect opens what a read ticket leads to as a mere reference, which has no effect on any kind of file.
func (r *Roots) inspect(ctx context.Context, t ticket) (int, unix.Stat_t, error) {
	var st unix.Stat_t
	if err := cancelled(ctx); err != nil {
		return -1, st, err
	}
	fd, err := r.open(r.read, t, t.Relative(), unix.O_PATH)
	if err != nil {
		return -1, st, fault(err, t, grants.CapabilityFilesystemRead)
	}
	if err := refusePseudo(fd, t, grants.CapabilityFilesystemRead); err != nil {
		unix.Close(fd)
		return -1, st, err
	}
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return -1, st, capability.Failed(os.NewSyscallError("fstat", err))
	}
	return fd, st, nil
}

// regular refuses everything but a regular file, by name.
func regular(mode uint32) error {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return nil
	case unix.S_IFDIR:
		return capability.Failed(unix.EISDIR)
	case unix.S_IFIFO:
		return notRegular("a FIFO")
	case unix.S_IFSOCK:
		return notRegular("a socket")
	case unix.S_IFCHR, unix.S_IFBLK:
		return notRegular("a device")
	case unix.S_IFLNK:
		return notRegular("a symbolic link")
	}
	return notRegular("of an unknown kind")
}

func notRegular(what string) error {
	return &capability.Failure{Code: "EINVAL", Message: fmt.Sprintf("it is %s, not a regular file", what)}
}

func typeOf(mode uint32) string {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return TypeFile
	case unix.S_IFDIR:
		return TypeDirectory
	case unix.S_IFLNK:
		return TypeSymlink
	}
	return TypeOther
}

func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &capability.Failure{Code: "ECANCELED", Message: "the run has ended", Host: err}
	}
	return nil
}
