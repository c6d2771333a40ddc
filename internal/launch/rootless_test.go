//go:build linux

package launch

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/cgroup/cgrouptest"
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
	groups, err := cgroup.Open()
	if err != nil {
		t.Fatal(err)
	}
	parents, _ := groups.Owned()
	cgrouptest.Delegate(t, parents, plainUser, cmd.Process.Pid)
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

// awaitStdin lets a delegating parent finish first.
func awaitStdin() {
	if os.Getenv("AWAIT_STDIN") != "" {
		os.Unsetenv("AWAIT_STDIN")
		bufio.NewReader(os.Stdin).ReadByte()
	}
}
