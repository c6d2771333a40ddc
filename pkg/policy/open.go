//go:build unix

package policy

import (
	"fmt"
	"os"
	"syscall"
)

// Open opens a policy or grants file that only its owner can have written: a regular file of root or of the
// supervisor's own user that neither group nor others may write. Whoever opens it closes it.
func Open(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not block
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = fmt.Errorf("%s is a directory", name)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", name)
	default:
		err = Trusted(info, name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Trusted refuses a file that others than root and the supervisor's own user can have written.
func Trusted(info os.FileInfo, name string) error {
	if err := OwnersAlone(info, name); err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d, neither root nor the supervisor's own user %d", name, st.Uid, os.Geteuid())
	}
	return nil
}

// OwnersAlone refuses a file that others than its owner may write: whoever can write a grants document decides what a
// run may do.
func OwnersAlone(info os.FileInfo, name string) error {
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s can be written by others than its owner (mode %04o); run chmod go-w %s", name, info.Mode().Perm(), name)
	}
	return nil
}

// LoadFile is [Open] and [Load].
func LoadFile(name string) (*Policy, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := Load(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}
