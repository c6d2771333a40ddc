//go:build linux

package cgroup

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// openManager opens a manager whose groups are swept at the end.
func openManager(t testing.TB) *Manager {
	t.Helper()
	m, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func create(t testing.TB, m *Manager, name string, l Limits) *Group {
	t.Helper()
	g, err := m.Create(name, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Remove(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// join starts a shell that joins the group the way a launched child does, says so,
// and waits until it is killed or its stdin ends.
func join(t testing.TB, g *Group, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", `
		i=3; while [ $i -lt $((3 + $1)) ]; do eval "echo 0 >&$i"; i=$((i + 1)); done
		[ -z "$2" ] || echo 0 > "$2/cgroup.procs"
		echo joined; `+script, "sh", "0", "")
	cmd.ExtraFiles = g.TaskFiles()
	cmd.Args[4] = string(rune('0' + len(cmd.ExtraFiles)))
	if leaf := g.LeafFD(); leaf != nil {
		cmd.Args[5] = leaf.Name()
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 7)
	if _, err := out.Read(line); err != nil || string(line) != "joined\n" {
		t.Fatalf("join: %q, %v", line, err)
	}
	return cmd
}

var limits = Limits{MemoryBytes: 64 << 20, Pids: 16, CPUs: 1.5}

func TestLimitsAreWrittenBeforeAProcessExists(t *testing.T) {
	g := create(t, openManager(t), "limits", limits)
	got, err := g.Limits()
	if err != nil || got != limits {
		t.Fatalf("limits = %+v, %v; want %+v", got, err, limits)
	}
}

func TestMemoryLimitGrowsAndShrinks(t *testing.T) {
	g := create(t, openManager(t), "resize", limits)
	for _, bytes := range []int64{256 << 20, 32 << 20, 512 << 20} {
		if err := g.SetMemory(bytes); err != nil {
			t.Fatal(err)
		}
		got, err := g.Limits()
		if err != nil || got.MemoryBytes != bytes {
			t.Fatalf("memory = %d, %v; want %d", got.MemoryBytes, err, bytes)
		}
	}
}

// Covers: T-RES-01
func TestALimitThatLetsSwapGrowIsTold(t *testing.T) {
	g := create(t, openManager(t), "swap", limits)
	if !g.swap {
		return // this host has none that could be limited
	}
	pid := join(t, g, "read x").Process.Pid
	if got, err := g.Verify(pid); err != nil || got != limits {
		t.Fatalf("limits = %+v, %v", got, err)
	}
	name, more := "memory.memsw.limit_in_bytes", "134217728"
	if g.v2 {
		name, more = "memory.swap.max", "max"
	}
	if err := writeFile(filepath.Join(g.dirs[memory], name), more); err != nil {
		t.Fatal(err)
	}
	var missing *Missing
	if _, err := g.Verify(pid); !errors.As(err, &missing) || missing.Layer != "cgroup.memory" {
		t.Errorf("error = %v", err)
	}
}

// Go's scheduler interrupts threads by signals, and the kernel gives up a memory
// limit that a signal comes between.
func TestSignalsDoNotKeepLimitsFromBeingSet(t *testing.T) {
	m := openManager(t)
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGUSR1)
	defer signal.Stop(ignored)
	var senders sync.WaitGroup
	over := make(chan struct{})
	defer func() { close(over); senders.Wait() }()
	senders.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				_ = syscall.Kill(os.Getpid(), syscall.SIGUSR1)
			}
		}
	})
	g := create(t, m, "signals", limits)
	for i := range 3000 {
		if err := g.SetMemory(int64(64+i%64) << 20); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKillEndsEveryProcessOfTheGroup(t *testing.T) {
	g := create(t, openManager(t), "kill", limits)
	cmd := join(t, g, "sleep 1000 & sleep 1000 & wait")
	if err := g.Kill(); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("ended with %v, want killed", err)
	}
}

func TestKillWithoutCgroupKillEndsEveryProcess(t *testing.T) {
	m := openManager(t)
	if !m.v2 {
		delete(m.parents, unified) // as on a host without one: the freezer comes in
	}
	g := create(t, m, "freeze", limits)
	cmd := join(t, g, "sleep 1000 & sleep 1000 & wait")
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }() // a zombie is still a member
	if err := g.killEach(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Fatal("the shell ended by itself")
	}
}

func TestRemoveKillsWhatIsLeft(t *testing.T) {
	m := openManager(t)
	g, err := m.Create("left", limits)
	if err != nil {
		t.Fatal(err)
	}
	cmd := join(t, g, "exec sleep 1000")
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	if err := g.Remove(); err != nil {
		t.Fatal(err)
	}
	<-done
	for _, dir := range g.dirs {
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestStatsAreMeasured(t *testing.T) {
	g := create(t, openManager(t), "stats", limits)
	cmd := join(t, g, "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	s, err := g.Stats()
	if err != nil || s.CPU <= 0 || s.PeakMemoryBytes <= 0 || s.OOMKills != 0 {
		t.Fatalf("stats = %+v, %v", s, err)
	}
}

// Covers: T-RES-01
func TestMemoryLimitKillsAndIsCounted(t *testing.T) {
	g := create(t, openManager(t), "oom", Limits{MemoryBytes: 16 << 20, Pids: 16})
	cmd := join(t, g, "head -c 200000000 /dev/zero | tail -c 200000000 >/dev/null")
	if err := cmd.Wait(); err == nil {
		t.Fatal("200 MB fit into 16 MiB")
	}
	s, err := g.Stats()
	if err != nil || s.OOMKills == 0 {
		t.Fatalf("stats = %+v, %v", s, err)
	}
}

// Covers: T-RES-03
func TestPidsLimitStopsForks(t *testing.T) {
	g := create(t, openManager(t), "pids", Limits{Pids: 4})
	// The shell ends at the fork that fails, or after the last.
	_ = join(t, g, "for i in 1 2 3 4 5 6 7 8; do sleep 1000 & done").Wait()
	left, err := os.ReadFile(filepath.Join(g.dirs[pids], "pids.current"))
	if err != nil || strings.TrimSpace(string(left)) != "3" {
		t.Errorf("the shell has left %q processes, %v", left, err)
	}
}

// A load on the host makes the shells slower, never faster.
//
// Covers: T-RES-02
func TestCPULimitHolds(t *testing.T) {
	const share, work = 0.2, 200 * time.Millisecond
	g := create(t, openManager(t), "cpu", Limits{Pids: 8, CPUs: share})
	began := time.Now()
	cmd := join(t, g, "while :; do :; done & while :; do :; done")
	for used := time.Duration(0); used < work; time.Sleep(5 * time.Millisecond) {
		s, err := g.Stats()
		if err != nil || time.Since(began) > time.Minute {
			t.Fatalf("%v used, %v", s.CPU, err)
		}
		used = s.CPU
	}
	if took, least := time.Since(began), 2*time.Duration(float64(work)/share)/3; took < least {
		t.Errorf("%v of work were done in %v, want %v at least", work, took, least)
	}
	if err := g.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
}

func TestMissingControllerIsNamedAndOnlyIfAskedFor(t *testing.T) {
	m := openManager(t)
	m.lacks(memory, "not delegated", delegationFix, nil)
	_, err := m.Create("missing", limits)
	var missing *Missing
	if !errors.As(err, &missing) || missing.Layer != "cgroup.memory" || missing.Fix == "" {
		t.Fatalf("error = %v", err)
	}
	if m.Layer("cgroup.memory") == nil || m.Layer("cgroup.pids") != nil {
		t.Fatal("Layer disagrees")
	}
	create(t, m, "without", Limits{Pids: 8})
}

func TestNamesAreChecked(t *testing.T) {
	m := openManager(t)
	for _, name := range []string{"", "a/b", "..", "a b", strings.Repeat("x", 65)} {
		if _, err := m.Create(name, Limits{Pids: 1}); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}

func TestSweepRemovesGroupsOfDeadOwnersOnly(t *testing.T) {
	m := openManager(t)
	live := create(t, m, "live", limits)
	ended := exec.Command("/bin/true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	namespace, err := pidNamespace()
	if err != nil {
		t.Fatal(err)
	}
	dead := *m
	dead.prefix = strings.Join([]string{namePrefix + itoa(namespace), itoa(uint64(ended.Process.Pid)), "1", "1", ""}, "-")
	old, err := dead.Create("old", limits)
	if err != nil {
		t.Fatal(err)
	}
	foreign := *m
	foreign.prefix = strings.Join([]string{namePrefix + "1", itoa(uint64(ended.Process.Pid)), "1", "1", ""}, "-")
	other := create(t, &foreign, "other", limits)
	n, err := m.Sweep()
	if err != nil || n < 1 {
		t.Fatalf("swept %d, %v", n, err)
	}
	for _, c := range []struct {
		name string
		g    *Group
		gone bool
	}{{"a dead owner's", old, true}, {"our own", live, false}, {"another pid namespace's", other, false}} {
		for _, dir := range c.g.dirs {
			if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) != c.gone {
				t.Errorf("%s group %s: %v", c.name, dir, err)
			}
		}
	}
	old.Remove()
}

func TestReusedPidIsNotTheOwner(t *testing.T) {
	me, err := self()
	if err != nil {
		t.Fatal(err)
	}
	if me.dead(me.namespace) {
		t.Error("we are dead")
	}
	me.start = "1"
	if !me.dead(me.namespace) {
		t.Error("a process of another start time is the owner")
	}
}

// A container's share of the processors is above every group of ours: v1 refuses more than it has.
func TestAGroupAsksForNoMoreProcessorsThanTheOnesAboveHave(t *testing.T) {
	m := openManager(t)
	if m.v2 || m.parents[cpu] == "" {
		return // v2 takes the least of them by itself
	}
	container := filepath.Join(m.parents[cpu], m.prefix+"container")
	inside := filepath.Join(container, "inside")
	for _, dir := range []string{container, inside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
	}
	if err := writeFile(filepath.Join(container, "cpu.cfs_quota_us"), "50000"); err != nil {
		t.Fatal(err)
	}
	m.parents[cpu], m.cpus = inside, cpusOf(inside, mountRoot)
	for asked, want := range map[float64]float64{2: 0.5, 0.25: 0.25} {
		g, err := m.Create("narrow", Limits{CPUs: asked})
		if err != nil {
			t.Fatalf("%v processors: %v", asked, err)
		}
		if l, err := g.Limits(); err != nil || l.CPUs != want {
			t.Errorf("%v processors: %v, %v", asked, l.CPUs, err)
		}
		if err := g.Remove(); err != nil {
			t.Error(err)
		}
	}
}
