package filesystem

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// entryBytes is what an entry counts beside its name.
const entryBytes = 32

// batchNames is how many names are read between two looks at the context.
const batchNames = 256

// List names what is in a directory, sorted. Names and entries together count against the ticket's bytes; a byte
// that is not UTF-8 is shown as U+FFFD. The error is a *grants.Denial or a *capability.Failure.
func (r *Roots) List(ctx context.Context, t grants.FileList) ([]Entry, error) {
	fd, st, err := r.inspect(ctx, t)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return nil, &capability.Failure{Code: "ENOTDIR", Message: "it is not a directory"}
	}
	opened, err := reopen(fd, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil, capability.Failed(err)
	}
	dir := os.NewFile(uintptr(opened), "granted directory")
	defer dir.Close()
	return readEntries(ctx, dir, t)
}

func readEntries(ctx context.Context, dir *os.File, t grants.FileList) ([]Entry, error) {
	entries := []Entry{}
	used := int64(0)
	for {
		if err := cancelled(ctx); err != nil {
			return nil, err
		}
		names, err := dir.Readdirnames(batchNames)
		for _, name := range names {
			if used += int64(len(name)) + entryBytes; used > t.MaxBytes() {
				return nil, grants.ExceededBytes(t.Path(), "maxReadBytes", t.MaxBytes(), 0)
			}
			entry, ok := entryOf(int(dir.Fd()), name)
			if ok {
				entries = append(entries, entry)
			}
		}
		if errors.Is(err, io.EOF) {
			slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
			return entries, nil
		}
		if err != nil {
			return nil, capability.Failed(err)
		}
	}
}

// entryOf looks at one name, or reports that it has gone meanwhile.
func entryOf(dir int, name string) (Entry, bool) {
	entry := Entry{Name: strings.ToValidUTF8(name, "\uFFFD"), Type: TypeOther}
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT)
	if err == nil {
		entry.Type = typeOf(st.Mode)
		if entry.Type == TypeFile {
			entry.Size = st.Size
		}
	}
	return entry, err != unix.ENOENT
}
