package v8

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"realm.internal/supervisor/pkg/value"
)

type noHost struct{}

func (noHost) Log(string, string)                            {}
func (noHost) Status(string, string)                         {}
func (noHost) Import(string, string, string) (Module, error) { return 0, fmt.Errorf("no modules") }
func (noHost) ParseURL(string, string, bool) (string, bool)  { return "", false }
func (noHost) SetURL(string, string, string) string          { return "" }

// guest is a realm for many evaluations. It belongs to the test's thread, so the tests here have no subtests.
type guest struct {
	*Realm
	t testing.TB
}

func newGuest(t testing.TB) guest {
	t.Helper()
	runtime.LockOSThread()
	r := Open(Options{HeapBytes: 512 << 20}, noHost{})
	t.Cleanup(func() {
		r.Close()
		runtime.UnlockOSThread()
	})
	return guest{r, t}
}

// run evaluates a function body with args and returns the wire form of its value.
func (g guest) run(body string, limit int64, args ...any) ([]byte, Unrepresentable, Status) {
	g.t.Helper()
	wire, err := value.Encode(append([]any{}, args...))
	if err != nil {
		g.t.Fatalf("encode: %v", err)
	}
	if s := g.SetArguments(wire, nil); s != OK {
		g.t.Fatalf("arguments: status %d, %+v", s, g.Error())
	}
	if s := g.RunFunction(body, false); s != OK {
		g.t.Fatalf("%s: status %d, %+v", body, s, g.Error())
	}
	if end := g.Loop(); end != Settled {
		g.t.Fatalf("%s: end %d, %+v", body, end, g.Error())
	}
	return g.EncodeMain(limit)
}

func (g guest) value(body string, args ...any) any {
	g.t.Helper()
	wire, why, status := g.run(body, 1<<30, args...)
	if status != OK {
		g.t.Fatalf("%s: status %d, %s: %s, %+v", body, status, why.Path, why.Reason, g.Error())
	}
	v, err := value.Decode(wire, value.Limits{MaxBytes: math.MaxInt})
	if err != nil {
		g.t.Fatalf("%s: %v\n% x", body, err, wire[:min(len(wire), 200)])
	}
	return v
}
