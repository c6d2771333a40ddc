package supervisor_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

func init() { helpers["supervise"] = superviseForever }

// helper re-executes the test binary as one of helpers.
func helper(t testing.TB, name string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), helperVariable+"="+name, realmVariable+"="+realmPath)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

func fault(err error) int {
	fmt.Fprintln(os.Stderr, "helper:", err)
	return 1
}

// superviseForever runs guests of every kind until it is killed. They write to $E2E_WRITE.
func superviseForever() int {
	dir := os.Getenv("E2E_WRITE")
	s, err := supervisor.New(supervisor.Config{MaxConcurrent: 4, WarmPoolSize: 1})
	if err != nil {
		return fault(err)
	}
	sources := []string{
		`for (;;);`,
		`await new Promise(f => setTimeout(f, 60_000))`,
		`const { writeText } = await import('realm:capabilities'); for (let i = 0; ; i = 1 - i) await writeText('` + dir + `/f', String(i).repeat(2 ** 19))`,
		`const { spawn } = await import('realm:capabilities'); for (;;) await spawn('/bin/sleep', ['60'])`,
		`1`,
	}
	g := grants.Grants{
		Filesystem: grants.Filesystem{Write: []string{dir}}, Subprocess: grants.Subprocess{Commands: []string{"/bin/sleep"}},
		Resources: grants.Resources{MaxOperations: 1_000_000, WallClockMs: 60},
	}
	fmt.Println("ready")
	var live []*supervisor.Session
	for {
		session, err := s.Submit(context.Background(), supervisor.Request{Source: sources[rand.IntN(len(sources))], Grants: g})
		if err != nil {
			return fault(err)
		}
		if live = append(live, session); len(live) > 2 {
			_, _ = live[0].Wait()
			live = live[1:]
		}
	}
}

// victim is a supervisor that is about to be killed, and its spawner.
type victim struct {
	cmd          *exec.Cmd
	spawner      int
	pidfd        int
	groups       string // what the names of its control groups begin with
	dir          string
	whileRunning []process
}

func startVictim(t *testing.T, dir string) *victim {
	t.Helper()
	v := &victim{dir: dir, cmd: helper(t, "supervise", "E2E_WRITE="+dir)}
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.cmd.Process.Kill(); _ = v.cmd.Wait() })
	v.groups = groupPrefix(t, v.cmd.Process.Pid)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	spawners := called(descendants(t, v.cmd.Process.Pid), "realm-spawner")
	if len(spawners) == 0 {
		t.Fatal("no spawner")
	}
	v.spawner = spawners[0].pid
	if v.pidfd, err = unix.PidfdOpen(v.spawner, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(v.pidfd) })
	return v
}

// kill ends the supervisor after a moment that nobody chose.
func (v *victim) kill(t *testing.T) {
	t.Helper()
	<-time.After(time.Duration(rand.IntN(150_000)) * time.Microsecond)
	v.whileRunning = descendants(t, v.cmd.Process.Pid)
	if err := v.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = v.cmd.Wait()
}

// survivors are processes of the victim that live on.
func (v *victim) survivors() []process {
	return slices.DeleteFunc(slices.Clone(v.whileRunning), func(p process) bool {
		now, ok := readProcess(p.pid)
		return !ok || now.name != p.name || now.state == 'Z'
	})
}

func (v *victim) checkNothingLeft(t *testing.T) {
	t.Helper()
	eventually(t, "no process of the supervisor lives", func() bool { return len(v.survivors()) == 0 })
	gone(t, func() []string { return groupsOf(t, v.groups) })
	if left := temporariesBelow(t, v.dir); len(left) > 0 {
		t.Errorf("temporaries %v", left)
	}
	if text, err := os.ReadFile(v.dir + "/f"); err == nil && (len(text) != 1<<19 || bytes.Count(text, text[:1]) != len(text)) {
		t.Errorf("a part of a file, or of two: %d bytes that begin with %.1s", len(text), text)
	}
}

// Case T7
func TestNothingOutlivesAKilledSupervisor(t *testing.T) {
	dir := t.TempDir()
	for range 20 {
		v := startVictim(t, dir)
		v.kill(t)
		awaitExit(t, v.pidfd)
		v.checkNothingLeft(t)
	}
}

// What even the spawner cannot remove, the next start does.
//
// Case T7
func TestTheNextStartRemovesWhatAKilledSpawnerLeft(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		v := startVictim(t, dir)
		if err := unix.PidfdSendSignal(v.pidfd, unix.SIGSTOP, nil, 0); err != nil {
			t.Fatal(err)
		}
		v.kill(t)
		if err := unix.PidfdSendSignal(v.pidfd, unix.SIGKILL, nil, 0); err != nil {
			t.Fatal(err)
		}
		awaitExit(t, v.pidfd)
		eventually(t, "no process of the supervisor lives", func() bool { return len(v.survivors()) == 0 })
		// Who may write there again finds what lacked only its name.
		if res, err := runIn(t, supervise(t, supervisor.Config{}), `1`, granted(grants.Grants{Filesystem: grants.Filesystem{Write: []string{dir}}})); err != nil || res.Value != 1.0 {
			t.Errorf("the next run: %v", err)
		}
		v.checkNothingLeft(t)
	}
}
