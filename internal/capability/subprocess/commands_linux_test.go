package subprocess

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/pkg/grants"
)

func wantDenied(t *testing.T, err error, capability, rule string) {
	t.Helper()
	var denial *grants.Denial
	if !errors.As(err, &denial) || denial.Capability != capability || !strings.Contains(denial.Rule, rule) {
		t.Fatalf("got %v, want %s because of %q", err, capability, rule)
	}
}

func wantFailure(t *testing.T, err error, code string) {
	t.Helper()
	var failed *capability.Failure
	if !errors.As(err, &failed) || failed.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
}

func TestArgumentsInputAndEnvironmentAreExact(t *testing.T) {
	g := granting("/usr/bin/env", "/usr/bin/sort", "/usr/bin/printf", "/bin/cat")
	g.Subprocess.Environment = map[string]string{"B": "two words", "A": "1"}
	j := open(t, g)
	for _, x := range []struct {
		stdin string
		argv  []string
		want  string
	}{
		{"", []string{"/usr/bin/env"}, "A=1\nB=two words\n"},
		{"b\na\n", []string{"/usr/bin/sort"}, "a\nb\n"},
		{"", []string{"/usr/bin/printf", "<%s>", "a b", "", "$(id)", "*", "-x"}, "<a b><><$(id)><*><-x>"},
		{"\xff\x00\n", []string{"/bin/cat"}, "\xff\x00\n"},
		{strings.Repeat("x", 1<<20), []string{"/bin/cat"}, strings.Repeat("x", 1<<20)},
	} {
		r, err := j.run(x.stdin, x.argv[0], x.argv[1:]...)
		if err != nil || string(r.Stdout) != x.want || r.Code != 0 || r.Signal != "" || len(r.Stderr) != 0 {
			t.Errorf("%q: %.200q %v", x.argv, fmt.Sprintf("%+v", r), err)
		}
	}
}

func TestStatusAndSignalAreTold(t *testing.T) {
	j := open(t, shell())
	for script, want := range map[string]Result{
		"exit 0":         {},
		"exit 3":         {Code: 3},
		"kill -9 $$":     {Code: 137, Signal: "SIGKILL"},
		"kill -TERM $$":  {Code: 143, Signal: "SIGTERM"},
		"nonexistent":    {Code: 127},
		"exec /bin/true": {},
	} {
		if r := j.sh(script); r.Code != want.Code || r.Signal != want.Signal {
			t.Errorf("%s: %+v", script, r)
		}
	}
	r := j.sh("echo out; echo err >&2")
	if string(r.Stdout) != "out\n" || string(r.Stderr) != "err\n" {
		t.Errorf("%+v", r)
	}
}

func TestInputThatNobodyReadsBlocksNobody(t *testing.T) {
	g := shell()
	g.Resources.MaxWriteBytes = 4 << 20
	j := open(t, g)
	if r, err := j.run(strings.Repeat("x", 4<<20), "/bin/sh", "-c", "exit 4"); err != nil || r.Code != 4 {
		t.Fatal(r.Code, err)
	}
	_, err := j.run(strings.Repeat("x", 4<<20+1), "/bin/sh", "-c", "exit 4")
	wantDenied(t, err, "resource.bytes", "maxWriteBytes")
}

func TestOutputLimitCountsBothStreams(t *testing.T) {
	g := shell()
	g.Resources.MaxProcessOutputBytes = 100_000
	j := open(t, g)
	both := "head -c %d /dev/zero; head -c %d /dev/zero >&2"
	r := j.sh(fmt.Sprintf(both, 60_000, 40_000))
	if len(r.Stdout) != 60_000 || len(r.Stderr) != 40_000 {
		t.Error(len(r.Stdout), len(r.Stderr))
	}
	for _, script := range []string{fmt.Sprintf(both, 60_000, 40_001), fmt.Sprintf(both, 100_001, 0), "yes", "yes >&2", "yes & yes >&2"} {
		_, err := j.run("", "/bin/sh", "-c", script)
		wantDenied(t, err, "resource.bytes", "maxProcessOutputBytes")
	}
}

func TestCommandEndsAtItsTimeout(t *testing.T) {
	g := shell()
	g.Subprocess.TimeoutMs = 300
	j := open(t, g)
	for name, script := range map[string]string{
		"sleeping":                  "sleep 100",
		"closing pipes, sleeping":   "exec <&- >&- 2>&-; sleep 100",
		"ignoring signals":          "trap '' TERM INT HUP QUIT; while :; do :; done",
		"stopped":                   "kill -STOP $$",
		"child keeps the pipes":     "sleep 100 & wait",
		"reading input without end": "cat /dev/zero >/dev/null",
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, err := j.run("", "/bin/sh", "-c", script)
			wantFailure(t, err, "ETIMEDOUT")
			if took := time.Since(start); took < 300*time.Millisecond || took > 5*time.Second {
				t.Errorf("after %v", took)
			}
		})
	}
}

// Covers: L5
func TestCancelKillsTheCommand(t *testing.T) {
	j := open(t, shell())
	mark := fmt.Sprintf("%d.5", 100_000+os.Getpid())
	ticket, err := j.checker.Spawn("/bin/sh", []string{"-c", "sleep " + mark + " & wait"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { _, err := j.commands.Run(ctx, ticket, nil); done <- err }()
	for len(processes(t, mark)) == 0 { // there is no event to wait for
		select {
		case err := <-done:
			t.Fatal("it ended early:", err)
		default:
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	wantGone(t, mark) // one whose start was not reported yet is killed once it is
}

func wantGone(t *testing.T, mark string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); len(processes(t, mark)) != 0; {
		if time.Now().After(end) {
			t.Fatalf("%q survived", processes(t, mark))
		}
	}
}

// late is a context whose end is seen by whoever asks, and by nobody who waits.
type late struct{ context.Context }

func (late) Err() error { return context.Canceled }

// Covers: T-CMD-02
func TestACommandWhoseStartAndEndCoincideIsKilled(t *testing.T) {
	g := granting("/bin/sleep")
	g.Subprocess.TimeoutMs = 500
	j := open(t, g)
	mark := fmt.Sprintf("%d.7", 100_000+os.Getpid())
	ticket, err := j.checker.Spawn("/bin/sleep", []string{mark})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := j.commands.Run(late{t.Context()}, ticket, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	wantGone(t, mark)
}

// Covers: E4
// Covers: T-CMD-02
func TestNothingOutlivesTheCommand(t *testing.T) {
	j := open(t, shell())
	for i, script := range []string{
		"(sleep %s &) ; exit 0",
		"setsid sleep %s & exit 0",
		"(setsid sh -c '(trap \"\" HUP TERM; exec <&- >&- 2>&-; sleep %s) &' &) ; sleep 0.05; exit 0",
		"nohup sleep %s >/dev/null 2>&1 & kill -9 $$",
	} {
		mark := fmt.Sprintf("%d.%d", 200_000+os.Getpid(), i+1)
		j.sh(fmt.Sprintf(script, mark))
		if left := processes(t, mark); len(left) != 0 {
			t.Errorf("%s: %q survived", script, left)
		}
	}
}

// processes are the command lines of live processes that hold mark as an argument of its own.
func processes(t *testing.T, mark string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		text, _ := os.ReadFile(f)
		line := string(text)
		if strings.Contains(line, "\x00"+mark+"\x00") {
			found = append(found, line)
		}
	}
	return found
}

// Covers: E5
// Covers: T-RES-03
func TestForkBombIsContained(t *testing.T) {
	g := shell()
	g.Resources.MaxPids = 16
	g.Subprocess.TimeoutMs = 1000
	j := open(t, g)
	mark := fmt.Sprintf("bomb%d", os.Getpid())
	_, err := j.run("", "/bin/sh", "-c", `bomb() { [ $1 -gt 0 ] && { bomb $(($1-1)) & bomb $(($1-1)) & sleep 9; }; }; bomb 10; wait`, mark)
	var failed *capability.Failure
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if left := processes(t, mark); len(left) != 0 {
		t.Errorf("%d survived", len(left))
	}
	if r := j.sh("echo alive"); string(r.Stdout) != "alive\n" {
		t.Errorf("afterwards: %+v", r)
	}
}

func TestTasksOfACommandAreLimited(t *testing.T) {
	for limit, want := range map[int64]int{5: 4, 20: 19} { // one is the shell
		g := shell()
		g.Resources.MaxPids = limit
		r := open(t, g).sh(`i=0; while [ $i -lt 40 ]; do sleep 10 & echo started; i=$((i+1)); done`)
		if got := strings.Count(string(r.Stdout), "started"); got != want {
			t.Errorf("maxPids %d: %d children, want %d (%s)", limit, got, want, r.Stderr)
		}
	}
}

func TestCommandsRunBesideEachOther(t *testing.T) {
	j := open(t, shell())
	var all sync.WaitGroup
	for i := range 3 * Parallel {
		all.Go(func() {
			ticket, _ := j.checker.Spawn("/bin/sh", []string{"-c", "cat; echo $0 >&2", fmt.Sprint(i)})
			r, err := j.commands.Run(t.Context(), ticket, []byte(strings.Repeat(fmt.Sprint(i), 1000)))
			if err != nil || string(r.Stdout) != strings.Repeat(fmt.Sprint(i), 1000) || string(r.Stderr) != fmt.Sprintln(i) {
				t.Errorf("%d: %v %.100q", i, err, r.Stdout)
			}
		})
	}
	all.Wait()
}

func TestWaitingForASlotEndsWithTheRun(t *testing.T) {
	j := open(t, shell())
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 2 * Parallel {
		all.Go(func() {
			ticket, _ := j.checker.Spawn("/bin/sh", []string{"-c", "sleep 100"})
			if _, err := j.commands.Run(ctx, ticket, nil); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	time.AfterFunc(100*time.Millisecond, cancel)
	all.Wait()
}

func TestZeroTicketAndEndedRunAreRefused(t *testing.T) {
	j := open(t, shell())
	_, err := j.commands.Run(t.Context(), grants.Spawn{}, nil)
	if !errors.Is(err, capability.ErrTicket) {
		t.Error(err)
	}
	j.commands.Close()
	if _, err := j.run("", "/bin/sh", "-c", "exit 0"); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}

func TestArgumentsBeyondTheKernelsLimitFail(t *testing.T) {
	j := open(t, granting("/bin/true"))
	_, err := j.run("", "/bin/true", strings.Repeat("x", 300<<10))
	wantFailure(t, err, "E2BIG")
}

// Covers: T-RPC-01
func TestTooManyArgumentsDoNotWaitForAPlace(t *testing.T) {
	j := open(t, shell())
	for range Parallel {
		j.commands.slots <- struct{}{}
	}
	defer func() {
		for range Parallel {
			<-j.commands.slots
		}
	}()
	_, err := j.run("", "/bin/sh", make([]string, launch.MaxMessageBytes+1)...)
	wantFailure(t, err, "E2BIG")
}
