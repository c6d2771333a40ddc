//go:build linux

package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// A directory's name tells whose it is: realm-<pid namespace>-<pid>-<start>-<nth
// manager>-<name>. The start time keeps a reused pid apart.
const namePrefix = "realm-"

var managers atomic.Uint32 // so that two managers of one process do not share names

type owner struct {
	namespace uint64
	pid       int
	start     string
}

func newPrefix() (string, error) {
	o, err := self()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%d-%d-%s-%d-", namePrefix, o.namespace, o.pid, o.start, managers.Add(1)), nil
}

func self() (owner, error) {
	namespace, err := pidNamespace()
	if err != nil {
		return owner{}, err
	}
	start, err := startTime(os.Getpid())
	return owner{namespace, os.Getpid(), start}, err
}

func pidNamespace() (uint64, error) {
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &st); err != nil {
		return 0, os.NewSyscallError("stat", err)
	}
	return st.Ino, nil
}

// startTime is field 22 of stat, in clock ticks since boot. The second field may
// hold anything, so the count starts behind its last parenthesis.
func startTime(pid int) (string, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", err
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return "", errors.New("short stat file")
	}
	return string(fields[19]), nil
}

// parseOwner is the inverse of newPrefix.
func parseOwner(name string) (owner, bool) {
	parts := strings.SplitN(strings.TrimPrefix(name, namePrefix), "-", 5)
	if !strings.HasPrefix(name, namePrefix) || len(parts) != 5 {
		return owner{}, false
	}
	namespace, err1 := strconv.ParseUint(parts[0], 10, 64)
	pid, err2 := strconv.Atoi(parts[1])
	return owner{namespace, pid, parts[2]}, err1 == nil && err2 == nil && pid > 0
}

// dead is true only for certain: an owner of another pid namespace is not ours to
// judge.
func (o owner) dead(namespace uint64) bool {
	if o.namespace != namespace {
		return false
	}
	start, err := startTime(o.pid)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) {
		return true
	}
	return err == nil && start != o.start
}

func (m *manager) sweep() (int, error) {
	namespace, err := pidNamespace()
	if err != nil {
		return 0, err
	}
	swept := map[string]bool{}
	var errs []error
	parents, _ := m.owned()
	for _, parent := range parents {
		entries, err := os.ReadDir(parent)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if o, ok := parseOwner(e.Name()); ok && o.dead(namespace) {
				swept[e.Name()] = true
				errs = append(errs, removeDir(filepath.Join(parent, e.Name())))
			}
		}
	}
	if len(swept) > 0 && !m.v2 {
		errs = append(errs, removeEverywhere(swept))
	}
	return len(swept), errors.Join(errs...)
}

// removeEverywhere: hierarchies of v1 may disagree about where a process is, so
// the dead supervisor's groups can have another parent there than ours have. The
// whole tree is only walked when there is something to look for.
func removeEverywhere(names map[string]bool) error {
	var errs []error
	filepath.WalkDir(mountRoot, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || !names[e.Name()] {
			return nil
		}
		errs = append(errs, removeDir(path))
		return fs.SkipDir
	})
	return errors.Join(errs...)
}

func (m *manager) owned() (parents []string, prefix string) {
	seen := map[string]bool{}
	for _, parent := range m.parents {
		if !seen[parent] {
			seen[parent] = true
			parents = append(parents, parent)
		}
	}
	return parents, m.prefix
}
