package supervisor_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// process is what /proc tells of one.
type process struct {
	pid, parent int
	name        string // argv[0]; "realm-spawner" and "realm" are ours
	state       byte
}

// descendants lists every process below root.
func descendants(t testing.TB, root int) []process {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	below := map[int][]process{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok {
			below[p.parent] = append(below[p.parent], p)
		}
	}
	var found []process
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, p := range below[queue[0]] {
			found, queue = append(found, p), append(queue, p.pid)
		}
	}
	return found
}

func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')'):]), " ")
	fields := strings.Fields(rest)
	parent, _ := strconv.Atoi(fields[1])
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	name, _, _ := strings.Cut(string(line), "\x00")
	return process{pid, parent, name, fields[0][0]}, true
}

// called picks the live processes of that name.
func called(list []process, name string) []process {
	return slices.DeleteFunc(slices.Clone(list), func(p process) bool { return p.name != name || p.state == 'Z' })
}

// traces is what runs could leave on a host.
type traces struct {
	processes, groups, temporaries, mounts, descriptors []string
}

// look collects the traces of this process. Other tests must be at rest.
func look(t testing.TB) traces {
	t.Helper()
	var l traces
	for _, p := range descendants(t, os.Getpid()) {
		l.processes = append(l.processes, fmt.Sprintf("%d %s", p.pid, p.name))
	}
	l.groups = groupsOf(t, groupPrefix(t, os.Getpid()))
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		target, err := os.Readlink("/proc/self/fd/" + fd.Name())
		if err == nil { // the directory's own is closed by now
			l.descriptors = append(l.descriptors, target)
		}
	}
	l.temporaries = temporariesBelow(t, os.TempDir())
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		// Whatever other people mount below /tmp meanwhile is theirs.
		if at := strings.Fields(line)[4]; !strings.HasPrefix(at, "/tmp/") || strings.HasPrefix(at, os.TempDir()) {
			l.mounts = append(l.mounts, at)
		}
	}
	return l
}

// groupPrefix is what the names of a supervisor's control groups begin with: realm-<pid namespace>-<pid>-<start>-. Its number
// alone does not tell: it is used again, and what killed tests left of another process may stand there still. The process must
// not have been waited for.
func groupPrefix(t testing.TB, pid int) string {
	t.Helper()
	var namespace unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &namespace); err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	const start = 19 // of the fields behind the name
	return fmt.Sprintf("realm-%d-%d-%s-", namespace.Ino, pid, strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[start])
}

// groupsOf lists the control groups whose names begin with a groupPrefix.
func groupsOf(t testing.TB, prefix string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if strings.HasPrefix(d.Name(), prefix) {
			found = append(found, path)
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// temporariesBelow lists the files that an interrupted write could leave.
func temporariesBelow(t testing.TB, dir string) []string {
	t.Helper()
	var found []string
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), ".supervisor-") {
			found = append(found, path)
		}
		return nil
	})
	return found
}

// gained reports what is there now and was not before.
func (before traces) gained(now traces) []string {
	var more []string
	for _, kind := range []struct {
		name         string
		before, then []string
	}{{"process", before.processes, now.processes}, {"group", before.groups, now.groups}, {"temporary", before.temporaries, now.temporaries}, {"mount", before.mounts, now.mounts}} {
		for _, what := range kind.then {
			if !slices.Contains(kind.before, what) {
				more = append(more, kind.name+" "+what)
			}
		}
	}
	if len(now.descriptors) > len(before.descriptors) {
		more = append(more, fmt.Sprintf("descriptors: now %q, before %q", now.descriptors, before.descriptors))
	}
	return more
}

// eventually waits for something that the kernel finishes by itself.
func eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !so(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("still not so: %s", what)
		}
	}
}

// gone waits until nothing is left.
func gone(t testing.TB, left func() []string) {
	t.Helper()
	var last []string
	defer func() {
		if len(last) > 0 {
			t.Errorf("left: %q", last)
		}
	}()
	eventually(t, "nothing is left", func() bool {
		last = left()
		return len(last) == 0
	})
}

// awaitExit waits for the end of the process behind a pidfd.
func awaitExit(t testing.TB, pidfd int) {
	t.Helper()
	poll := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	eventually(t, "a process has ended", func() bool {
		n, err := unix.Poll(poll, 100)
		return err == nil && n == 1
	})
}
