package supervisor_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// Case L1
// Covers: T-RES-01
func TestAHugeArrayIsOOMAndTheNextRunIsUnharmed(t *testing.T) {
	t.Parallel()
	_, err := fails(t, supervisor.ErrOOM, `[...'.'.repeat(5e8)]`, limited(supervisor.Limits{MemoryMb: 64}))
	if !strings.Contains(err.Hint, "memoryMb") {
		t.Errorf("nothing says which limits there are: %q", err.Hint)
	}
	yields(t, `2`, `1 + 1`)
}

// Case L2
// Covers: T-RES-01
func TestOffHeapMemoryIsOOMToo(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`const a=[]; for(;;) a.push(new Uint8Array(1<<24).fill(7))`,
		`const a=[]; for(;;) a.push(new Uint8Array(1<<24).fill(7).buffer.slice(0))`,
	} {
		res, _ := fails(t, supervisor.ErrOOM, "console.log('before');"+source, limited(supervisor.Limits{MemoryMb: 64}))
		if len(res.Logs) != 1 {
			t.Errorf("%s: logs %v", source, res.Logs)
		}
	}
}

func TestACompilerThatNeedsTooMuchIsOOM(t *testing.T) {
	t.Parallel()
	source := "let x: number = " + strings.Repeat("(", 200_000) + "1" + strings.Repeat(")", 200_000)
	_, err := run(t, source, limited(supervisor.Limits{MemoryMb: 16, RealmMemoryMb: 64, WallClockMs: 10_000}))
	if !errors.Is(err, supervisor.ErrOOM) && !errors.Is(err, supervisor.ErrValidation) {
		t.Errorf("error %v", err)
	}
	yields(t, `1`, `1`)
}

// Case L3
// Covers: T-RES-02
func TestLoopsEndAtTheDeadline(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`for (;;);`,
		`Promise.resolve().then(() => { for (;;); })`,
		`const f = () => queueMicrotask(f); f()`,
		`/(a+)+$/.test('a'.repeat(50) + 'b')`,
		`const f = () => setTimeout(f); f(); await new Promise(() => {})`,
		`for (;;) { try { (() => { for (;;); })() } catch {} finally { continue } }`,
	} {
		began := time.Now()
		_, e := fails(t, supervisor.ErrTimeout, source, limited(supervisor.Limits{WallClockMs: 300}))
		contains(t, e.Message, "300 ms")
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s: took %s", source, took)
		}
	}
}

func TestATimeoutTellsWhereTheLoopWas(t *testing.T) {
	t.Parallel()
	_, e := interrupted(t, "function spin(): never {\n  for (;;);\n}\nspin()", limited(supervisor.Limits{WallClockMs: 300}))
	contains(t, e.Stack, "spin")
	if e.Line != 2 {
		t.Errorf("line %d", e.Line)
	}
}

// Covers: T-RES-02
func TestTheCPULimitCountsWorkAndNotWaiting(t *testing.T) {
	t.Parallel()
	_, e := fails(t, supervisor.ErrTimeout, `for (;;);`, limited(supervisor.Limits{CPUMs: 200, WallClockMs: 20_000}))
	contains(t, e.Message, "CPU limit of 200 ms")
	yields(t, `1`, `new Promise(f => setTimeout(f, 500, 1))`, limited(supervisor.Limits{CPUMs: 400}))
}

// Case L4
func TestAPromiseThatNothingSettlesIsADeadlockAtOnce(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		`await new Promise(() => {})`,
		`export default () => new Promise(() => {})`,
		`return await new Promise(() => {})`,
	} {
		began := time.Now()
		fails(t, supervisor.ErrDeadlock, source)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: took %s", source, took)
		}
	}
}

// Case L5
func TestAToolThatNeverAnswersIsATimeoutAndIsCancelled(t *testing.T) {
	t.Parallel()
	cancelled := make(chan struct{})
	never := func(ctx context.Context, _ json.RawMessage) (any, error) {
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	}
	_, e := fails(t, supervisor.ErrTimeout, `await never({})`, func(r *supervisor.Request) {
		r.Tools = map[string]supervisor.Tool{"never": never}
		r.Grants = grants.Grants{Tools: grants.Tools{Allowed: []string{"never"}}}
		r.Limits.WallClockMs = 300
	})
	if !slices.ContainsFunc(e.Pending, func(p string) bool { return strings.Contains(p, "never") }) {
		t.Errorf("pending %v", e.Pending)
	}
	select {
	case <-cancelled:
	case <-time.After(patience):
		t.Error("the tool was not cancelled")
	}
}

// A tool that ignores its context may finish when it likes, but it may not hold the run.
//
// Case L5
func TestAToolThatIgnoresItsContextDoesNotHoldTheRun(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	stubborn := func(context.Context, json.RawMessage) (any, error) { <-release; return nil, nil }
	began := time.Now()
	fails(t, supervisor.ErrTimeout, `await stubborn({})`, func(r *supervisor.Request) {
		r.Tools = map[string]supervisor.Tool{"stubborn": stubborn}
		r.Grants = grants.Grants{Tools: grants.Tools{Allowed: []string{"stubborn"}}}
		r.Limits.WallClockMs = 300
	})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
}

// Case L6
// Covers: T-RES-02
func TestWhatTheEngineCannotInterruptIsKilled(t *testing.T) {
	t.Parallel()
	_, e := fails(t, supervisor.ErrTimeout, `const a = new Float64Array(3e7).map((_, i) => -i); for (;;) a.sort()`,
		limited(supervisor.Limits{WallClockMs: 1000, RealmMemoryMb: 1024}))
	contains(t, e.Message, "1000 ms")
	fails(t, supervisor.ErrTimeout, `Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)`, limited(supervisor.Limits{WallClockMs: 300}))
}

// Case L8
//
// Covers: T-RES-04
func TestOnlyMemoryHogsDie(t *testing.T) {
	const each = 10
	hogs := []string{`const a=[]; for(;;) a.push(new Uint8Array(1<<24).fill(7))`, `const a=[]; for(;;) a.push(new Array(1e6).fill(a.length))`}
	good := `let n = 0; for (let i = 0; i < 1e5; i++) n += i; await new Promise(f => setTimeout(f, 50)); n`
	s := supervise(t, supervisor.Config{MaxConcurrent: 2 * each})
	start := func(source string) *supervisor.Session {
		session, err := s.Submit(t.Context(), supervisor.Request{Source: source, Limits: supervisor.Limits{MemoryMb: 64, RealmMemoryMb: 128}})
		if err != nil {
			t.Fatal(err)
		}
		return session
	}
	var bad, well []*supervisor.Session
	for i := range each {
		bad, well = append(bad, start(hogs[i%len(hogs)])), append(well, start(good))
	}
	for i := range each {
		_, err := bad[i].Wait()
		failed(t, supervisor.ErrOOM, err)
		if res, err := well[i].Wait(); err != nil || res.Value != 4999950000.0 {
			t.Errorf("%v, %v", res.Value, err)
		}
	}
}

// Case L9
func TestWhatWasPrintedComesWithTheError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code   error
		source string
	}{
		{supervisor.ErrTimeout, `for (;;);`},
		{supervisor.ErrTimeout, `Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)`},
		{supervisor.ErrOOM, `const a=[]; for(;;) a.push(new Array(1e6).fill(1))`},
		{supervisor.ErrDeadlock, `await new Promise(() => {})`},
		{supervisor.ErrRuntime, `throw 1`},
		{supervisor.ErrValidation, `globalThis.f = () => {}; f`},
		{supervisor.ErrDenied, `const { secret } = await import('realm:capabilities'); await secret('X')`},
	} {
		wall := int64(10_000)
		if c.code == supervisor.ErrTimeout {
			wall = 500
		}
		res, _ := fails(t, c.code, "console.log('one', 1); console.error({two: 2});\n"+c.source, limited(supervisor.Limits{WallClockMs: wall, MemoryMb: 64}))
		if len(res.Logs) != 2 || res.Logs[0].Message != "one 1" || res.Logs[1].Level != "error" || res.Logs[1].Message != "{ two: 2 }" {
			t.Errorf("%v: logs %v", c.code, res.Logs)
		}
		if s := res.Stats; s.WallMs < 1 || s.CPUMs < 1 || s.PeakMemoryMb < 1 {
			t.Errorf("%v: stats %+v", c.code, s)
		}
		if res.Receipt == nil || len(res.Audit) < 2 {
			t.Errorf("%v: receipt %v, audit %v", c.code, res.Receipt, res.Audit)
		}
	}
}

func TestConsoleIsBounded(t *testing.T) {
	t.Parallel()
	res := succeed(t, `for (let i = 0; i < 5000; i++) console.log(i)`)
	if len(res.Logs) != grants.MaxConsoleCalls || !res.LogsTruncated {
		t.Errorf("%d logs, truncated %v", len(res.Logs), res.LogsTruncated)
	}
	res = succeed(t, `console.log('x'.repeat(1e6)); console.log('short')`)
	total := 0
	for _, l := range res.Logs {
		total += len(l.Message)
	}
	if total > 256<<10 || !res.LogsTruncated {
		t.Errorf("%d bytes of logs, truncated %v", total, res.LogsTruncated)
	}
}

func TestExhaustedOperationsAreDenied(t *testing.T) {
	t.Parallel()
	source := `import { environment } from 'realm:capabilities'; for (let i = 0; i < 3; i++) await environment('A'); 1`
	change := func(n int64) change {
		return func(r *supervisor.Request) {
			r.Grants = grants.Grants{Environment: map[string]string{"A": "1"}}
			r.Limits.MaxOperations = n
		}
	}
	succeed(t, source, change(3))
	_, e := fails(t, supervisor.ErrDenied, source, change(2))
	if e.Capability != "resource.operations" {
		t.Errorf("capability %q", e.Capability)
	}
	yields(t, `["SandboxDeniedError","resource.operations"]`, `
		import { environment } from 'realm:capabilities';
		export default async () => { for (;;) try { await environment('A') } catch (e) { return [e.name, e.capability] } }`, change(2))
}

func TestResultsAboveTheirLimitAreRefused(t *testing.T) {
	t.Parallel()
	succeed(t, `'x'.repeat(1000)`, limited(supervisor.Limits{MaxResultBytes: 1100}))
	_, e := fails(t, supervisor.ErrValidation, `'x'.repeat(1200)`, limited(supervisor.Limits{MaxResultBytes: 1100}))
	contains(t, e.Message, "1100 bytes")
}

func TestALimitThatNoRealmCanStartWithinIsNamed(t *testing.T) {
	t.Parallel()
	for limit, l := range map[string]supervisor.Limits{"maxPids": {MaxPids: 1}, "realmMemoryMb": {MemoryMb: 1, RealmMemoryMb: 1}} {
		_, err := run(t, `1`, limited(l))
		if e := failed(t, supervisor.ErrInvalid, err); !strings.Contains(e.Message, limit) || !strings.Contains(e.Hint, limit) {
			t.Errorf("%s: %s, %s", limit, e.Message, e.Hint)
		}
	}
}
