//go:build linux

package subprocess

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/launch"
)

// executable is a granted command as it was when the run began.
type executable struct {
	path string   // with every link resolved
	file *os.File // held, so that its inode number is no other file's
	stat unix.Stat_t
}

// openExecutable resolves a granted path to a regular file that somebody may execute.
func openExecutable(path string) (*executable, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	file, err := os.OpenFile(resolved, unix.O_PATH|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, bare(err))
	}
	e := &executable{path: resolved, file: file}
	if err := e.read(&e.stat); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if e.stat.Mode&unix.S_IFMT != unix.S_IFREG || e.stat.Mode&0o111 == 0 {
		file.Close()
		return nil, fmt.Errorf("%s: not an executable file", path)
	}
	return e, nil
}

func (e *executable) read(st *unix.Stat_t) error {
	raw, err := e.file.SyscallConn()
	if err != nil {
		return err
	}
	ctlErr := raw.Control(func(fd uintptr) { err = unix.Fstat(int(fd), st) })
	return errors.Join(ctlErr, os.NewSyscallError("fstat", err))
}

var errChanged = errors.New("the executable was written to")

// unchanged reports whether the file has the content and the mode it had. That its path still leads to it is checked
// inside the jail, at the moment of use.
func (e *executable) unchanged() error {
	var now unix.Stat_t
	if err := e.read(&now); err != nil {
		return err
	}
	if now.Ctim != e.stat.Ctim || now.Mtim != e.stat.Mtim || now.Size != e.stat.Size {
		return errChanged
	}
	return nil
}

// mounts are what the jail needs beside its roots to hold the file.
func (e *executable) mounts(roots []launch.Mount) []launch.Mount {
	if slices.ContainsFunc(roots, func(m launch.Mount) bool { return holds(m, e.path) }) {
		return nil
	}
	return []launch.Mount{{
		Source: e.path, Target: e.path, MapOwner: true, Device: e.stat.Dev, Inode: e.stat.Ino,
	}}
}

// holds reports whether a host path is visible under its own name through m.
func holds(m launch.Mount, path string) bool {
	return m.Link == "" && m.Content == "" && m.Source == m.Target &&
		(path == m.Source || strings.HasPrefix(path, m.Source+"/"))
}

// bare is the reason of err without the call and the path, which the caller names.
func bare(err error) error {
	var pathErr *os.PathError
	var call *os.SyscallError
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}
