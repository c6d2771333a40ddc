//go:build linux

package launch

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"realm.internal/supervisor/internal/cgroup"
)

// plainUser is nobody in particular.
const plainUser = 54321

// TestRootless runs this package's other tests again as an unprivileged user, in a
// subtree of the control groups that was delegated to that user.
func TestRootless(t *testing.T) {
	if os.Geteuid() != 0 {
		return // this is that run
	}
	cmd := exec.Command("/proc/self/exe", "-test.v", "-test.timeout=90s", "-test.skip=^TestRootless$", fmt.Sprintf("-test.short=%v", testing.Short()))
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "PROBE_PATH="+probePath, "AWAIT_STDIN=1", "TMPDIR=/tmp")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: plainUser, Gid: plainUser}}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	delegate(t, cmd.Process.Pid)
	in.Close() // go
	err = cmd.Wait()
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "--- SKIP") && !strings.Contains(line, "TestLiveRealmsHaveUsersOfTheirOwn") {
			t.Errorf("rootless: %s", line)
		}
	}
	if err != nil {
		t.Errorf("rootless: %v\n%s", err, out.String())
	}
}

// delegate makes a group in each hierarchy that belongs to plainUser, and moves a
// process into it, as an administrator would.
func delegate(t *testing.T, pid int) {
	t.Helper()
	m, err := cgroup.Open()
	if err != nil {
		t.Fatal(err)
	}
	parents, _ := m.Owned()
	for _, parent := range parents {
		dir := filepath.Join(parent, fmt.Sprintf("launch-test-%d", os.Getpid()))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			os.Remove(filepath.Join(dir, "supervisor")) // on a unified host, see the cgroup package
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

// awaitStdin lets a delegating parent finish first.
func awaitStdin() {
	if os.Getenv("AWAIT_STDIN") != "" {
		os.Unsetenv("AWAIT_STDIN")
		bufio.NewReader(os.Stdin).ReadByte()
	}
}
