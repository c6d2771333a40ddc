//go:build linux

package realm

import (
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/rpc"
)

// failure ends the run of a child and answers how it failed.
func (c *child) failure() *rpc.Failure {
	c.t.Helper()
	f, ok := c.end(nil).(*rpc.Failure)
	if !ok {
		c.t.Fatal("the run succeeded")
	}
	return f
}

func TestTheDeadlineIsAnsweredWithAStack(t *testing.T) {
	c := start(t, "--heap-mb=256")
	c.ready()
	c.execute("console.log('before');\n(function spin() { for (;;); })()")
	c.awaitFrame(rpc.OpConsole)
	c.control.WriteString("T")
	if f := c.failure(); f.Code != "TIMEOUT" || f.Line != 2 || !strings.Contains(f.Stack, "at spin (main.ts:2:") {
		t.Errorf("%+v", f)
	}
	if s := c.exit(); s != exitDone {
		t.Errorf("exit status %d", s)
	}
}

func TestAnAbortIsAnsweredWhileWaiting(t *testing.T) {
	c := start(t, "--heap-mb=256")
	c.ready()
	c.execute("import { environment } from 'realm:capabilities';\nexport default () => environment('X')")
	c.awaitFrame(rpc.OpEnvironment)
	c.control.WriteString("A")
	if f := c.failure(); f.Code != "ABORTED" || len(f.Pending) != 1 {
		t.Errorf("%+v", f)
	}
}

func TestARealmEndsWhenTheSupervisorIsGone(t *testing.T) {
	for name, leave := range map[string]func(*child){
		"before it has a source, frames":  func(c *child) { c.stdin.Close() },
		"before it has a source, control": func(c *child) { c.control.Close() },
		"while it waits, frames": func(c *child) {
			c.execute("import { environment } from 'realm:capabilities';\nexport default () => environment('X')")
			c.awaitFrame(rpc.OpEnvironment)
			c.stdin.Close()
		},
	} {
		c := start(t, "--heap-mb=256")
		c.ready()
		leave(c)
		if s := c.exit(); s != exitGone {
			t.Errorf("%s: exit status %d: %s", name, s, c.stderr)
		}
	}
	c := start(t, "--heap-mb=256")
	c.ready()
	c.execute("console.log(1); for (;;);")
	c.awaitFrame(rpc.OpConsole)
	c.control.Close()
	if f := c.failure(); f.Code != "ABORTED" {
		t.Errorf("%+v", f)
	}
}

func TestAWaitingRealmIsAsGoodAsANewOne(t *testing.T) {
	c := start(t, "--heap-mb=256")
	c.ready()
	time.Sleep(3 * idleBeforeWarming * time.Millisecond) // not for synchronisation: the realm warms up meanwhile
	c.execute("const n: number = Object.keys(globalThis).length; n")
	m, ok := c.end(nil).(*rpc.Result)
	if !ok || integer(t, m.Value) != 0 {
		t.Errorf("%+v", m)
	}
}

func TestMemoryIsToldAsMemory(t *testing.T) {
	c := start(t, "--heap-mb=32")
	c.ready()
	c.memoryMb = 32
	c.execute("const a = [];\nfor (;;) a.push(new Array(1000).fill(a.length))")
	if f := c.failure(); f.Code != "OOM" || f.Line != 2 {
		t.Errorf("%+v", f)
	}
	// One allocation that the engine cannot come back from.
	c = start(t, "--heap-mb=32")
	c.ready()
	c.memoryMb = 32
	c.execute("console.log(1); [...'.'.repeat(5e8)]")
	c.awaitFrame(rpc.OpConsole)
	if f, err := c.next(); err == nil {
		t.Errorf("%v", f.Op)
	}
	if s := c.exit(); s != 86 {
		t.Errorf("exit status %d: %s", s, c.stderr)
	}
}

func TestTheHeapOfAWaitingRealmCanBeResized(t *testing.T) {
	const fill = "const a = []; for (let i = 0; i < 100; i++) a.push(new Array(65536).fill(i)); a.length" // 25 MB
	for _, c := range []struct {
		heap string
		run  int64
		fits bool
	}{{"16", 128, true}, {"128", 16, false}} {
		realm := start(t, "--heap-mb="+c.heap)
		realm.ready()
		realm.memoryMb = c.run
		realm.execute(fill)
		m := realm.end(nil)
		if f, failed := m.(*rpc.Failure); failed == c.fits || failed && f.Code != "OOM" {
			t.Errorf("%s to %d MB: %+v", c.heap, c.run, m)
		}
	}
}

func TestTheHardenedTierGeneratesNoCode(t *testing.T) {
	c := start(t, "--heap-mb=256", "--jitless")
	c.ready()
	c.execute(`let n = 0;
for (let i = 0; i < 1e6; i++) n += /a(b+)c/.test('xabbbc') ? 1 : 0;
if (typeof WebAssembly !== 'undefined') throw new Error('WebAssembly');
n`)
	m, ok := c.end(nil).(*rpc.Result)
	if !ok || integer(t, m.Value) != 1e6 {
		t.Errorf("%+v", m)
	}
}

func TestTimeZoneAndLocaleAreTheRuns(t *testing.T) {
	for _, zone := range []string{"UTC", "America/New_York", "Asia/Calcutta"} {
		c := start(t, "--heap-mb=256")
		c.ready()
		c.timeZone = zone
		c.execute("const d = new Date(0); if (Intl.DateTimeFormat().resolvedOptions().timeZone !== '" + zone + "') throw new Error(Intl.DateTimeFormat().resolvedOptions().timeZone); -d.getTimezoneOffset() + 1000")
		m := c.end(nil)
		want := map[string]int64{"UTC": 1000, "America/New_York": 700, "Asia/Calcutta": 1330}[zone]
		if r, ok := m.(*rpc.Result); !ok || integer(t, r.Value) != want {
			t.Errorf("%s: %+v", zone, m)
		}
	}
	for _, locale := range []string{"en-US", "de-DE"} {
		c := startIn(t, []string{"LC_ALL=" + strings.ReplaceAll(locale, "-", "_") + ".UTF-8", "TZ=UTC"}, "--heap-mb=256", "--locale="+locale)
		c.ready()
		c.execute("(1234.5).toLocaleString() === '" + map[string]string{"en-US": "1,234.5", "de-DE": "1.234,5"}[locale] + "' ? 1 : 0")
		if r, ok := c.end(nil).(*rpc.Result); !ok || integer(t, r.Value) != 1 {
			t.Errorf("%s: %+v", locale, r)
		}
	}
}

func TestStartsThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name, arg, says string
	}{
		{"an unknown argument", "--colour", "unknown"},
		{"another build", "--build=other", "build other"},
		{"another protocol", "--protocol=99", "protocol 99"},
		{"no number", "--heap-mb=x", "--heap-mb=x"},
	} {
		r := start(t, "--heap-mb=64", c.arg)
		if _, err := r.next(); err == nil {
			t.Errorf("%s: it is ready", c.name)
		}
		if s := r.exit(); s != exitUsage || !strings.Contains(r.stderr.String(), c.says) {
			t.Errorf("%s: exit status %d: %s", c.name, s, r.stderr)
		}
	}
	r := start(t, "--heap-mb=64")
	r.ready()
	if err := r.w.Send(1, &rpc.Reply{OK: true, Value: []byte{0xc0}}); err != nil {
		t.Fatal(err)
	}
	if s := r.exit(); s != exitProtocol {
		t.Errorf("a reply before the source: exit status %d: %s", s, r.stderr)
	}
}

func TestLargeValuesCross(t *testing.T) {
	c := start(t, "--heap-mb=256")
	c.ready()
	c.maxResult = 128 << 20
	c.execute("import { readBytes } from 'realm:capabilities';\nexport default async () => { const b = await readBytes('/x'); if (b.length !== 3 << 20 || b[b.length - 1] !== 7) throw new Error('no'); return new Uint8Array(64 << 20).fill(5) }")
	answer := append([]byte{0xc6, 0, 0x30, 0, 0}, make([]byte, 3<<20)...)
	answer[len(answer)-1] = 7
	start := time.Now()
	m := c.end(func(f rpc.Frame) { _ = c.w.Send(f.ID, &rpc.Reply{OK: true, Value: answer}) })
	r, ok := m.(*rpc.Result)
	if !ok || len(r.Value) != 5+64<<20 || r.Value[100] != 5 {
		t.Fatalf("%+v", m)
	}
	t.Logf("64 MiB in %v", time.Since(start))
}

// awaitFrame reads until a frame of that op.
func (c *child) awaitFrame(op rpc.Op) {
	c.t.Helper()
	for {
		f, err := c.next()
		if err != nil {
			c.t.Fatalf("%v: %d %s", err, c.exit(), c.stderr)
		}
		if f.Op == op {
			return
		}
	}
}
