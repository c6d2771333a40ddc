package supervisor_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

const hostileVariable = "E2E_HOSTILE"

// hostileRealm builds a realm binary that breaks the protocol.
func hostileRealm(t *testing.T) string {
	t.Helper()
	if path := os.Getenv(hostileVariable); path != "" {
		return path
	}
	path := filepath.Join(filepath.Dir(realmPath), "hostile")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	build := exec.Command("go", "build", "-tags", "netgo,osusergo", "-ldflags", `-linkmode external -extldflags "-static"`, "-o", path, "./testdata/hostile")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the hostile realm: %v\n%s", err, out)
	}
	return path
}

// end is how a run ends: well, or with a code and a reason.
type end struct {
	code   error
	reason string
}

// Cases T3, T5
// Covers: T-RPC-01, T-RPC-02, T-RPC-03, T-RPC-04
func TestARealmThatBreaksTheProtocolIsKilled(t *testing.T) {
	s := supervise(t, supervisor.Config{RealmPath: hostileRealm(t), MaxConcurrent: 2})
	counts := newEngaged()
	defer counts.report(t, "protocol")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	broken := func(reason string) end { return end{supervisor.ErrCrashed, reason} }
	forbiddenCall := end{supervisor.ErrCrashed, "the realm was killed for a forbidden system call"}
	well := end{}
	for act, want := range map[string]end{
		"behave":                           well,
		"one byte at a time":               well,
		"two results":                      well, // the second is never read
		"a flood of words":                 well,
		"a path outside":                   well, // refused like any other
		"a write that lies about its size": well,
		"closes its input and goes on":     well, // it is answered all the same
		"noise":                            broken("does not begin with an array of three"),
		"a frame of 4 GiB":                 broken("Result of 4294967295 bytes"),
		"an array of 4 billion":            broken("announces 4294967295 elements"),
		"a million arrays deep":            broken("nesting beyond"),
		"half a frame":                     broken("closed within a frame"),
		"a big frame that does not come":   broken("closed within a frame"),
		"an empty frame":                   broken("a payload of 0 bytes"),
		"an unknown op":                    broken("Op(99) is not expected"),
		"an op of the supervisor":          broken("Reply is not expected"),
		"ready again":                      broken("Ready is not expected"),
		"a call twice":                     broken("call id 7 again"),
		"a flood of output":                broken("console output goes on after its limit"),
		"a result that is no value":        {supervisor.ErrCrashed, "a result that is no value"},
		"a timeout of its own":             {supervisor.ErrCrashed, `a failure of code "TIMEOUT"`},
		"a code of its own":                {supervisor.ErrCrashed, `a failure of code "INTERNAL"`},
		"a flood of calls":                 {supervisor.ErrDenied, "maxOperations"},
		"closes its output and lives":      {supervisor.ErrCrashed, "the realm closed its pipe and was killed"},
		"silence":                          {supervisor.ErrTimeout, "the engine did not answer and was killed"},
		"memory":                           {supervisor.ErrOOM, "more memory than its limit"},
		"a status":                         {supervisor.ErrCrashed, "exit status 3"},
		"a socket":                         forbiddenCall,
		"an x32 call":                      forbiddenCall,
		"ptrace":                           forbiddenCall,
	} {
		t.Run(act, func(t *testing.T) {
			defer func() { counts.add("a realm that breaks it", !t.Failed()) }()
			wall := int64(20_000)
			if act == "silence" {
				wall = 200
			}
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			began := time.Now()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res, err := s.Run(ctx, supervisor.Request{Source: act, Limits: supervisor.Limits{WallClockMs: wall, MaxResultBytes: 256 << 20}})
			runtime.ReadMemStats(&after)
			eventually(t, "its realm is dead", func() bool { return len(called(descendants(t, os.Getpid()), "realm")) == 0 })
			if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
				t.Errorf("the supervisor took %d bytes of memory", took)
			}
			if want.code == nil {
				if err != nil || res.Value != "done" {
					t.Errorf("%v, %v", res.Value, err)
				}
				return
			}
			contains(t, failed(t, want.code, err).Message, want.reason)
			if took := time.Since(began); took > 8*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
}

func TestACrashHasAStatusOfTheCommandLine(t *testing.T) {
	source := write(t, openDir(t)+"/act.js", "a status")
	o := execute(t, deprived(t, deprivation{Realm: hostileRealm(t)}, "run", "--json", source))
	if o.status != 8 || !strings.Contains(o.stdout, `"code":"CRASHED"`) {
		t.Errorf("exit %d\n%s%s", o.status, o.stdout, o.stderr)
	}
}

// The receipt is the kernel's word, not the realm's.
//
// Covers: T-NS-04
func TestARealmThatIsNotConfinedGetsNoSource(t *testing.T) {
	s := supervise(t, supervisor.Config{RealmPath: hostileRealm(t), MaxConcurrent: 2})
	counts := newEngaged()
	defer counts.report(t, "protocol")
	for early, want := range map[int64]struct {
		code       error
		capability string
	}{
		201: {supervisor.ErrInternal, ""},
		202: {supervisor.ErrUnenforceable, "seccomp"},
		203: {supervisor.ErrInvalid, ""},
		204: {supervisor.ErrInvalid, ""},
		205: {supervisor.ErrUnenforceable, "seccomp"},
		206: {supervisor.ErrInternal, ""},
		207: {supervisor.ErrInternal, ""},
		208: {supervisor.ErrUnenforceable, "descriptors"},
		209: {supervisor.ErrInternal, ""},
		210: {supervisor.ErrCrashed, ""},
		211: {supervisor.ErrTimeout, ""},
	} {
		t.Run(fmt.Sprint(early), func(t *testing.T) {
			defer func() { counts.add("a realm that lies before it is ready", !t.Failed()) }()
			source := "behave" + strings.Repeat(" ", 500_000) // more than a pipe holds
			res, err := runIn(t, s, source, limited(supervisor.Limits{MemoryMb: early, WallClockMs: 300}))
			e := failed(t, want.code, err)
			if e.Capability != want.capability {
				t.Errorf("%+v", e)
			}
			if (res.Receipt != nil) != (early > 209) {
				t.Errorf("receipt %v", res.Receipt)
			}
		})
	}
}
