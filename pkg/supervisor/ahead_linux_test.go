package supervisor_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// The realm that was started ahead serves the first run if it fits, is replaced if it
// does not, and is gone when nobody came.
func TestARealmStartedAheadServesOneRunOrNone(t *testing.T) {
	off := false
	for name, c := range map[string]struct {
		requests []supervisor.Request
		want     []string
	}{
		"nobody comes":      {},
		"it fits":           {[]supervisor.Request{{Source: `6 * 7`}}, []string{"42"}},
		"the second is new": {[]supervisor.Request{{Source: `globalThis.left = 1`}, {Source: `typeof left`}}, []string{"1", "undefined"}},
		"other limits":      {[]supervisor.Request{{Source: `'x'.repeat(10).length`, Limits: supervisor.Limits{MemoryMb: 64, RealmMemoryMb: 256}}}, []string{"10"}},
		"another zone":      {[]supervisor.Request{{Source: `new Date(0).getHours()`, Grants: grants.Grants{Engine: grants.Engine{TimeZone: "Asia/Tokyo"}}}}, []string{"9"}},
		"another tier":      {[]supervisor.Request{{Source: `typeof WebAssembly`, Grants: grants.Grants{Engine: grants.Engine{JIT: &off}}}}, []string{"undefined"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := look(t)
			s, err := supervisor.New(supervisor.Config{StartAhead: true, MaxConcurrent: 1})
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range c.requests {
				res, err := s.Run(t.Context(), r)
				if err != nil || fmt.Sprint(res.Value) != c.want[i] {
					t.Errorf("run %d: %v, %v", i, res.Value, err)
				}
				if limit := r.Limits.RealmMemoryMb << 20; limit != 0 && res.Receipt.Cgroup["memoryBytes"] != strconv.FormatInt(limit, 10) {
					t.Errorf("the receipt tells %v", res.Receipt.Cgroup)
				}
			}
			if err := s.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			gone(t, func() []string {
				runtime.GC()
				return before.gained(look(t))
			})
		})
	}
}

// What keeps a realm from starting is told by the run, as New tells it otherwise.
func TestAFileThatIsNoRealmIsToldByTheRun(t *testing.T) {
	path := t.TempDir() + "/realm"
	write(t, path, "#!/bin/sh\nexit 0\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
	s := supervise(t, supervisor.Config{StartAhead: true, RealmPath: path})
	_, err := s.Run(t.Context(), supervisor.Request{Source: `1`})
	if e := supervisor.AsError(err); err == nil || e.Code != supervisor.CodeInvalid {
		t.Errorf("%v, want %s", err, supervisor.CodeInvalid)
	}
}
