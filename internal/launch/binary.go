//go:build linux

package launch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// openBinary opens the realm binary once; everything is executed by this
// descriptor, so that a file that is swapped in later is never used. O_PATH: it
// need not be readable.
func openBinary(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		problem := BinaryNotExecutable
		if errors.Is(err, fs.ErrNotExist) {
			problem = BinaryMissing
		}
		return nil, &BinaryError{Path: path, Problem: problem, Detail: err.Error(), Err: err}
	}
	file := os.NewFile(uintptr(fd), path)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		file.Close()
		return nil, &BinaryError{Path: path, Problem: BinaryNotExecutable, Detail: err.Error(), Err: err}
	}
	if detail := unusable(&st); detail != "" {
		file.Close()
		return nil, &BinaryError{Path: path, Problem: BinaryNotExecutable, Detail: detail}
	}
	return file, nil
}

func unusable(st *unix.Stat_t) string {
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return "not a regular file"
	case st.Mode&0o111 == 0:
		return "no execute permission"
	}
	return ""
}

// checkOthers: in root mode every realm has a uid of its own, which is nobody to the file.
func (s *Spawner) checkOthers() error {
	var st unix.Stat_t
	if err := unix.Fstat(int(s.binary.Fd()), &st); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if s.root && st.Mode&0o001 == 0 {
		return &BinaryError{Path: s.path, Problem: BinaryNotExecutable, Detail: "others may not execute it, and a realm is not its owner (chmod o+x)"}
	}
	return nil
}

// digest computes, once and when it is first asked for, the SHA-256 of the very file that is executed, whatever has
// taken its place since. It works when the spawner is closed, too.
func digest(binary *os.File) func() (string, error) {
	content, opened := os.Open(fmt.Sprintf("/proc/self/fd/%d", binary.Fd()))
	return sync.OnceValues(func() (string, error) {
		if opened != nil {
			return "", fmt.Errorf("read the realm binary: %w", opened)
		}
		defer content.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, content); err != nil {
			return "", fmt.Errorf("read the realm binary: %w", err)
		}
		return hex.EncodeToString(sum.Sum(nil)), nil
	})
}
