package supervisor_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// A realm or a command is killed while calls of it are under way: the supervisor
// lives, and has nothing of the run any more.
//
// Covers: T-END-01, T-FS-05
func TestNothingIsLeftOfWhatIsKilledDuringACall(t *testing.T) {
	counts := newEngaged()
	defer counts.report(t, "kills-during-calls")
	const use = `const { writeText, spawn } = await import('realm:capabilities');`
	for _, c := range []struct{ who, name, source string }{
		{"realm", "that asks a tool", `await here()`},
		{"realm", "that writes", use + `await Promise.all([...Array(8).fill(0).map(() => writeText('$OUT/f', 'x'.repeat(2 ** 20))), here()])`},
		{"realm", "that has a command", use + `await Promise.all([spawn('/bin/sh', ['-c', 'sleep 60 & wait']), here('/bin/sh')])`},
		{"realm", "that makes its result", `({ get x() { here(); for (;;); } })`},
		{"/bin/sh", "that waits", use + `await Promise.all([spawn('/bin/sh', ['-c', 'sleep 60 & wait']), here('/bin/sh')])`},
		{"/bin/sh", "that prints", use + `await Promise.all([spawn('/bin/sh', ['-c', 'while :; do echo x; done']), here('/bin/sh')])`},
	} {
		t.Run(c.who+" "+c.name, func(t *testing.T) {
			defer func() { counts.add(strings.TrimPrefix(c.who, "/bin/"), !t.Failed()) }()
			out := t.TempDir()
			s := supervise(t, supervisor.Config{})
			if _, err := runIn(t, s, `1`); err != nil { // it has its spawner
				t.Fatal(err)
			}
			before := look(t)
			groups := groupPrefix(t, os.Getpid())
			var killed atomic.Bool
			here := func(ctx context.Context, params json.RawMessage) (any, error) {
				tick := time.NewTicker(5 * time.Millisecond)
				defer tick.Stop()
				for awaited := strings.Contains(string(params), "/bin/sh"); awaited && ctx.Err() == nil; <-tick.C {
					awaited = len(called(descendants(t, os.Getpid()), "/bin/sh")) == 0
				}
				if len(groupsOf(t, groups)) == 0 {
					t.Error("the control groups of a live run are not found: nor would those be that are left")
				}
				for _, p := range called(descendants(t, os.Getpid()), c.who) {
					if unix.Kill(p.pid, unix.SIGKILL) == nil {
						killed.Store(true)
					}
				}
				return nil, nil
			}
			_, err := runIn(t, s, strings.ReplaceAll(c.source, "$OUT", out), func(r *supervisor.Request) {
				r.Tools = map[string]supervisor.Tool{"here": here}
				r.Grants = grants.Grants{Filesystem: grants.Filesystem{Write: []string{out}}, Subprocess: grants.Subprocess{Commands: []string{"/bin/sh"}}, Tools: grants.Tools{Allowed: []string{"here"}}}
			})
			eventually(t, c.who+" was killed", killed.Load)
			if (err != nil) != (c.who == "realm") {
				t.Error(err)
			}
			gone(t, func() []string { runtime.GC(); return before.gained(look(t)) })
			if text, err := os.ReadFile(filepath.Join(out, "f")); err == nil && len(text) != 1<<20 {
				t.Errorf("a part of a file: %d bytes", len(text))
			}
		})
	}
}
