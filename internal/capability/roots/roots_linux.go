// Package roots opens the host paths that grants name so that what a policy allows and what the supervisor depends on
// hold for the very object that was opened, whatever links and renames happen at the same time.
//
// # Trust
//
// Names, ceilings and protected paths come from the host's operator or from a caller whom a policy let ask for them.
// Whoever can write below a ceiling is hostile.
//
// # Concurrency
//
// Functions hold no state.
package roots

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// Anywhere is the ceilings of whoever may grant every path.
func Anywhere() []string { return []string{"/"} }

// Open opens a clean absolute path as O_PATH with further flags, reached beneath the closest ceiling: a symbolic link
// below a ceiling must not lead out of it (EXDEV). A ceiling itself, and every path where "/" is one, may be reached
// through links. The caller closes the descriptor. Where there is no openat2 the error is a *layer.Unenforceable.
func Open(name string, ceilings []string, flags int) (int, error) {
	fd, err := open(name, ceilings, flags|unix.O_PATH)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // an O_PATH open asks for no permission that could be lacking
		return -1, &layer.Unenforceable{
			Layer: layer.OpenAt2, Detail: err.Error(),
			Fix: "use Linux 5.6 or later, or allow openat2 in the surrounding container's seccomp profile", Err: err,
		}
	}
	return fd, err
}

func open(name string, ceilings []string, flags int) (int, error) {
	best := ""
	for _, c := range ceilings {
		if c = path.Clean(c); len(c) > len(best) && (c == "/" || c == name || strings.HasPrefix(name, c+"/")) {
			best = c
		}
	}
	switch best {
	case "":
		return -1, os.NewSyscallError("openat2", unix.EXDEV)
	case "/", name:
		return Openat2(unix.AT_FDCWD, name, flags, unix.RESOLVE_NO_MAGICLINKS)
	}
	ceiling, err := Openat2(unix.AT_FDCWD, best, unix.O_PATH|unix.O_DIRECTORY, unix.RESOLVE_NO_MAGICLINKS)
	if err != nil {
		return -1, err
	}
	defer unix.Close(ceiling)
	return Openat2(ceiling, name[len(best)+1:], flags, unix.RESOLVE_NO_MAGICLINKS|unix.RESOLVE_BENEATH)
}

// retries bounds how often a resolution is repeated that a rename elsewhere has disturbed: openat2(2), EAGAIN.
const retries = 64

// Openat2 is openat2(2) with O_CLOEXEC, repeated when it was disturbed.
func Openat2(dir int, name string, flags int, resolve uint64) (int, error) {
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: resolve}
	for attempt := 0; ; attempt++ {
		fd, err := unix.Openat2(dir, name, &how)
		if err == nil {
			return fd, nil
		}
		if err != unix.EINTR && (err != unix.EAGAIN || attempt >= retries) {
			return -1, os.NewSyscallError("openat2", err)
		}
	}
}

// HoldsNone says, as an error, which protected path what fd holds is or lies above, however either is spelled or
// mounted.
func HoldsNone(fd int, protected []string) error {
	var held unix.Stat_t
	if err := unix.Fstat(fd, &held); err != nil {
		return fmt.Errorf("cannot be examined: %w", err)
	}
	for _, name := range protected {
		for _, dir := range ancestors(name) {
			var st unix.Stat_t
			if err := unix.Stat(dir, &st); err == nil && st.Dev == held.Dev && st.Ino == held.Ino {
				return fmt.Errorf("would hold %q, which the supervisor depends on", name)
			}
		}
	}
	return nil
}

// ancestors lists name and the directories above it, as it is written and as symbolic links make it.
func ancestors(name string) []string {
	name, err := filepath.Abs(name)
	if err != nil {
		return nil
	}
	spellings := []string{name}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		spellings = append(spellings, real)
	} else if real, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		spellings = append(spellings, filepath.Join(real, filepath.Base(name)))
	}
	var dirs []string
	for _, p := range spellings {
		for p != "/" {
			dirs = append(dirs, p)
			p = filepath.Dir(p)
		}
	}
	return append(dirs, "/")
}
