//go:build linux

package cgroup

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// plainUser is nobody in particular.
const plainUser = 54321

// awaitVariable tells a test binary that whoever delegates groups to it closes its standard input when it has.
const awaitVariable = "CGROUP_TEST_AWAIT"

func TestMain(m *testing.M) {
	if os.Getenv(awaitVariable) != "" {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
	}
	os.Exit(m.Run())
}

// TestRootless runs the other tests again as a user without privileges, in groups that were delegated to that user.
func TestRootless(t *testing.T) {
	if os.Geteuid() != 0 {
		return // this is that run
	}
	again := exec.Command("/proc/self/exe", "-test.v", "-test.timeout=90s", "-test.skip=^TestRootless$")
	again.Dir = "/"
	again.Env = append(os.Environ(), awaitVariable+"=1", "TMPDIR=/tmp")
	again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: plainUser, Gid: plainUser}}
	in, err := again.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	again.Stdout, again.Stderr = &out, &out
	if err := again.Start(); err != nil {
		t.Fatal(err)
	}
	delegate(t, again.Process.Pid)
	in.Close() // go
	if err := again.Wait(); err != nil || strings.Contains(out.String(), "--- SKIP") {
		t.Errorf("rootless: %v\n%s", err, out.String())
	}
}

// delegate makes a group in each hierarchy that belongs to plainUser, and moves a process into it, as an administrator would.
func delegate(t *testing.T, pid int) {
	t.Helper()
	parents, _ := openManager(t).Owned()
	for _, parent := range parents {
		dir := filepath.Join(parent, "cgroup-test-"+strconv.Itoa(os.Getpid()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = os.Remove(filepath.Join(dir, ownLeaf)) // which the manager of a unified host makes
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
		for _, name := range []string{"", "cgroup.procs", "tasks", "cgroup.subtree_control", "cgroup.threads"} {
			if err := os.Chown(filepath.Join(dir, name), plainUser, plainUser); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			t.Fatal(err)
		}
	}
}
