package supervisor_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

// Case T1
func TestPollutedPrototypesReachNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/a", "text")
	yields(t, `["text","v",{"b":1}]`, `
		Object.prototype.x = 'polluted'; Object.prototype.path = '/etc/passwd'; Object.prototype.ok = false;
		Array.prototype.push = () => { throw 1 }; Promise.prototype.then2 = Promise.prototype.then;
		String.prototype.toString = () => '/etc/passwd'; Map.prototype.get = () => 'no'; JSON.stringify = () => '{"evil":1}'; Object.entries = () => [];
		Function.prototype.call = Function.prototype.apply = () => { throw 2 };
		const { readText, environment } = await import('realm:capabilities');
		const r = [await readText(`+quoted(dir+"/a")+`), await environment('K'), {b: 1}];
		delete Object.prototype.x; delete Object.prototype.path; delete Object.prototype.ok; r`,
		granted(grants.Grants{Environment: map[string]string{"K": "v"}, Filesystem: grants.Filesystem{Read: []string{dir}}}))

	var got json.RawMessage
	echo := func(_ context.Context, params json.RawMessage) (any, error) { got = params; return params, nil }
	res := succeed(t, `return await echo(JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": 1}}'))`, func(r *supervisor.Request) {
		r.Tools = map[string]supervisor.Tool{"echo": echo}
		r.Grants = allowed("echo")
	})
	if string(got) != `{"__proto__":{"admin":true},"constructor":{"prototype":1}}` {
		t.Errorf("the tool got %s", got)
	}
	if o := res.Value.(*value.Object); !slices.Equal(o.Keys(), []string{"__proto__", "constructor"}) {
		t.Errorf("value %v", o.Keys())
	}
}

// Case T2
func TestEveryRealmIsPristine(t *testing.T) {
	t.Parallel()
	s := supervise(t, supervisor.Config{MaxConcurrent: 2, WarmPoolSize: 2})
	for range 4 {
		res, err := runIn(t, s, `
			const before = [typeof globalThis.left, typeof Array.prototype.left, Object.keys(globalThis).includes('left'), Date.prototype.getTime === globalThis.stolen];
			globalThis.left = 1; Array.prototype.left = 2; Date.now = () => 0; before`)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := res.ValueJSON(); string(text) != `["undefined","undefined",false,false]` {
			t.Errorf("found %s", text)
		}
	}
}

// Malformed frames are internal/broker's tests and those of hostile_linux_test.go;
// forbidden system calls from within the realm are internal/probe's. Descriptors that
// are open when a realm is made are internal/launch's, and who tries to rewrite its
// binary is internal/capability/subprocess's: a realm has no /proc.
//
// Cases T4, T6, and the layers
func TestTheReceiptIsReadFromTheKernel(t *testing.T) {
	t.Parallel()
	before, err := os.ReadFile(realmPath)
	if err != nil {
		t.Fatal(err)
	}
	res := succeed(t, `1`)
	r := res.Receipt
	for _, name := range []string{"userns", "pidns", "mountns", "netns", "ipcns", "utsns", "cgroupns", "rootfs", "capabilities", "no_new_privs", "seccomp", "descriptors", "rlimits", "cgroup.memory", "cgroup.pids", "cgroup.cpu"} {
		if r.Layers[name].State != "enforced" {
			t.Errorf("layer %s is %+v", name, r.Layers[name])
		}
	}
	if len(r.Weakenings) != 0 || r.UID == 0 || r.AuditHead == "" || len(r.SourceSHA256) != 64 || len(r.GrantsSHA256) != 64 || len(r.SeccompSHA256) != 64 {
		t.Errorf("receipt %+v", r)
	}
	for fd, kind := range map[string]string{"0": "null", "1": "null", "2": "pipe", "3": "pipe", "4": "pipe", "5": "pipe"} {
		if r.Descriptors[fd] != kind {
			t.Errorf("descriptor %s is %q", fd, r.Descriptors[fd])
		}
	}
	for fd, kind := range r.Descriptors { // beside them, the runtime's own
		n, err := strconv.Atoi(fd)
		if err != nil || n > 5 && kind != "eventpoll" && kind != "eventfd" || len(r.Descriptors) > 10 {
			t.Errorf("descriptors %v", r.Descriptors)
		}
	}
	for kind, ns := range r.Namespaces {
		if own, err := os.Readlink("/proc/self/ns/" + kind); err != nil || own == ns {
			t.Errorf("namespace %s is %s, the supervisor's %s (%v)", kind, ns, own, err)
		}
	}
	if _, err := r.Realm.SHA256(); err != nil {
		t.Error(err)
	}
	document, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(document), `"sha256":"`, `"version":"`, `"v8":"1`, `"auditHead":"`, `"weakenings":[]`)
	after, err := os.ReadFile(realmPath)
	if err != nil || string(after) != string(before) {
		t.Errorf("the realm's binary has changed: %v", err)
	}
}

// Case L7 is a test of the missing layer: the common supervisor's hosts have them all.
//
// Covers: T-OP-02
func TestOnlyDispensableLayersCanBeWaived(t *testing.T) {
	t.Parallel()
	for _, layers := range [][]string{{"seccomp"}, {"userns"}, {"landlock"}, {"nonsense"}} {
		_, err := supervisor.New(supervisor.Config{AllowMissing: layers})
		failed(t, supervisor.ErrInvalid, err)
	}
	_, err := supervisor.New(supervisor.Config{RequireLayers: []string{"nonsense"}})
	failed(t, supervisor.ErrInvalid, err)
}

func TestAGuestCannotReachTheEnginesInternals(t *testing.T) {
	t.Parallel()
	yields(t, `["undefined","undefined","undefined","undefined"]`, `[typeof native, typeof primordials, typeof __supervisor, typeof arguments]`)
	yields(t, `true`, `
		const seen = new Set(), queue = [globalThis, await import('realm:capabilities')];
		while (queue.length) { const o = queue.pop(); if (seen.has(o)) continue; seen.add(o);
			for (const k of Reflect.ownKeys(o)) { let v; try { v = o[k] } catch { continue } if (v !== null && (typeof v === 'object' || typeof v === 'function')) queue.push(v) }
			const p = Object.getPrototypeOf(o); if (p) queue.push(p) }
		seen.size > 100`)
	fails(t, supervisor.ErrRuntime, `this.constructor.constructor('return process')().exit()`)
}

// Not parallel: every realm that lives is this test's.
func TestARealmThatIsKilledIsACrash(t *testing.T) {
	s := supervise(t, supervisor.Config{MaxConcurrent: 2})
	session, err := s.Submit(context.Background(), supervisor.Request{Source: `console.log('alive'); for (;;);`})
	if err != nil {
		t.Fatal(err)
	}
	for e := range session.Events() {
		if e.Type != supervisor.EventStatus {
			break
		}
		for _, p := range called(descendants(t, os.Getpid()), "realm") {
			if err := unix.Kill(p.pid, unix.SIGKILL); err != nil {
				t.Error(err)
			}
		}
	}
	res, err := session.Wait()
	e := failed(t, supervisor.ErrCrashed, err)
	if e.Code.ExitStatus() != 8 || len(res.Logs) != 1 || res.Stats.CPUMs < 1 {
		t.Errorf("%+v, %+v", e, res.Stats)
	}
	if _, err := runIn(t, s, `1`); err != nil {
		t.Errorf("the next run: %v", err)
	}
}

// Case T7, the other way round: a spawner that is killed is replaced.
func TestASpawnerThatIsKilledIsReplaced(t *testing.T) {
	s := supervise(t, supervisor.Config{MaxConcurrent: 2})
	session, err := s.Submit(context.Background(), supervisor.Request{Source: `console.log('alive'); for (;;);`})
	if err != nil {
		t.Fatal(err)
	}
	mine := called(descendants(t, os.Getpid()), "realm-spawner")
	if c, err := common(); err == nil {
		_ = c // its spawner is replaced too
	}
	for e := range session.Events() {
		if e.Type != supervisor.EventStatus {
			break
		}
		for _, p := range mine {
			if err := unix.Kill(p.pid, unix.SIGKILL); err != nil {
				t.Error(err)
			}
		}
	}
	_, err = session.Wait()
	contains(t, failed(t, supervisor.ErrCrashed, err).Message, "killed with the spawner")
	for _, s := range []func(testing.TB, string, ...change) (*supervisor.Result, error){run, func(t testing.TB, source string, c ...change) (*supervisor.Result, error) {
		return runIn(t, s, source, c...)
	}} {
		if res, err := s(t, `1`); err != nil || res.Value != 1.0 {
			t.Errorf("the next run: %v", err)
		}
	}
}
