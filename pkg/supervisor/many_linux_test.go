package supervisor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

func TestManyRunsLeaveNothing(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = 100
	}
	dir := t.TempDir()
	before := look(t)
	s, err := supervisor.New(supervisor.Config{MaxConcurrent: 2})
	if err != nil {
		t.Fatal(err)
	}
	sources := []string{
		`console.log('x'.repeat(1000)); ({a: [1, 2, 3]})`,
		`const { writeText, readText } = await import('realm:capabilities'); await writeText('DIR/f', 'x'.repeat(10000)); (await readText('DIR/f')).length`,
		`throw new Error('x')`,
		`await new Promise(() => {})`,
		`const { readText } = await import('realm:capabilities'); await readText('/etc/passwd')`,
		`let x: = 1`,
		`await tool({})`,
	}
	tools := map[string]supervisor.Tool{"tool": func(context.Context, json.RawMessage) (any, error) { return "answer", nil }}
	g := grants.Grants{Filesystem: grants.Filesystem{Read: []string{dir}, Write: []string{dir}}, Tools: grants.Tools{Allowed: []string{"tool"}}}
	one := func(i int) {
		res, err := s.Run(t.Context(), supervisor.Request{Source: strings.ReplaceAll(sources[i%len(sources)], "DIR", dir), Grants: g, Tools: tools})
		if e := supervisor.AsError(err); err != nil && (e.Code == supervisor.CodeInternal || e.Code == supervisor.CodeCrashed || e.Code == supervisor.CodeCapacity) || res == nil {
			t.Errorf("run %d: %v", i, err)
		}
	}
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for i := range 20 {
		one(i)
	}
	warm, settled, goroutines := heap(), look(t), runtime.NumGoroutine()
	resident, spawner := residentMb(t, os.Getpid()), spawnerMb(t)
	var group sync.WaitGroup
	for worker := range 2 {
		group.Go(func() {
			for i := worker; i < runs; i += 2 {
				one(i)
			}
		})
	}
	group.Wait()
	if grown := heap() - warm; grown > 4<<20 {
		t.Errorf("the heap has grown by %d bytes", grown)
	}
	if us, it := residentMb(t, os.Getpid()), spawnerMb(t); us > resident+16 || it > spawner+4 {
		t.Errorf("the supervisor has %.1f MB in memory, %.1f before; its spawner %.1f, %.1f before", us, resident, it, spawner)
	}
	gone(t, func() []string { return settled.gained(look(t)) })
	if n := runtime.NumGoroutine(); n > goroutines+2 {
		t.Errorf("%d goroutines, %d before", n, goroutines)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	gone(t, func() []string {
		runtime.GC() // the binary stays open for its digest as long as a receipt can ask for it
		return before.gained(look(t))
	})
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("write root holds %v", got)
	}
}

func TestConcurrentRunsDoNotMix(t *testing.T) {
	t.Parallel()
	const guests = 64
	s := supervise(t, supervisor.Config{MaxConcurrent: guests, WarmPoolSize: 2})
	// The origin answers with the name in the path, and only to who brings that name's secret.
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if r.Header.Get("X-Token") != "token of "+name {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = io.WriteString(w, name)
	}))
	t.Cleanup(origin.Close)
	var group sync.WaitGroup
	for i := range guests {
		group.Go(func() { guestWithManners(t, s, origin.URL, i) })
	}
	group.Wait()
}

// guestWithManners uses every capability that has a value of its own, and must see nobody else's.
func guestWithManners(t *testing.T, s *supervisor.Supervisor, origin string, i int) {
	me := fmt.Sprintf("guest-%d-value", i)
	dir := t.TempDir()
	write(t, dir+"/in", me)
	res, err := s.Run(t.Context(), supervisor.Request{
		ID: me, Args: []any{dir, me, origin},
		Source: `
			import { environment, secret, readText, writeText, spawn, fetchText } from 'realm:capabilities';
			export default async (dir, me, origin) => {
				for (let n = 0; n < 3; n++) {
					const all = await Promise.all([environment('ME'), secret('ME'), readText(dir + '/in'), dataProxy.request('me', n), spawn('/bin/sh', ['-c', 'printf %s "$ME"']).then(r => r.code === 0 ? r.stdout : JSON.stringify(r)),
						fetchText(origin + '/' + me).then(r => r.status === 200 ? r.body : r.status)]);
					if (all.some(v => v !== me)) throw new Error(JSON.stringify(all));
					console.log(me);
				}
				await writeText(dir + '/out', me);
				return me;
			}`,
		Grants: grants.Grants{
			Environment: map[string]string{"ME": me}, Secrets: map[string]grants.Secret{"ME": {Value: me}, "TOKEN": {Value: "token of " + me}},
			Network:    grants.Network{Origins: []string{origin}, Inject: []grants.Injection{{Origin: origin, Header: "X-Token", Secret: "TOKEN"}}},
			Resources:  grants.Resources{WallClockMs: 120_000},
			Filesystem: grants.Filesystem{Read: []string{dir}, Write: []string{dir}}, Tools: grants.Tools{Allowed: []string{"me"}},
			Subprocess: grants.Subprocess{Commands: []string{"/bin/sh"}, Environment: map[string]string{"ME": me}},
		},
		Tools: map[string]supervisor.Tool{"me": func(context.Context, json.RawMessage) (any, error) { return me, nil }},
	})
	if err != nil || res.Value != me || res.RequestID != me {
		t.Errorf("%s: %v, %v", me, res.Value, err)
		return
	}
	if res.Stats.Operations != 19 || res.Stats.DataRequestCount != 3 || len(res.Logs) != 3 {
		t.Errorf("%s: %+v, logs %v", me, res.Stats, res.Logs)
	}
	for _, r := range res.Audit {
		if r.Run != me {
			t.Errorf("%s has a record of %s", me, r.Run)
		}
	}
	if read(t, dir+"/out") != me {
		t.Errorf("%s: another's file", me)
	}
}
