//go:build linux

package cgroup

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"realm.internal/supervisor/internal/cgroup/cgrouptest"
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
	parents, _ := openManager(t).Owned()
	cgrouptest.Delegate(t, parents, plainUser, again.Process.Pid)
	in.Close() // go
	if err := again.Wait(); err != nil || strings.Contains(out.String(), "--- SKIP") {
		t.Errorf("rootless: %v\n%s", err, out.String())
	}
}
