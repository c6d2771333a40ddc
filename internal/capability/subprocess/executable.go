//go:build linux

package subprocess

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"io"
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

// executables are the resolved paths of sandbox.execute, and the loaders and interpreters without which they could
// not be executed.
func executables(paths []string) ([]string, error) {
	var all []string
	for i, path := range paths {
		resolved, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, fmt.Errorf("subprocess.sandbox.execute[%d]: %s: %w", i, path, bare(err))
		}
		all = append(all, resolved)
		all = append(all, interpreters(resolved)...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// interpreters are the files that the kernel executes on the way to path: script interpreters and ELF loaders. A file
// that cannot be read or is neither has none.
func interpreters(path string) []string {
	var found []string
	for range 4 { // the kernel follows as many scripts
		next := interpreter(path)
		if next == "" {
			break
		}
		resolved, err := filepath.EvalSymlinks(next)
		if err != nil {
			break
		}
		found = append(found, resolved)
		path = resolved
	}
	return found
}

func interpreter(path string) string {
	// Not a pipe or a device, whose opening could block or do something.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	line, _ := bufio.NewReaderSize(io.LimitReader(file, 256), 256).ReadString('\n')
	if script, ok := strings.CutPrefix(line, "#!"); ok {
		if fields := strings.Fields(script); len(fields) > 0 {
			return fields[0]
		}
		return ""
	}
	program, err := elf.NewFile(file)
	if err != nil {
		return ""
	}
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP && p.Filesz < unix.PathMax {
			name, _ := io.ReadAll(p.Open())
			return strings.TrimRight(string(name), "\x00")
		}
	}
	return ""
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
