//go:build linux

package cgroup

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// uninterrupted calls again what a signal interrupted. The kernel gives up a new
// memory limit when any signal is pending, and Go's scheduler sends itself many.
func uninterrupted(call func() (int, error)) (n int, err error) {
	for {
		if n, err = call(); err != unix.EINTR {
			return n, err
		}
	}
}

// writeFile writes an existing control file, and never creates one.
func writeFile(path, value string) error {
	fd, err := uninterrupted(func() (int, error) { return unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	if _, err := uninterrupted(func() (int, error) { return unix.Write(fd, []byte(value)) }); err != nil {
		return &os.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// readFile reads a control file, all of which fit one page. The plain calls cost a
// third of os.ReadFile, which asks for size and pollability first.
func readFile(path string) ([]byte, error) {
	fd, err := uninterrupted(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	buf := make([]byte, 4096)
	n, err := uninterrupted(func() (int, error) { return unix.Read(fd, buf) })
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return buf[:n], nil
}

// readNumber reads a file of one number; "max" and v1's spelling of it are 0.
func readNumber(path string) (int64, error) {
	content, err := readFile(path)
	if err != nil {
		return 0, err
	}
	return parseNumber(strings.TrimSpace(string(content)))
}

// unlimited is what v1 shows for "no limit": the largest multiple of a page.
const unlimited = math.MaxInt64 - 4095

func parseNumber(text string) (int64, error) {
	if text == "max" || text == "-1" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, err
	}
	if n >= unlimited {
		return 0, nil
	}
	return n, nil
}

// readKey reads the number of one line of a "key value" file.
func readKey(path, key string) (int64, error) {
	content, err := readFile(path)
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(content) {
		name, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		if name == key {
			return strconv.ParseInt(value, 10, 64)
		}
	}
	return 0, &os.PathError{Op: "find " + key + " in", Path: path, Err: os.ErrNotExist}
}
