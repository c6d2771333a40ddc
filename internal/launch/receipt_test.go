//go:build linux

package launch

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// Covers: T-NS-01, T-NS-02
func TestReceiptOfAConfinedRealm(t *testing.T) {
	s := startSpawner(t)
	r := spawnRealm(t, s, newGroup(t, "receipt"), "ready")
	r.ready(t)
	receipt, err := r.Receipt()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range layer.All() {
		state, told := receipt.Layers[name]
		if !told || state.State != Enforced {
			t.Errorf("%s: %+v", name, state)
		}
	}
	if receipt.UID.Outside != r.UID() || len(receipt.Namespaces) != 7 || receipt.Cgroup.Path == "" || len(receipt.Descriptors) < 6 {
		t.Errorf("receipt: %+v", receipt)
	}
	text, err := json.Marshal(receipt)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", text)
}

// Covers: T-NS-04
func TestReceiptNamesWhatIsNotAsItShouldBe(t *testing.T) {
	s := startSpawner(t)
	for _, c := range []struct{ name, probe, layer string }{
		{"no filter", "open", layer.Seccomp},
		{"a descriptor that nobody gave", "extra", layer.Descriptors},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := c.probe
			r := spawnRealm(t, s, nil, spec)
			r.ready(t)
			receipt, err := r.Receipt()
			var missing *Unenforceable
			if !errors.As(err, &missing) || missing.Layer != c.layer || receipt != nil {
				t.Errorf("receipt = %v, error = %v", receipt, err)
			}
		})
	}
}

// A thread that ends while the filter is loaded does not get it, and can do nothing
// without it either.
//
// Covers: T-NS-04
func TestAThreadThatEndsIsToldFromOneThatRuns(t *testing.T) {
	here, err := openProc(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer here.close()
	if leaves, err := here.leaves("task/" + strconv.Itoa(unix.Gettid())); leaves || err != nil {
		t.Errorf("this thread leaves: %v, %v", leaves, err)
	}
	if leaves, err := here.leaves("task/1000000000"); !leaves || !isGone(err) {
		t.Errorf("a thread that is gone: %v, %v", leaves, err)
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^$")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	ended, err := openProc(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	defer ended.close()
	if leaves, err := ended.leaves("task/" + strconv.Itoa(cmd.Process.Pid)); !leaves || err != nil {
		t.Errorf("one that nobody has waited for: %v, %v", leaves, err)
	}
}

func TestReceiptWithoutAGroupSaysSo(t *testing.T) {
	s := startSpawner(t)
	r := spawnRealm(t, s, nil, "ready")
	r.ready(t)
	receipt, err := r.Receipt()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{layer.CgroupMemory, layer.CgroupPids, layer.CgroupCPU, layer.CgroupKill} {
		if receipt.Layers[name].State != NotEnforced {
			t.Errorf("%s: %+v", name, receipt.Layers[name])
		}
	}
}

func TestReceiptOfAnEndedProcessIsAnError(t *testing.T) {
	s := startSpawner(t)
	r := spawnRealm(t, s, nil, "exit")
	r.Wait()
	if receipt, err := r.Receipt(); err == nil {
		t.Errorf("receipt = %+v", receipt)
	}
}

func BenchmarkReceipt(b *testing.B) {
	s := startSpawner(b)
	r := spawnRealm(b, s, newGroup(b, "bench"), "ready")
	r.ready(b)
	start := cpuTime()
	for b.Loop() {
		if _, err := r.Receipt(); err != nil {
			b.Fatal(err)
		}
	}
	reportCPU(b, start)
}
