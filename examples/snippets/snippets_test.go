//go:build cgo

// Package snippets holds programs of the kind that models write, and what each must give.
package snippets

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/internal/engine"
	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

var update = flag.Bool("update", false, "write expected.json from what the snippets give")

// outcome is what one snippet gives, the value in its JSON form.
type outcome struct {
	Value json.RawMessage `json:"value"`
	Logs  []string        `json:"logs,omitempty"`
	// Needs is a function that older engines lack. There the snippet must fail for want of it.
	Needs string `json:"needs,omitempty"`
}

// console is a supervisor that grants nothing and keeps what is printed.
type console struct{ logs []string }

func (c *console) Send(_ uint64, m rpc.Message) error {
	if line, ok := m.(*rpc.Console); ok {
		c.logs = append(c.logs, line.Level+": "+line.Message)
	}
	return nil
}

func (c *console) SendBody(op rpc.Op, _ uint64, _ []byte) error {
	return errors.New("snippets need no capability")
}

func (c *console) Wait(milliseconds float64) (*engine.Reply, error) {
	if milliseconds < 0 {
		return nil, errors.New("the snippet waits for nothing")
	}
	time.Sleep(time.Duration(milliseconds * float64(time.Millisecond)))
	return nil, nil
}

// run ends with what the source gives, or with how it failed.
func run(t *testing.T, name, source string) (outcome, *rpc.Failure) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e := engine.New(engine.Options{HeapBytes: 64 << 20, TimeZone: "UTC"})
	defer e.Close()
	watchdog := time.AfterFunc(20*time.Second, func() { e.Realm().Stop(v8.Deadline) })
	defer watchdog.Stop()

	var c console
	limits := rpc.Limits{MemoryMb: 64, MaxResultBytes: 1 << 20, MaxLogBytes: 1 << 16, MaxConsoleCalls: 100}
	ended, err := e.Run(&rpc.Execute{Source: []byte(source), Name: name, Mode: "auto", TimeZone: "UTC", Limits: limits}, &c)
	if err != nil {
		t.Fatal(err)
	}
	result, ok := ended.(*rpc.Result)
	if !ok {
		return outcome{}, ended.(*rpc.Failure)
	}
	decoded, err := value.Decode(result.Value, value.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := value.MarshalJSON(decoded)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{Value: text, Logs: c.logs}, nil
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
