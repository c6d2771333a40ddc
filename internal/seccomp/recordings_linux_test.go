package seccomp

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var recordings = flag.String("recordings", "", "directory in which strace leaves what runs call, so that rows which none needs are told")

// keptUnrecorded says, by call, why a realm's row stays that no recorded run needs.
var keptUnrecorded = map[string]string{
	"close":              "Go, for what it opened itself",
	"rt_sigaction":       "Go and the C library, before they end a process by a signal",
	"sched_getparam":     "V8's threads, which log when it fails; asked when one starts",
	"sched_getscheduler": "the same",
	"fstat":              "the C library, before it prints why it aborts",
	"lseek":              "the C library, before it prints why it aborts",
	"epoll_create1":      "Go's poller, which a timer of its own runtime may start at any time",
	"epoll_ctl":          "Go's poller",
	"eventfd2":           "Go's poller",
	"mremap":             "the C library's realloc, above 128 KiB",
	"exit":               "threads end when Go locks them and when V8 ends workers; a realm usually ends before",
	"restart_syscall":    "the kernel's own, when a process is stopped and continued, as a frozen control group is",
	"clock_gettime":      "where the kernel's clock is none that the vDSO can read: virtual machines, old processors",
	"clock_getres":       "the same",
	"gettimeofday":       "the same",
	"prctl":              "names of threads and of memory, which depend on versions and kernel options",
	"nanosleep":          "Go's usleep, under contention",
	"clock_nanosleep":    "the C library's",
	"sched_yield":        "locks, under contention",
	"tgkill":             "preemption of a goroutine that does not yield",
	"madvise":            "kinds that Go's memory manager chooses by age and amount of memory",
	"mmap":               "memory, as it comes",
	"pkey_mprotect":      "processors with protection keys",
	"writev":             "frames in several parts",
	"brk":                "small blocks of the C library, as they come",
}

// recorded has strace write what cmd and its children call to path. With -q it writes how each ends too, and may say on standard
// error what it is surprised by; with -qq neither.
func recorded(t *testing.T, cmd *exec.Cmd, quiet, path string) {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatal(err)
	}
	program := cmd.Path
	if program == "/proc/self/exe" { // there it would be strace
		if program, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Args = append([]string{"strace", "-f", quiet, "-e", "signal=none", "-e", "raw=all", "-o", path, program}, cmd.Args[1:]...)
	cmd.Path = strace
}

// With -recordings: which rows of a realm's tables no run needs, each of which must
// have its reason, and whether runs try in vain what no row allows.
func TestRowsAreThoseThatRunsNeed(t *testing.T) {
	if *recordings == "" {
		return // what a whole record takes is minutes
	}
	dir := t.TempDir()
	noJIT := filepath.Join(dir, "nojit.yaml")
	if err := os.WriteFile(noJIT, []byte("engine: {jit: false}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, source string
		flags        []string
	}{
		{"types", "types.ts", nil}, {"timers", "timers.js", nil}, {"memory", "gc.js", nil}, {"compiler", "jit.js", nil}, {"wasm", "wasm.js", nil},
		{"intl", "intl.js", []string{"--timeout=60s"}}, {"atomics", "atomics.js", nil}, {"loop", "loop.js", []string{"--timeout=300ms"}}, {"stack", "deep.js", nil},
		{"error", "throw.js", nil}, {"large", "big.js", nil}, {"sort", "sort.js", nil}, {"console", "console.js", nil}, {"oom", "oom.js", []string{"--memory=32M"}},
		{"files", "files.js", []string{"--read", dir, "--write", dir, "--exec=/bin/sh", "--env=MODE=x", `--args=["` + dir + `"]`}},
		{"jitless-compiler", "jit.js", []string{"--grants", noJIT}}, {"jitless-memory", "gc.js", []string{"--grants", noJIT}}, {"jitless-wasm", "wasm.js", []string{"--grants", noJIT}},
	} {
		path := filepath.Join(*recordings, "realm-"+c.name)
		var calls []Data
		var unknown []string
		var said []byte
		for range 20 { // whether Go starts a thread for esbuild is chance, about even
			calls, unknown, said = recordRun(t, path, append(c.flags, "testdata/runs/"+c.source))
			if c.name != "types" || slices.ContainsFunc(calls, startsThread) {
				break
			}
		}
		if len(calls) < 5 || len(unknown) > 0 { // what ends at once makes few
			t.Errorf("%s: %d calls, without a row: %v\n%.400s", c.name, len(calls), unknown, said)
		}
	}
	table := RealmTable(false)
	unneeded, all := unneededOf(t, table, "realm-")
	for _, data := range Unserved(table, all) {
		if RealmTable(true).Evaluate(data) == KillProcess {
			t.Errorf("refused: %+v", data)
		}
	}
	t.Logf("evidence: of %d rows of the realm's filter, %d recorded calls need all but %d, which stay for a reason:", len(table.Rows), len(all), len(unneeded))
	for _, row := range unneeded {
		reason := keptUnrecorded[row.Call]
		if _, refusal := row.Action.ErrnoOf(); refusal && reason == "" {
			reason = "it allows nothing: a refusal in place of an end, for versions and hosts that ask (" + row.User + ")"
		}
		if reason == "" {
			t.Errorf("no recorded run needs %s %x (%s)", row.Call, row.When, row.User)
		}
		t.Logf("evidence: %s `%s`: %s", row.Action, row.Call, reason)
	}
	unneeded, all = unneededOf(t, CommandTable(), "command-")
	if len(all) == 0 {
		return // only with TestOrdinaryProgramsRunUnderTheCommandFilter
	}
	t.Logf("evidence: of %d rows of the commands' filter, %d recorded calls of ordinary programs need all but %d. They stay because programs are not ours to choose; each allows what an unprivileged program may do in namespaces of its own:", len(CommandTable().Rows), len(all), len(unneeded))
	names := ""
	for _, row := range unneeded {
		if row.Action == Allow {
			names += " `" + row.Call + "`"
		}
	}
	t.Logf("evidence:%s", names)
}

// recordRun records a run anew, and returns the realm's calls, those without a row, and what was printed.
func recordRun(t *testing.T, path string, flags []string) (calls []Data, unknown []string, said []byte) {
	t.Helper()
	cmd := exec.Command("../../bin/supervisor", append([]string{"run", "--timeout=60s"}, flags...)...)
	recorded(t, cmd, "-q", path)
	cmd.WaitDelay = time.Minute
	said, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	calls, unknown = parsed(t, path)
	return calls, unknown, said
}

// startsThread: it is the last call that a thread of Go's begins with.
func startsThread(d Data) bool { return d.Number == unix.SYS_SIGALTSTACK }

func parsed(t *testing.T, path string) ([]Data, []string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	calls, unknown, err := ParseTrace(RealmTable(false), file)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return calls, unknown
}

// unneededOf lists the rows that no recording of that kind needs, and all calls.
func unneededOf(t *testing.T, table Table, kind string) (unneeded []Row, all []Data) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(*recordings, kind+"*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if kind == "realm-" {
			calls, _ := parsed(t, path)
			all = append(all, calls...)
			continue
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		calls, err := ParseCommandTrace(table, file)
		_ = file.Close()
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		all = append(all, calls...)
	}
	return Unneeded(table, all), all
}
