//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// removeTimeout bounds how long Remove waits for tasks to leave.
const removeTimeout = 5 * time.Second

func (g *group) kill() error {
	if dir, ok := g.dirs[unified]; ok {
		// Not the library's Kill, which logs and falls back to os.Process.Wait.
		return writeFile(filepath.Join(dir, "cgroup.kill"), "1")
	}
	return g.killEach()
}

// killEach is for hosts without cgroup.kill: freeze, so that nothing forks while
// the list is read, signal each, thaw, and again until the group is empty.
func (g *group) killEach() error {
	deadline := time.Now().Add(removeTimeout)
	for {
		_ = g.freeze("FROZEN") // where it fails something may fork: the next round has it
		left, err := g.signalAll()
		err = errors.Join(err, g.freeze("THAWED"))
		if err != nil || left == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes outlive SIGKILL in control group %s", left, g.name)
		}
		time.Sleep(time.Millisecond)
	}
}

// freeze brings the group into a state and waits until it is there: it is FREEZING
// until its last task has stopped. A group without a freezer is left alone.
func (g *group) freeze(state string) error {
	dir, ok := g.dirs[freezer]
	if !ok {
		return nil
	}
	path := filepath.Join(dir, "freezer.state")
	for deadline := time.Now().Add(removeTimeout); ; time.Sleep(time.Millisecond) {
		if err := writeFile(path, state); err != nil {
			return err
		}
		now, err := readFile(path)
		if err != nil || strings.TrimSpace(string(now)) == state {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("control group %s does not become %s", g.name, state)
		}
	}
}

func (g *group) signalAll() (int, error) {
	for _, controller := range []string{freezer, pids, memory, cpuacct, cpu} {
		if dir, ok := g.dirs[controller]; ok {
			return signalMembers(dir)
		}
	}
	return 0, nil
}

// signalMembers sends SIGKILL to what a directory lists and returns how many.
func signalMembers(dir string) (int, error) {
	content, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENODEV) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	list := strings.Fields(string(content))
	for _, text := range list {
		pid, err := strconv.Atoi(text)
		if err != nil || pid <= 1 {
			continue // 0: a process of a pid namespace that we do not see
		}
		if err := unix.Kill(pid, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
			return len(list), os.NewSyscallError("kill", err)
		}
	}
	return len(list), nil
}

func (g *group) remove() error {
	for _, f := range g.files {
		f.Close()
	}
	g.files = nil
	if g.dir != nil {
		g.dir.Close()
		g.dir = nil
	}
	var errs []error
	for _, dir := range g.dirs { // one that serves twice is gone the second time
		errs = append(errs, removeDir(dir))
	}
	return errors.Join(errs...)
}

// removeDir removes one directory. The library's own remove starts with a pause of
// ten milliseconds, and a task leaves its group some microseconds after its end.
func removeDir(dir string) error {
	deadline := time.Now().Add(removeTimeout)
	for pause := 200 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		err := unix.Rmdir(dir)
		switch {
		case err == nil, errors.Is(err, unix.ENOENT):
			return nil
		case !errors.Is(err, unix.EBUSY) || time.Now().After(deadline):
			return &os.PathError{Op: "rmdir", Path: dir, Err: err}
		}
		if writeFile(filepath.Join(dir, "cgroup.kill"), "1") != nil {
			signalMembers(dir)
		}
		time.Sleep(pause)
	}
}
