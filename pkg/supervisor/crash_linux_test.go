package supervisor_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// Crash safety: SIGKILL to one of the processes of a supervisor at work, at a
// moment that nobody chose, then to the supervisor. $REALM_LONG makes thirty
// rounds a thousand.

func init() { helpers["work"] = workForever }

// workForever runs guests of every kind, several at a time and with a record,
// and prints a line for each that ended. Killed realms and spawners do not end it.
// Every kind has its turn, and one has a command that is there however slow the
// host is: its run ends with the command and not with a deadline.
func workForever() int {
	dir := os.Getenv("E2E_WRITE")
	log, err := audit.OpenFile(os.Getenv("E2E_AUDIT"), audit.FileOptions{})
	if err != nil {
		return fault(err)
	}
	s, err := supervisor.New(supervisor.Config{MaxConcurrent: 4, MaxQueue: 8, WarmPoolSize: 1, Audit: log})
	if err != nil {
		return fault(err)
	}
	guests := []struct {
		source      string
		wallClockMs int64
	}{
		{`for (;;);`, 300},
		{`await new Promise(f => setTimeout(f, 60_000))`, 300},
		{`const { writeText } = await import('realm:capabilities'); for (let i = 0; ; i = 1 - i) await writeText('` + dir + `/f', String(i).repeat(2 ** 19))`, 300},
		{`const { spawn } = await import('realm:capabilities'); await spawn('/bin/sh', ['-c', 'sleep 60 & sleep 0.5'])`, 30_000},
		{`const { spawn } = await import('realm:capabilities'); for (;;) await spawn('/bin/sh', ['-c', 'sleep 60 & sleep 50'])`, 1500},
		{`const { spawn } = await import('realm:capabilities'); for (;;) await spawn('/bin/true', [])`, 1500},
		{`1`, 300},
	}
	g := grants.Grants{
		Filesystem: grants.Filesystem{Write: []string{dir}}, Subprocess: grants.Subprocess{Commands: []string{"/bin/sh", "/bin/true"}},
		Resources: grants.Resources{MaxOperations: 1_000_000},
	}
	fmt.Println("ready")
	for range 3 {
		go func() {
			for {
				for _, i := range rand.Perm(len(guests)) {
					limits := supervisor.Limits{WallClockMs: guests[i].wallClockMs}
					_, err := s.Run(context.Background(), supervisor.Request{Source: guests[i].source, Grants: g, Limits: limits})
					fmt.Println("ended", err)
				}
			}
		}()
	}
	select {}
}

// What a host takes for a run is its own: what shall become of a supervisor at work
// is awaited for so many of its runs, and given up earlier only when none ends any more.
const (
	manyRuns   = 300
	standstill = 4 * patience
)

// worker is a workForever helper.
type worker struct {
	cmd    *exec.Cmd
	groups string // what the names of its control groups begin with
	// said are the lines that it has printed; it is closed at the last.
	said chan string
	// seen are all processes that it was known to have.
	seen []process
}

func startWorker(t *testing.T, dir, log string) *worker {
	t.Helper()
	w := &worker{cmd: helper(t, "work", "E2E_WRITE="+dir, "E2E_AUDIT="+log), said: make(chan string, 1<<12)}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.cmd.Process.Kill(); _ = w.cmd.Wait() })
	go func() { // all along: it must not wait for this test
		defer close(w.said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			w.said <- lines.Text()
		}
	}()
	w.groups = groupPrefix(t, w.cmd.Process.Pid)
	w.await(t, 1)
	return w
}

// await waits for that many lines more.
func (w *worker) await(t *testing.T, lines int) {
	t.Helper()
	for range lines {
		select {
		case _, ok := <-w.said:
			if !ok {
				t.Fatal("the supervisor at work has ended")
			}
		case <-time.After(standstill):
			t.Fatal("no run of the supervisor at work ends")
		}
	}
}

// forget drops the lines so far.
func (w *worker) forget() {
	for len(w.said) > 0 {
		<-w.said
	}
}

// roles tell the processes of a supervisor apart.
var roles = map[string]func(p process, spawners []int) bool{
	"spawner":  func(p process, s []int) bool { return p.name == "realm-spawner" && slices.Contains(s, p.pid) },
	"launcher": func(p process, s []int) bool { return p.name == "realm-spawner" && !slices.Contains(s, p.pid) },
	"realm":    func(p process, _ []int) bool { return p.name == "realm" },
	"command": func(p process, _ []int) bool {
		return p.name == "/bin/sh" || p.name == "/bin/true" || p.name == "sleep"
	},
}

// strike kills every process of that role and reports whether there was one.
func (w *worker) strike(t *testing.T, role string) bool {
	t.Helper()
	all := descendants(t, w.cmd.Process.Pid)
	w.seen = append(w.seen, all...)
	var spawners []int
	for _, p := range all {
		if p.parent == w.cmd.Process.Pid {
			spawners = append(spawners, p.pid)
		}
	}
	struck := false
	for _, p := range all {
		if roles[role](p, spawners) && p.state != 'Z' {
			// A number can have changed hands since: it must still be a child of the same.
			if now, ok := readProcess(p.pid); ok && now.parent == p.parent && unix.Kill(p.pid, unix.SIGKILL) == nil {
				struck = true
			}
		}
	}
	return struck
}

// strikeFirst kills the first processes of that role that are there.
func (w *worker) strikeFirst(t *testing.T, role string) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for ended, since := 0, time.Now(); !w.strike(t, role); <-tick.C {
		if now := len(w.said); now > ended {
			ended, since = now, time.Now()
		}
		if ended > manyRuns || time.Since(since) > standstill {
			t.Fatalf("no %s in %d runs, none ended for %v; now %+v", role, ended, time.Since(since), descendants(t, w.cmd.Process.Pid))
		}
	}
}

// kill kills the supervisor, and its spawners in the same moment.
func (w *worker) kill(t *testing.T, spawners bool) {
	t.Helper()
	all := descendants(t, w.cmd.Process.Pid)
	w.seen = append(w.seen, all...)
	var too []int
	for _, p := range all {
		if !spawners || p.parent != w.cmd.Process.Pid {
			continue
		}
		if pidfd, err := unix.PidfdOpen(p.pid, 0); err == nil {
			defer unix.Close(pidfd)
			too = append(too, pidfd)
		}
	}
	for _, pidfd := range too {
		_ = unix.PidfdSendSignal(pidfd, unix.SIGSTOP, nil, 0) // it shall not clean up in between
	}
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, pidfd := range too {
		_ = unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0)
	}
	_ = w.cmd.Wait()
}

func rounds() int {
	if os.Getenv("REALM_LONG") != "" {
		return 1000
	}
	return 30
}

// Cases T7, F7
// Covers: T-END-01, T-FS-05
func TestNothingIsLeftOfWhatIsKilledAtAnyMoment(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(t.TempDir(), "audit.log")
	counts := newEngaged()
	defer counts.report(t, "kills")
	order := []string{"supervisor", "spawner", "launcher", "realm", "command", "supervisor-and-spawner"}
	for round := range rounds() {
		role := order[round%len(order)]
		w := startWorker(t, dir, log)
		<-time.After(time.Duration(rand.IntN(150_000)) * time.Microsecond)
		if roles[role] != nil {
			w.strikeFirst(t, role)
			w.forget()
			w.await(t, 6) // it goes on: more than were under way
		}
		w.kill(t, role == "supervisor-and-spawner")
		w.checkAfter(t, dir, log)
		counts.add(role, !t.Failed())
		if t.Failed() {
			t.Fatalf("round %d, %s", round, role)
		}
	}
}

// checkAfter starts the next supervisor and looks for what the killed one left.
func (w *worker) checkAfter(t *testing.T, dir, log string) {
	t.Helper()
	next, err := audit.OpenFile(log, audit.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := supervisor.New(supervisor.Config{Audit: next})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := runIn(t, s, `1`, granted(grants.Grants{Filesystem: grants.Filesystem{Write: []string{dir}}})); err != nil || res.Value != 1.0 {
		t.Errorf("the next run: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	v := victim{cmd: w.cmd, groups: w.groups, dir: dir, whileRunning: w.seen}
	v.checkNothingLeft(t)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := audit.Verify(bytes.NewReader(text)); err != nil || sum.Records == 0 {
		t.Errorf("the record: %+v, %v", sum, err)
	}
}
