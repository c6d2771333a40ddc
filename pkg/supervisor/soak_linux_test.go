package supervisor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// soakSources are good and hostile ones, with how each must end.
var soakSources = []struct {
	source string
	code   supervisor.Code
}{
	{`const rows: {n: number}[] = Array.from({length: 500}, (_, n) => ({n})); rows.reduce((groups, r) => { (groups[r.n % 3] ??= []).push(r); return groups }, {} as Record<number, {n: number}[]>)`, ""},
	{`import { writeText, readText } from 'realm:capabilities'; export default async dir => { await writeText(dir + '/f', 'x'.repeat(1e4)); return (await readText(dir + '/f')).length }`, ""},
	{`await Promise.all(Array.from({length: 10}, (_, i) => tool({i})))`, ""},
	{`import { spawn } from 'realm:capabilities'; export default async () => (await spawn('/bin/sh', ['-c', '(sleep 100 &); echo x'])).stdout`, ""},
	{`console.log('x'.repeat(2000)); new Uint8Array(1 << 20)`, ""},
	{`for (let i = 0; i < 3000; i++) console.log('flood ' + i)`, ""},
	{`for (;;);`, supervisor.CodeTimeout},
	{`Promise.resolve().then(() => { for (;;); }); await 1`, supervisor.CodeTimeout},
	{`/(a+)+$/.test('a'.repeat(50) + 'b')`, supervisor.CodeTimeout},
	{`({ get x() { for (;;); } })`, supervisor.CodeTimeout},
	{`const a = []; for (;;) a.push(new Array(1e4).fill(a))`, supervisor.CodeOOM},
	{`const a = []; for (;;) a.push(new Uint8Array(1 << 24).fill(7))`, supervisor.CodeOOM},
	{`await new Promise(() => {})`, supervisor.CodeDeadlock},
	{`const f = () => f(); f()`, supervisor.CodeRuntime},
	{`throw { toString() { throw this }, get message() { throw 1 } }`, supervisor.CodeRuntime},
	{`let x: = 1`, supervisor.CodeValidation},
	{`'x'.repeat(1 << 24)`, supervisor.CodeValidation},
	{`Object.prototype.then = Array.prototype.map = null; import('realm:capabilities').then(m => m.readText('/etc/passwd'))`, supervisor.CodeDenied},
	{`import { readText } from 'realm:capabilities'; export default async () => { for (;;) try { await readText('/etc/passwd') } catch (e) { if (e.capability.startsWith('resource')) throw e } }`, supervisor.CodeDenied},
}

// soak is what a soak found; it is printed as JSON.
type soak struct {
	Runs         int                     `json:"runs"`
	Seconds      float64                 `json:"seconds"`
	PerSecond    float64                 `json:"runsPerSecond"`
	Concurrent   int                     `json:"concurrent"`
	Ended        map[supervisor.Code]int `json:"ended"` // "" is ok
	Aborted      int                     `json:"aborted"`
	Unread       int                     `json:"eventsUnread"`
	RSSBefore    float64                 `json:"rssMbBefore"` // of the supervisor, after the first tenth
	RSSAfter     float64                 `json:"rssMbAfter"`
	Spawner      [2]float64              `json:"spawnerRssMb"`
	Descriptors  [2]int                  `json:"descriptors"`
	Left         []string                `json:"left"`
	AuditRecords uint64                  `json:"auditRecords"`
	AuditIntact  bool                    `json:"auditIntact"`
}

// Good and hostile runs at full concurrency, some aborted at random moments, some whose events nobody reads: 150 of them, or
// $SOAK_RUNS, as `make soak` has it. Nothing grows and nothing is left.
func TestSoak(t *testing.T) {
	runs := 150
	if n, err := strconv.Atoi(os.Getenv("SOAK_RUNS")); err == nil {
		runs = n
	}
	before := look(t)
	dir := t.TempDir()
	log := t.TempDir() + "/audit.jsonl"
	sink, err := audit.OpenFile(log, audit.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	report := soak{Runs: runs, Concurrent: 2 * runtime.NumCPU(), Ended: map[supervisor.Code]int{}}
	s, err := supervisor.New(supervisor.Config{
		Audit: sink, WarmPoolSize: 2, Limits: supervisor.Limits{MemoryMb: 32, RealmMemoryMb: 160, MaxOperations: 20},
		Tools: map[string]supervisor.Tool{"tool": func(context.Context, json.RawMessage) (any, error) { return "answer", nil }},
	})
	if err != nil {
		t.Fatal(err)
	}
	g := grants.Grants{
		Filesystem: grants.Filesystem{Read: []string{dir}, Write: []string{dir}}, Tools: grants.Tools{Allowed: []string{"tool"}},
		Subprocess: grants.Subprocess{Commands: []string{"/bin/sh"}},
	}
	began := time.Now()
	next, mu := make(chan int), sync.Mutex{}
	var group sync.WaitGroup
	for range report.Concurrent {
		group.Go(func() {
			for i := range next {
				end, aborted, unread := soakOne(t, s, g, dir, i)
				mu.Lock()
				report.Ended[end]++
				report.Aborted += aborted
				report.Unread += unread
				mu.Unlock()
			}
		})
	}
	progress := term.IsTerminal(int(os.Stderr.Fd()))
	for i := range runs {
		if i == max(runs/10, 60) {
			report.RSSBefore, report.Spawner[0], report.Descriptors[0] = residentMb(t, os.Getpid()), spawnerMb(t), openFiles(t)
		}
		if progress && i%50 == 0 {
			fmt.Fprintf(os.Stderr, "\r%d of %d, %.0f s, %.0f MB ", i, runs, time.Since(began).Seconds(), residentMb(t, os.Getpid()))
		}
		next <- i
	}
	close(next)
	group.Wait()
	if progress {
		fmt.Fprintln(os.Stderr)
	}
	report.Seconds = time.Since(began).Seconds()
	report.PerSecond = float64(runs) / report.Seconds
	eventually(t, "the pool is full again", func() bool { return s.Waiting() == 2 && s.Live() == 0 })
	report.RSSAfter, report.Spawner[1], report.Descriptors[1] = residentMb(t, os.Getpid()), spawnerMb(t), openFiles(t)
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := sink.Close(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := audit.Verify(bytes.NewReader(text))
	report.AuditRecords, report.AuditIntact = sum.Records, err == nil
	gone(t, func() []string {
		runtime.GC() // the binary stays open for its digest as long as a receipt can ask for it
		report.Left = before.gained(look(t))
		return report.Left
	})
	if err != nil || sum.Records < 2*uint64(runs) {
		t.Errorf("%d records, %v", sum.Records, err)
	}
	if got := names(t, dir); len(got) > 1 {
		t.Errorf("write root holds %v", got)
	}
	if report.RSSAfter > report.RSSBefore+16 || report.Spawner[1] > report.Spawner[0]+4 || report.Descriptors[1] > report.Descriptors[0]+8 {
		t.Error("what the supervisor holds has grown")
	}
	out, _ := json.Marshal(report)
	fmt.Println(string(out))
}

// soakOne makes run i and answers how it ended.
func soakOne(t *testing.T, s *supervisor.Supervisor, g grants.Grants, dir string, i int) (end supervisor.Code, aborted, unread int) {
	c := soakSources[i%len(soakSources)]
	r := supervisor.Request{Source: c.source, Grants: g, Args: []any{dir}}
	if c.code == supervisor.CodeTimeout {
		r.Limits.WallClockMs = 60
	}
	x, err := s.Submit(context.Background(), r)
	if err != nil {
		t.Errorf("run %d: %v", i, err)
		return supervisor.AsError(err).Code, 0, 0
	}
	if i%7 == 3 {
		aborted = 1
		time.AfterFunc(rand.N(60*time.Millisecond), x.Abort) // anywhere in the run
	}
	if i%2 == 0 {
		unread = 1
	} else {
		for range x.Events() {
		}
	}
	res, err := x.Wait()
	if err != nil {
		end = supervisor.AsError(err).Code
	}
	if end != c.code && (end != supervisor.CodeAborted || aborted == 0) || res == nil {
		t.Errorf("run %d, %.60s: %q: %v", i, c.source, end, err)
	}
	if res != nil && len(res.Audit) == 0 && aborted == 1 && res.Receipt == nil {
		return end, aborted, unread // while it waited for its place: it has not begun
	}
	if res != nil && (len(res.Audit) < 2 || res.Audit[0].Op != 0 || res.Audit[len(res.Audit)-1].Op != 0) {
		t.Errorf("run %d: records %+v", i, res.Audit)
	}
	return end, aborted, unread
}

// residentMb is what a process has in memory.
func residentMb(t *testing.T, pid int) float64 {
	if pid == os.Getpid() {
		debug.FreeOSMemory()
	}
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := strconv.Atoi(strings.Fields(string(b))[1])
	return float64(pages*unix.Getpagesize()) / (1 << 20)
}

func spawnerMb(t *testing.T) (mb float64) {
	for _, p := range called(descendants(t, os.Getpid()), "realm-spawner") {
		mb += residentMb(t, p.pid)
	}
	return mb
}

func openFiles(t *testing.T) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
