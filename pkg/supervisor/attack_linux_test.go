package supervisor_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// Hostile JavaScript: what a guest can try without breaking the engine. Each
// attack is run with a few grants, must end in exactly the stated way, must have
// reached nothing that was not granted, and must have done nothing to the run
// that follows it.

// forbidden stands for everything that a guest must not learn.
const forbidden = "canary-5d1fa0c3"

// attack is one source and how its run ends. $IN and $OUT are granted
// directories, $OUTSIDE is none.
type attack struct {
	name   string
	source string
	want   error  // nil: a result
	value  string // the JSON of that result; "" takes any
	error  string // a part of the error's message, name or capability
	limits supervisor.Limits
	mode   supervisor.Mode
	needs  string // of lacks: where the engine lacks it, any outcome is contained that harms nothing
	then   func(t *testing.T, w *battlefield, res *supervisor.Result, e *supervisor.Error)
}

// classes of attacks, see the other attack_ files.
var classes = map[string][]attack{}

// battlefield is what one attack can reach, and what it cannot.
type battlefield struct {
	in, out, outside string
}

func newBattlefield(t *testing.T) *battlefield {
	t.Helper()
	dir := t.TempDir()
	w := &battlefield{filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "outside")}
	write(t, w.in+"/a", "text")
	write(t, w.out+"/b", "old")
	write(t, w.outside+"/secret", forbidden)
	if err := os.Symlink(w.outside, w.in+"/link"); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *battlefield) request(a attack) supervisor.Request {
	no := false
	echo := func(_ context.Context, params json.RawMessage) (any, error) { return params, nil }
	fill := strings.NewReplacer("$IN", w.in, "$OUTSIDE", w.outside, "$OUT", w.out)
	return supervisor.Request{
		Source: fill.Replace(a.source), Mode: a.mode, Limits: a.limits, Tools: map[string]supervisor.Tool{"echo": echo},
		Grants: grants.Grants{
			Filesystem: grants.Filesystem{Read: []string{w.in}, Write: []string{w.out}}, Environment: map[string]string{"MODE": "v"},
			Secrets: map[string]grants.Secret{"KEY": {Value: forbidden, Guest: &no}}, Tools: grants.Tools{Allowed: []string{"echo"}},
			Resources: grants.Resources{MaxOperations: 2000, MaxDataRequests: 2000},
		},
	}
}

// check looks for what must not have happened, whatever the attack was.
func (w *battlefield) check(t *testing.T, res *supervisor.Result, e *supervisor.Error) {
	t.Helper()
	text := fmt.Sprintf("%v %+v", res.Logs, e)
	if document, err := res.ValueJSON(); err == nil {
		text += string(document)
	}
	for _, r := range res.Audit {
		text += r.Target + r.Reason
		if granted := strings.HasPrefix(r.Target, w.in) || strings.HasPrefix(r.Target, w.out) || r.Target == "MODE" || r.Target == "echo"; r.Outcome == audit.Allowed && r.Op != 0 && !granted {
			t.Errorf("%s of %q was allowed", r.Capability, r.Target)
		}
	}
	if strings.Contains(text, forbidden) {
		t.Errorf("the guest or the record has what is forbidden")
	}
	if got := names(t, w.outside); !slices.Equal(got, []string{"secret"}) || read(t, w.outside+"/secret") != forbidden {
		t.Errorf("outside there is %v", got)
	}
	if got := read(t, w.in+"/a"); got != "text" {
		t.Errorf("the readable file is %q", got)
	}
	if left := temporariesBelow(t, w.out); len(left) > 0 {
		t.Errorf("temporaries %v", left)
	}
}

// unharmed is what the next run must find.
const unharmed = `
	const { readText, environment } = await import('realm:capabilities');
	const own = (o) => Reflect.ownKeys(o).length, fresh = [own(Object.prototype), own(Array.prototype), own(Promise.prototype), own(Function.prototype), own(globalThis)];
	[await readText('$IN/a'), await environment('MODE'), await echo([1, {a: 2}]), Object.keys(globalThis).includes('evil'), typeof evil, ...fresh].join()`

// engaged counts what a class has attempted and contained.
type engaged struct {
	mu                   sync.Mutex
	attempted, contained map[string]int
}

func newEngaged() *engaged {
	return &engaged{attempted: map[string]int{}, contained: map[string]int{}}
}

// report logs what was counted, a line a class, as internal/evidence collects it.
func (g *engaged) report(t *testing.T, group string) {
	t.Helper()
	mode := "root"
	if os.Geteuid() != 0 {
		mode = "rootless"
	}
	for _, class := range slices.Sorted(maps.Keys(g.attempted)) {
		t.Logf("attacks: %s %s %s %d %d", mode, group, class, g.attempted[class], g.contained[class])
	}
}

func (g *engaged) add(class string, contained bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.attempted[class]++
	if contained {
		g.contained[class]++
	}
}

// Covers: T-JS-01, T-JS-02, T-JS-03
func TestHostileJavaScriptIsContained(t *testing.T) {
	t.Setenv("E2E_CANARY", forbidden)
	// Waiting realms are there while another one is attacked from.
	s := supervise(t, supervisor.Config{MaxConcurrent: 8, WarmPoolSize: 2, MaxQueue: 64})
	field := newBattlefield(t)
	before, err := runAttack(t, s, field, attack{source: unharmed})
	if err != nil {
		t.Fatal(err)
	}
	counts := newEngaged()
	defer counts.report(t, "javascript")
	t.Run("all", func(t *testing.T) {
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			for _, a := range classes[class] {
				t.Run(class+"/"+a.name, func(t *testing.T) {
					t.Parallel()
					defer func() { counts.add(class, !t.Failed()) }()
					mount(t, s, a, before.Value)
				})
			}
		}
	})
}

var rootless = flag.String("rootless", "", "what TestAttacksRootless runs: as -test.run")

// TestAttacksRootless runs what internal/evidence counts again, as an ordinary
// user. Without -rootless it has nothing to do: see TestRootless.
func TestAttacksRootless(t *testing.T) {
	if os.Geteuid() != 0 || *rootless == "" {
		return
	}
	output, err := asPlainUser(t, true, "-test.v", "-test.timeout=60m", "-test.run="+*rootless)
	if err != nil {
		t.Errorf("rootless: %v\n%s", err, failuresIn(output))
	}
	for line := range strings.Lines(output) {
		if _, counted, ok := strings.Cut(line, "attacks: "); ok {
			t.Logf("attacks: %s", strings.TrimSpace(counted))
		}
	}
}

// mount runs one attack and then, in a realm that waited meanwhile, what is unharmed.
func mount(t *testing.T, s *supervisor.Supervisor, a attack, before any) {
	w := newBattlefield(t)
	res, err := runAttack(t, s, w, a)
	var e *supervisor.Error
	if err != nil {
		e = supervisor.AsError(err)
	}
	switch {
	case a.needs != "" && engine(t) == "10":
		if _, known := lacks[a.needs]; !known {
			t.Errorf("no engine is known to lack %q", a.needs)
		}
	case a.want == nil && err != nil:
		t.Errorf("error %v\n%s", err, e.Stack)
	case a.want != nil && !errors.Is(err, a.want):
		t.Errorf("error %v, want %v; value %.200v", err, a.want, res.Value)
	case a.want != nil:
		if all := e.Name + " " + e.Message + " " + e.Capability + " " + e.Target; !strings.Contains(all, a.error) {
			t.Errorf("error %q lacks %q", all, a.error)
		}
	case a.value != "":
		if text, err := res.ValueJSON(); err != nil || string(text) != strings.NewReplacer("$IN", w.in, "$OUT", w.out).Replace(a.value) {
			t.Errorf("value %.400s, want %s, %v", text, a.value, err)
		}
	}
	if a.then != nil && !t.Failed() {
		a.then(t, w, res, e)
	}
	w.check(t, res, e)
	next, err := runAttack(t, s, newBattlefield(t), attack{source: unharmed})
	if err != nil || next.Value != before {
		t.Errorf("the next run: %v, %v; want %v", next.Value, err, before)
	}
}

func runAttack(t *testing.T, s *supervisor.Supervisor, w *battlefield, a attack) (*supervisor.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	res, err := s.Run(ctx, w.request(a))
	if res == nil {
		t.Fatalf("no result beside the error %v", err)
	}
	return res, err
}
