//go:build linux

package subprocess

import (
	"bufio"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/launch"
)

// executables are the resolved paths of sandbox.execute, and the loaders and interpreters without which they could
// not be executed.
func executables(paths []string, mounts []launch.Mount) ([]string, error) {
	var all []string
	for i, path := range paths {
		resolved := resolve(path, mounts)
		if resolved == "" {
			// One answer for all: who may grant this need not be who may ask what the host has.
			return nil, fmt.Errorf("subprocess.sandbox.execute[%d]: %s: no such file in the jail, "+
				"which holds the system's directories, the commands and the roots of the sandbox", i, path)
		}
		all = append(all, resolved)
		all = append(all, interpreters(resolved, mounts)...)
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// visible is what the jails of a grant hold: the system's directories and the roots, and each command under both of
// its names.
func visible(roots []launch.Mount, commands map[string]*executable) []launch.Mount {
	all := slices.Clone(roots)
	for granted, e := range commands {
		all = append(all, e.mounts(roots)...)
		all = append(all, launch.Mount{Target: granted})
	}
	return all
}

// resolve follows the links of a path that a jail of these mounts has, to one that it has too. For all else it is "",
// and what the jail cannot have is not looked for on the host.
func resolve(path string, mounts []launch.Mount) string {
	if path == "/tmp" { // the jail's own
		return path
	}
	if !slices.ContainsFunc(mounts, func(m launch.Mount) bool { return onOneWay(m.Target, filepath.Clean(path)) }) {
		return ""
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil || !shown(resolved, mounts) {
		return ""
	}
	return resolved
}

// shown reports whether a jail of these mounts has a resolved path of the host under its own name.
func shown(path string, mounts []launch.Mount) bool {
	return path == "/tmp" || slices.ContainsFunc(mounts, func(m launch.Mount) bool {
		return m.Source == m.Target && onOneWay(m.Target, path)
	})
}

// onOneWay reports whether one of two clean paths is the other, or lies above it.
func onOneWay(a, b string) bool {
	a, b = strings.TrimSuffix(a, "/")+"/", strings.TrimSuffix(b, "/")+"/"
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// interpreters are the files that the kernel executes on the way to path: script interpreters and ELF loaders. A file
// that cannot be read or is neither has none, and what the jail does not have is none either.
func interpreters(path string, mounts []launch.Mount) []string {
	var found []string
	for range 4 { // the kernel follows as many scripts
		next := interpreter(path)
		if next == "" {
			break
		}
		if path = resolve(next, mounts); path == "" {
			break
		}
		found = append(found, path)
	}
	return found
}

func interpreter(path string) string {
	// Not a pipe or a device, whose opening could block or do something.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0) // it may be one by now
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	line, _ := bufio.NewReaderSize(io.LimitReader(file, 256), 256).ReadString('\n')
	if script, ok := strings.CutPrefix(line, "#!"); ok {
		if fields := strings.Fields(script); len(fields) > 0 {
			return fields[0]
		}
		return ""
	}
	return loader(file)
}

// maxProgramHeaders is how many bytes of them the kernel reads.
const maxProgramHeaders = 64 << 10

// loader is the interpreter that an ELF program names. debug/elf would read all that a hostile file claims to hold.
func loader(file io.ReaderAt) string {
	var head elf.Header64
	if !readAt(file, 0, &head) || string(head.Ident[:4]) != elf.ELFMAG {
		return ""
	}
	var p elf.Prog64
	size := int64(binary.Size(p))
	if int64(head.Phentsize) != size || int64(head.Phnum)*size > maxProgramHeaders {
		return ""
	}
	for i := range int64(head.Phnum) {
		if !readAt(file, int64(head.Phoff)+i*size, &p) {
			return ""
		}
		if elf.ProgType(p.Type) == elf.PT_INTERP && p.Filesz < unix.PathMax {
			name := make([]byte, p.Filesz)
			if !readAt(file, int64(p.Off), name) {
				return ""
			}
			return strings.TrimRight(string(name), "\x00")
		}
	}
	return ""
}

// readAt reads data in the machine's byte order, which programs that it executes have.
func readAt(file io.ReaderAt, at int64, data any) bool {
	section := io.NewSectionReader(file, at, int64(binary.Size(data)))
	return binary.Read(section, binary.NativeEndian, data) == nil
}
