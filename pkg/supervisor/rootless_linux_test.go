package supervisor_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/cgroup/cgrouptest"
	"realm.internal/supervisor/pkg/supervisor"
)

// plainUser is nobody in particular.
const plainUser = 54322

// notOfTheKernel are tests of the language and of documents, which are the same for every user.
const notOfTheKernel = "Rootless|WithoutDelegation|Source|Form|Positions|Stacks|Imported|Timers|Values|Promises|Thrown|TypeScript|Globals|" +
	"Placed|Overflow|Causes|Tampering|Syntax|MissingGlobal|WhileWaiting|OfEveryKind|ItsOwnFiles|RefusedImport|CommonJS|InAModule|Prompt|Binding|WebAssembly|WasmGrants|EveryDoor|ComeBack|" +
	"JSONWould|GoTypes|Parameters|Codec|LargeValues|Hardened|OlderEngines|Example|Guest|Codas|OwnNetwork|Events|Console|Observation|Documents|Grants|ExitStatus|Size|Prototypes|Redirect|Ungranted|Fault|HostileResult|HostileJavaScript"

// TestRootless runs the other tests again as an ordinary user, in control groups
// that were delegated to that user.
func TestRootless(t *testing.T) {
	if os.Geteuid() != 0 {
		return // this is that run
	}
	output, err := asPlainUser(t, true, "-test.v", "-test.short", "-test.timeout=15m", "-test.skip="+notOfTheKernel)
	for line := range strings.Lines(output) {
		if strings.Contains(line, "--- SKIP") {
			t.Errorf("rootless: %s", line)
		}
	}
	if err != nil {
		t.Errorf("rootless: %v\n%s", err, failuresIn(output))
	}
}

// failuresIn leaves out what passed.
func failuresIn(output string) string {
	var kept strings.Builder
	for line := range strings.Lines(output) {
		if !strings.HasPrefix(line, "=== ") && !strings.Contains(line, "--- PASS") && !strings.Contains(line, "attacks: ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// asPlainUser re-executes this test binary as plainUser.
func asPlainUser(t *testing.T, delegated bool, flags ...string) (string, error) {
	t.Helper()
	home, err := os.MkdirTemp("", "plain-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	if err := os.Chown(home, plainUser, plainUser); err != nil {
		t.Fatal(err)
	}
	_ = commandLine(t) // for those that start it
	cmd := exec.Command("/proc/self/exe", flags...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), realmVariable+"="+realmPath, hostileVariable+"="+hostileRealm(t), awaitVariable+"=1", "TMPDIR="+home, "HOME="+home)
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
	if delegated {
		delegate(t, cmd.Process.Pid)
	}
	_ = in.Close() // go
	err = cmd.Wait()
	return out.String(), err
}

// delegate puts a process of plainUser into control groups of that user's own.
func delegate(t *testing.T, pid int) {
	t.Helper()
	groups, err := cgroup.Open()
	if err != nil {
		t.Fatal(err)
	}
	parents, _ := groups.Owned()
	cgrouptest.Delegate(t, parents, plainUser, pid)
}

// Without a delegated group there is no memory limit: nothing may run then,
// unless the operator says so, and what he says is on the receipt.
//
// Case L7
// Covers: T-NS-04
func TestWithoutDelegationNothingRuns(t *testing.T) {
	if os.Geteuid() == 0 {
		if output, err := asPlainUser(t, false, "-test.v", "-test.run=^TestWithoutDelegationNothingRuns$"); err != nil {
			t.Errorf("rootless: %v\n%s", err, failuresIn(output))
		}
		return
	}
	_, err := supervisor.New(supervisor.Config{})
	e := failed(t, supervisor.ErrUnenforceable, err)
	if !strings.HasPrefix(e.Capability, "cgroup.") || e.Hint == "" || e.Code.ExitStatus() != 11 {
		t.Errorf("%+v", e)
	}
	waived := []string{"cgroup.memory", "cgroup.pids", "cgroup.cpu"}
	_, err = supervisor.New(supervisor.Config{AllowMissing: waived[:1]})
	failed(t, supervisor.ErrUnenforceable, err)
	_, err = supervisor.New(supervisor.Config{AllowMissing: waived, RequireLayers: []string{"cgroup.memory"}})
	if e := failed(t, supervisor.ErrUnenforceable, err); e.Capability != "cgroup.memory" {
		t.Errorf("%+v", e)
	}
	s := supervise(t, supervisor.Config{AllowMissing: waived})
	res, err := runIn(t, s, `1 + 1`)
	if err != nil || res.Value != 2.0 {
		t.Fatalf("%v, %v", res.Value, err)
	}
	if len(res.Receipt.Weakenings) != 3 || res.Receipt.Layers["cgroup.memory"].State != "missing" || res.Receipt.Layers["seccomp"].State != "enforced" {
		t.Errorf("receipt %+v", res.Receipt)
	}
	_, err = runIn(t, s, `const a = []; for (;;) a.push(new Array(1e5).fill(1))`, limited(supervisor.Limits{MemoryMb: 64}))
	failed(t, supervisor.ErrOOM, err)
}
