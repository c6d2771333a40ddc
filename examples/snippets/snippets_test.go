//go:build linux

// Package snippets holds programs of the kind that models write, and what each must give.
package snippets

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"realm.internal/supervisor/pkg/supervisor"
)

var update = flag.Bool("update", false, "write expected.json from what the snippets give")

// outcome is what one snippet gives, the value in its JSON form.
type outcome struct {
	Value json.RawMessage `json:"value"`
	Logs  []string        `json:"logs,omitempty"`
	// Needs is a function that older engines lack. There the snippet must fail for want of it.
	Needs string `json:"needs,omitempty"`
}

// realms are what every snippet runs in.
var realms = sync.OnceValues(func() (*supervisor.Supervisor, error) {
	path := os.Getenv("SUPERVISOR_REALM")
	if path == "" {
		path = "../../bin/realm" // see `make build`
	}
	return supervisor.New(supervisor.Config{RealmPath: path})
})

func TestMain(m *testing.M) {
	flag.Parse()
	status := m.Run()
	if s, err := realms(); err == nil {
		_ = s.Shutdown(context.Background())
	}
	os.Exit(status)
}

// run ends with what the source gives, or with how it failed. Nothing is granted.
func run(t *testing.T, name, source string) (outcome, *supervisor.Error) {
	t.Helper()
	s, err := realms()
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Run(t.Context(), supervisor.Request{Source: source, Name: name})
	if err != nil {
		return outcome{}, supervisor.AsError(err)
	}
	o := outcome{}
	if o.Value, err = res.ValueJSON(); err != nil {
		t.Fatal(err)
	}
	for _, l := range res.Logs {
		o.Logs = append(o.Logs, l.Level+": "+l.Message)
	}
	return o, nil
}

// lacks reports whether the engine has no such function.
func lacks(t *testing.T, function string) bool {
	o, failure := run(t, "lacks.js", "typeof "+function)
	if failure != nil {
		t.Fatal(failure.Message)
	}
	return string(o.Value) != `"function"`
}

func TestSnippetsGiveWhatIsExpected(t *testing.T) {
	names, err := filepath.Glob("*.[jt]s")
	if err != nil || len(names) < 20 {
		t.Fatalf("%d snippets, %v", len(names), err)
	}
	expected := map[string]outcome{}
	text, err := os.ReadFile("expected.json")
	if err == nil {
		err = json.Unmarshal(text, &expected)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	got := map[string]outcome{}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			needs := expected[name].Needs
			o, failure := run(t, name, string(source))
			if needs != "" && lacks(t, needs) {
				if failure == nil || failure.Name != "TypeError" || !strings.Contains(failure.Message, "is not a function") {
					t.Errorf("got %+v, want the lack of %s", failure, needs)
				}
				return
			}
			if failure != nil {
				t.Fatalf("%s: %s\n%s", failure.Code, failure.Message, failure.Stack)
			}
			o.Needs = needs
			got[name] = o
			if *update {
				return
			}
			var want bytes.Buffer
			if err := json.Compact(&want, expected[name].Value); err != nil {
				t.Fatalf("nothing is expected of it: %v", err)
			}
			if want.String() != string(o.Value) {
				t.Errorf("got  %s\nwant %s", o.Value, want.String())
			}
			a, _ := json.Marshal(o.Logs)
			b, _ := json.Marshal(expected[name].Logs)
			if !bytes.Equal(a, b) {
				t.Errorf("printed %s, want %s", a, b)
			}
		})
	}
	if *update {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("expected.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
