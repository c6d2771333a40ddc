package supervisor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// patience bounds what a test waits for on a loaded machine.
const patience = 2 * time.Minute

type change func(*supervisor.Request)

func granted(g grants.Grants) change { return func(r *supervisor.Request) { r.Grants = g } }
func limited(l supervisor.Limits) change {
	return func(r *supervisor.Request) { r.Limits = l }
}
func mode(m supervisor.Mode) change { return func(r *supervisor.Request) { r.Mode = m } }
func input(v any) change            { return func(r *supervisor.Request) { r.Input = v } }
func args(v ...any) change          { return func(r *supervisor.Request) { r.Args = v } }

// supervise returns a supervisor that ends with the test.
func supervise(t testing.TB, cfg supervisor.Config) *supervisor.Supervisor {
	t.Helper()
	s, err := supervisor.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// run evaluates source in the common supervisor.
func run(t testing.TB, source string, changes ...change) (*supervisor.Result, error) {
	t.Helper()
	s, err := common()
	if err != nil {
		t.Fatal(err)
	}
	return runIn(t, s, source, changes...)
}

func runIn(t testing.TB, s *supervisor.Supervisor, source string, changes ...change) (*supervisor.Result, error) {
	t.Helper()
	r := supervisor.Request{Source: source}
	for _, c := range changes {
		c(&r)
	}
	if os.Getenv(hardenedVariable) != "" && r.Grants.Engine.JIT == nil {
		r.Grants.Engine.JIT = new(bool)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	res, err := s.Run(ctx, r)
	if res == nil {
		t.Fatalf("no result beside the error %v", err)
	}
	return res, err
}

// succeed runs source and returns its result.
func succeed(t testing.TB, source string, changes ...change) *supervisor.Result {
	t.Helper()
	res, err := run(t, source, changes...)
	if err != nil {
		t.Fatalf("%v\nlogs: %v\n%.400s", err, res.Logs, source)
	}
	return res
}

// yields compares the JSON form of the value.
func yields(t testing.TB, want, source string, changes ...change) {
	t.Helper()
	text, err := succeed(t, source, changes...).ValueJSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != want {
		t.Errorf("%.200s\ngives %s\nwant  %s", source, text, want)
	}
}

// fails runs source, which must end with that code.
func fails(t testing.TB, code error, source string, changes ...change) (*supervisor.Result, *supervisor.Error) {
	t.Helper()
	res, err := run(t, source, changes...)
	return res, failed(t, code, err)
}

// interrupted is fails for a run whose time is over and whose engine answers to that:
// it has milliseconds, which a host with much to do does not give it every time.
func interrupted(t testing.TB, source string, changes ...change) (*supervisor.Result, *supervisor.Error) {
	t.Helper()
	for attempt := 1; ; attempt++ {
		res, e := fails(t, supervisor.ErrTimeout, source, changes...)
		if attempt == 5 || !strings.Contains(e.Message, "did not answer") {
			return res, e
		}
	}
}

func failed(t testing.TB, code, err error) *supervisor.Error {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("error %v, want %v", err, code)
	}
	e := supervisor.AsError(err)
	if e.Message == "" || e.Phase == "" {
		t.Errorf("message %q, phase %q: neither may be empty", e.Message, e.Phase)
	}
	return e
}

func contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q\nlacks %q", text, p)
		}
	}
}

func write(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// quoted makes s a JavaScript string literal.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

func readable(dirs ...string) change {
	return granted(grants.Grants{Filesystem: grants.Filesystem{Read: dirs}})
}

func writable(dirs ...string) change {
	return granted(grants.Grants{Filesystem: grants.Filesystem{Write: dirs}})
}
