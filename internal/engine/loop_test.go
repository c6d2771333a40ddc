package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

func TestWaitingForNothingIsADeadlock(t *testing.T) {
	for _, source := range []string{
		"await new Promise(() => {})",
		"export default () => new Promise(() => {})",
		"await new Promise(() => {}); setTimeout(() => {}, 1)",
		"setTimeout(() => {}, 5); await new Promise(() => {})",
		"await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value",
	} {
		if f := runSource(t, source, nil).failure; f == nil || f.Code != "DEADLOCK" {
			t.Errorf("%s: %+v", source, f)
		}
	}
}

func TestTheEnginesOwnTasksAreWaitedFor(t *testing.T) {
	for source, want := range map[string]string{
		"(await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))) instanceof WebAssembly.Module":                                                 "true",
		"(await WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))).instance !== undefined":                                                    "true",
		"await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, '10').value":                                                                      `"timed-out"`,
		"await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10).value":                                                                        `"timed-out"`,
		"const a = new Int32Array(new SharedArrayBuffer(4)); const w = Atomics.waitAsync(a, 0, 0, 5000); setTimeout(() => Atomics.notify(a, 0), 1); await w.value": `"ok"`,
	} {
		if o := runSource(t, source, nil); o.value != want {
			t.Errorf("%s: %s %+v", source, o.value, o.failure)
		}
	}
}

func TestBlockingWaitsAreRefused(t *testing.T) {
	f := runSource(t, "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", nil).failure
	if f == nil || f.Name != "TypeError" {
		t.Fatalf("%+v", f)
	}
}

func TestTasksRunInOrder(t *testing.T) {
	o := runSource(t, `
const seen = [];
setTimeout(() => seen.push('timer 2'), 2);
setTimeout(() => { seen.push('timer 0'); Promise.resolve().then(() => seen.push('microtask of timer 0')) }, 0);
setTimeout(() => seen.push('timer 0 again'));
queueMicrotask(() => seen.push('microtask'));
Promise.resolve().then(() => seen.push('promise'));
seen.push('now');
await new Promise((resolve) => setTimeout(resolve, 20));
seen.join(', ')`, nil)
	if want := `"now, microtask, promise, timer 0, microtask of timer 0, timer 0 again, timer 2"`; o.value != want {
		t.Errorf("got %s\nwant %s", o.value, want)
	}
}

func TestTimersAreDroppedAtTheEndAndCallsAreNot(t *testing.T) {
	start := time.Now()
	if o := runSource(t, "setTimeout(() => { throw 1 }, 60000); setInterval(() => {}, 60000); 'done'", nil); o.value != `"done"` {
		t.Errorf("%+v", o.failure)
	}
	if time.Since(start) > 20*time.Second {
		t.Error("timers were waited for")
	}
	o := runSource(t, "import { environment } from 'realm:capabilities';\nlet n = 0;\nenvironment('A').then(async () => { console.log('first'); await environment('B'); console.log('second') });\nexport default 'done'", answering(text("v")))
	if o.value != `"done"` || !slices.Equal(o.logs, []string{"log: first", "log: second"}) {
		t.Errorf("%s %q %+v", o.value, o.logs, o.failure)
	}
}

func TestTimersThatAreAlwaysDueKeepNoAnswerOut(t *testing.T) {
	for _, wait := range []string{"setInterval(() => {}, 0)", "(function again() { if (!done) setTimeout(again) })()"} {
		o := runSource(t, "import { environment } from 'realm:capabilities';\nlet done = false;\nconst id = "+wait+
			";\nexport default async () => { const v = await environment('A'); done = true; clearInterval(id); return v }", answering(text("v")))
		if o.value != `"v"` {
			t.Errorf("%s: %+v", wait, o.failure)
		}
	}
}

// The default export takes on what the module has under way.
func TestAModuleGoesOnInItsDefaultExport(t *testing.T) {
	const call = "import { environment } from 'realm:capabilities';\n"
	f := runSource(t, call+"const a = environment('A');\nexport default async () => [await environment('B'), await a]", func(_ *rpc.Execute, p *supervisor, r *v8.Realm) {
		p.unanswered = func() {
			if len(p.calls) == 2 {
				r.Stop(v8.Deadline)
			}
		}
	}).failure
	if f == nil || !slices.Equal(f.Pending, []string{"environment A", "environment B"}) {
		t.Errorf("%+v", f)
	}
	o := runSource(t, call+"environment('A').then(() => console.log('answered'));\nexport default () => { throw new Error('x') }", answering(text("v")))
	if o.failure == nil || o.failure.Message != "x" || o.failure.Line != 3 || o.failure.Hint != "" || !slices.Equal(o.logs, []string{"log: answered"}) {
		t.Errorf("%q %+v", o.logs, o.failure)
	}
	// The compiler's own failures, met on the way, do not cost what was thrown its place.
	o = runSource(t, call+"environment('A').then(() => import('types'));\nexport default () => { throw 'x' }", granting(file("types", "", "types.ts", "export const x: number = 1;\nenum E { A }")))
	if o.failure == nil || o.failure.Message != "x" || o.failure.Line != 3 {
		t.Errorf("%+v", o.failure)
	}
}

func TestStopsAreTold(t *testing.T) {
	forever := func(s v8.Stop) func(*rpc.Execute, *supervisor, *v8.Realm) {
		return func(_ *rpc.Execute, p *supervisor, r *v8.Realm) { p.unanswered = func() { r.Stop(s) } }
	}
	const call = "import { environment } from 'realm:capabilities';\n"
	for _, c := range []struct {
		name, source string
		stop         v8.Stop
		code         string
		line         int64
		stack        string
		pending      []string
	}{
		{"a loop", call + "environment('X');\n(function spin() { for (;;); })()", v8.Deadline, "TIMEOUT", 3, "at spin (main.ts:3:", []string{"environment X"}},
		{"a loop that was compiled with another inside", call + "const a = [];\nfor (let n = 0; ; n++) { a.push(new Array(1000).fill(n)); if (a.length > 500) a.length = 0; if (n === 100000) environment('X') }", v8.Deadline, "TIMEOUT", 3, "main.ts:3:", []string{"environment X"}},
		{"a loop in a microtask", call + "environment('X');\nexport default Promise.resolve().then(() => { for (;;); })", v8.Deadline, "TIMEOUT", 3, "main.ts:3:", []string{"environment X"}},
		{"a regular expression", call + "environment('X');\n/(a+)+$/.test('a'.repeat(40) + 'b')", v8.Deadline, "TIMEOUT", 3, "main.ts:3:", []string{"environment X"}},
		{"a getter of the result", call + "environment('X');\nexport default {\n  get x() { for (;;); }\n}", v8.Deadline, "TIMEOUT", 0, "", nil},
		{"a getter of an error whose stack is read", call + "const e = new Error();\nObject.defineProperty(e, 'message', { get() { environment('X'); for (;;); } });\ntry { e.stack } catch {}\nfor (;;);", v8.Deadline, "TIMEOUT", 3, "main.ts:3:", []string{"environment X"}},
		{"a call that is never answered", call + "export default () => environment('X')", v8.Deadline, "TIMEOUT", 0, "", []string{"environment X"}},
		{"an abort while waiting", call + "export default () => environment('X')", v8.Abort, "ABORTED", 0, "", []string{"environment X"}},
		{"an abort of a loop", call + "environment('X');\nfor (;;);", v8.Abort, "ABORTED", 3, "main.ts:3:", []string{"environment X"}},
	} {
		f := runSource(t, c.source, forever(c.stop)).failure
		if f == nil || f.Code != c.code || f.Line != c.line || !strings.Contains(f.Stack, c.stack) {
			t.Errorf("%s: %+v", c.name, f)
			continue
		}
		if c.pending != nil && !slices.Equal(f.Pending, c.pending) {
			t.Errorf("%s: pending %q", c.name, f.Pending)
		}
	}
}

func TestAbortRejectsWhatWaits(t *testing.T) {
	o := runSource(t, `
import { environment } from 'realm:capabilities';
export default async () => {
  try { await environment('X') } catch (e) { console.log(e.name, e instanceof Error) }
}`, func(_ *rpc.Execute, p *supervisor, r *v8.Realm) { p.unanswered = func() { r.Stop(v8.Abort) } })
	if o.failure == nil || o.failure.Code != "ABORTED" || !slices.Equal(o.logs, []string{"log: SandboxAbortedError true"}) {
		t.Errorf("%+v %q", o.failure, o.logs)
	}
}
