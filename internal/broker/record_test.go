package broker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"realm.internal/supervisor/internal/redact"
	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
)

// What a realm can write into the log by calls that are refused, whatever it names: each has its record.
// Covers: T-RPC-04, T-AUD-03
func TestRefusedCallsWriteABoundedLog(t *testing.T) {
	r := newRig(t, grants.Grants{}, nil)
	go func() { _, _ = io.Copy(io.Discard, readerOf(r)) }()
	go func() {
		w := rpc.NewWriter(r.toUs)
		name := strings.Repeat("\x01", 100_000) // each is six in the log
		for id := uint64(1); w.Send(id, &rpc.Environment{Name: name}) == nil; id++ {
		}
	}()
	r.wait()
	const operations = 100 // as many as a run has by default
	written, denied := 0, 0
	for _, record := range r.memory.Records() {
		line, err := record.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		written += len(line) + 1
		if record.Outcome == audit.Denied {
			denied++
		}
	}
	if denied != operations+refusalsKept || written > operations*8<<10+refusalsKept*4<<10 {
		t.Errorf("%d denials, %d bytes", denied, written)
	}
	t.Logf("%d denials, %d bytes", denied, written)
}

// Covers: T-AUD-01
func TestWhatCannotBeRecordedDoesNotHappen(t *testing.T) {
	dir := t.TempDir()
	full := errors.New("no space left")
	for after, name := range []string{"the permission", "the outcome"} {
		t.Run(name, func(t *testing.T) {
			n := 0
			r := newRig(t, grants.Grants{Filesystem: grants.Filesystem{Write: []string{dir}}}, func(c *Config) {
				c.Trail = NewTrail("r", audit.NewFunc(func(audit.Record) error {
					if n++; n > after {
						return full
					}
					return nil
				}), nil)
			})
			path := filepath.Join(dir, name)
			r.send(1, &rpc.FilesystemWrite{Path: path, Size: 1, Data: []byte("x")})
			if s := r.wait(); !errors.Is(s.err, full) {
				t.Errorf("%+v", s)
			}
			<-r.killed
			if _, err := os.Stat(path); (err == nil) != (after == 1) {
				t.Errorf("file: %v", err)
			}
		})
	}
}

// Covers: T-AUD-01
func TestARecordThatFailsBehindTheResultEndsTheRun(t *testing.T) {
	full, n := errors.New("no space left"), 0
	tool := &heldTool{release: make(chan struct{}), called: make(chan struct{})}
	r := newRig(t, grants.Grants{Tools: grants.Tools{Allowed: []string{"t"}}}, func(c *Config) {
		c.Executors.Tools = tool
		c.Trail = NewTrail("r", audit.NewFunc(func(audit.Record) error {
			if n++; n > 1 {
				return full
			}
			return nil
		}), nil)
	})
	r.send(1, &rpc.ToolRequest{Method: "t", Size: 1, Params: rpc.Raw{0xc0}})
	<-tool.called
	r.send(0, done())
	if s := r.wait(); !errors.Is(s.err, full) || s.end.Result != nil {
		t.Errorf("%+v", s)
	}
}

// Covers: T-SEC-01
func TestWhatARecordCutsHoldsNoPartOfASecret(t *testing.T) {
	const secret = "hunter2hunter2hunter2hunter2"
	set := redact.NewSet([]redact.Secret{{Name: "TOKEN", Value: secret, Readable: true}})
	memory := audit.NewMemory()
	r := newRig(t, grants.Grants{}, func(c *Config) { c.Secrets, c.Trail = set, NewTrail("r", memory, set.Diagnostics.Text) })
	path := "/" + strings.Repeat("p", 235) + secret
	r.send(1, &rpc.NetworkFetch{Method: "GET", URL: "https://a.test" + path[14:]})
	r.send(2, &rpc.FilesystemRead{Path: path})
	for range 2 {
		if _, m := r.reply(); strings.Contains(m.Error.Target+m.Error.Message+m.Error.Hint, "hunter2") {
			t.Errorf("%+v", m)
		}
	}
	r.send(0, done())
	r.wait()
	for _, rec := range memory.Records() {
		if strings.Contains(rec.Target+rec.Reason, "hunter2") {
			t.Errorf("%+v", rec)
		}
	}
}

// Covers: T-SEC-01
func TestConsoleTextThatIsCutHoldsNoPartOfASecret(t *testing.T) {
	const secret = "hunter2hunter2hunter2hunter2"
	r := newRig(t, grants.Grants{Resources: grants.Resources{MaxLogBytes: 20}}, func(c *Config) {
		c.Secrets = redact.NewSet([]redact.Secret{{Name: "TOKEN", Value: secret, Readable: true}})
	})
	r.send(0, &rpc.Console{Level: "log", Message: "it is " + secret[:15]})
	r.send(0, done())
	r.wait()
	if len(r.printed.console) != 1 || r.printed.console[0] != "log it is " {
		t.Errorf("%q", r.printed.console)
	}
}

// quoter fails with what it was asked.
type quoter struct{ code string }

func (quoter) ReadOnly(string) bool { return true }
func (q quoter) Call(_ context.Context, _ grants.ToolCall, params json.RawMessage) (any, error) {
	return nil, codedError{code: q.code, message: "no account " + string(params)}
}

type codedError struct{ code, message string }

func (e codedError) Error() string { return e.message }
func (e codedError) Code() string  { return e.code }

// Arguments never appear in a record, also where a tool quotes them in its error.
func TestARecordOfAToolThatFailedHasItsCodeAlone(t *testing.T) {
	for code, reason := range map[string]string{"E_ACCOUNT": "E_ACCOUNT", "account 4111": "TOOL_ERROR", "": "TOOL_ERROR"} {
		r := newRig(t, grants.Grants{Tools: grants.Tools{Allowed: []string{"t"}}}, func(c *Config) { c.Executors.Tools = quoter{code} })
		r.send(1, &rpc.ToolRequest{Method: "t", Size: 5, Params: rpc.Raw("\xa44111")})
		if _, m := r.reply(); m.Error.Code != code || m.Error.Message != `no account "4111"` {
			t.Errorf("the guest is told %+v", m.Error)
		}
		r.send(0, done())
		r.wait()
		for _, rec := range r.memory.Records() {
			if strings.Contains(rec.Reason, "4111") || rec.Outcome == audit.Error && rec.Reason != reason {
				t.Errorf("%+v", rec)
			}
		}
	}
}

// Covers: T-SEC-01
func TestSecretsAreReplacedInOutputAndErrors(t *testing.T) {
	g := grants.Grants{Secrets: map[string]grants.Secret{"TOKEN": {Value: "hunter2hunter2"}}}
	r := newRig(t, g, func(c *Config) {
		c.Secrets = redact.NewSet([]redact.Secret{{Name: "TOKEN", Value: "hunter2hunter2", Readable: true}})
	})
	r.send(0, &rpc.Console{Level: "log", Message: "it is hunter2hunter2"})
	r.send(1, &rpc.Secret{Name: "TOKEN"})
	if _, m := r.reply(); !m.OK || !bytes.Contains(m.Value, []byte("hunter2hunter2")) {
		t.Errorf("a readable secret reaches the guest: %+v", m)
	}
	r.send(0, done())
	r.wait()
	if strings.Contains(r.printed.console[0], "hunter2") {
		t.Error(r.printed.console)
	}
	for _, rec := range r.memory.Records() {
		if strings.Contains(rec.Reason+rec.Target, "hunter2") || rec.Bytes != nil && *rec.Bytes == 14 {
			t.Errorf("%+v", rec)
		}
	}
}
