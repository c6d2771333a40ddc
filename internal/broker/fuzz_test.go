package broker

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"realm.internal/supervisor/internal/capability/filesystem"
	"realm.internal/supervisor/internal/capability/secret"
	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
)

// host is what the realm behind a stream of bytes could reach.
type host struct {
	grants        grants.Grants
	root, outside string
	executors     Executors
}

func newHost(t testing.TB) *host {
	t.Helper()
	dir := t.TempDir()
	h := &host{root: filepath.Join(dir, "root"), outside: filepath.Join(dir, "outside")}
	if err := os.Mkdir(h.root, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.outside, []byte("untouched"), 0o644); err != nil {
		t.Fatal(err)
	}
	h.grants = grants.Grants{
		Filesystem: grants.Filesystem{Read: []string{h.root}, Write: []string{h.root}}, Environment: map[string]string{"MODE": "x"},
		Secrets: map[string]grants.Secret{"S": {Value: "value-of-the-secret"}}, Resources: grants.Resources{MaxOperations: 20, MaxWriteBytes: 1 << 12, MaxResultBytes: 5 << 20, MaxLogBytes: 1 << 10},
	}
	if err := h.grants.Validate(); err != nil {
		t.Fatal(err)
	}
	files, err := filesystem.Open(h.grants.Filesystem.Read, h.grants.Filesystem.Write, filesystem.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = files.Close() })
	secrets, err := secret.Open(h.grants, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	h.executors = Executors{Files: files, Secrets: secrets}
	return h
}

// serve holds a run of these bytes to what every run is held to: it ends, by
// itself, in one of the ways that a run can, nothing outside its grants is
// touched, and each call that is answered was recorded.
func (h *host) serve(t *testing.T, stream []byte) {
	checker, memory := grants.NewChecker(h.grants), audit.NewMemory()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	end, err := New(Config{
		Reader: rpc.NewReader(bytes.NewReader(stream)), Deadline: func(time.Time) error { return nil }, Out: rpc.NewWriter(io.Discard),
		Checker: checker, Budget: grants.NewBudget(checker.Limits()), Trail: NewTrail("r", memory, nil),
		Executors: h.executors, Events: &printed{}, Kill: func() {},
	}).Serve(ctx)
	if err != nil && !errors.Is(err, ErrProtocol) && !errors.Is(err, io.EOF) {
		t.Fatalf("%x: %v", stream, err)
	}
	if err == nil && end.Result == nil && end.Failure == nil {
		t.Fatalf("%x: neither a result nor a failure nor an error", stream)
	}
	if text, err := os.ReadFile(h.outside); err != nil || string(text) != "untouched" {
		t.Fatalf("%x: %q, %v", stream, text, err)
	}
	allowed, closed := map[uint64]bool{}, map[uint64]bool{}
	for _, r := range memory.Records() {
		switch {
		case r.Outcome == audit.Allowed:
			allowed[r.Op] = true
		case r.Outcome != audit.Denied && (!allowed[r.Op] || closed[r.Op]):
			t.Fatalf("%x: %+v without its permission", stream, r)
		case r.Outcome != audit.Denied:
			closed[r.Op] = true
		}
	}
}

func FuzzBytesOfARealm(f *testing.F) {
	h := newHost(f)
	for _, stream := range streams(f, h.root, h.outside) {
		f.Add(stream)
	}
	f.Fuzz(h.serve)
}

// streams are what realms say: in order, and what attackers begin with.
func streams(f testing.TB, root, outside string) (all [][]byte) {
	f.Helper()
	say := func(messages ...rpc.Message) {
		var b bytes.Buffer
		for i, m := range messages {
			id := uint64(i + 1)
			switch m.(type) {
			case *rpc.Console, *rpc.Status, *rpc.Result, *rpc.Failure:
				id = 0
			}
			if err := rpc.NewWriter(&b).Send(id, m); err != nil {
				f.Fatal(err)
			}
		}
		all = append(all, b.Bytes())
	}
	say(done())
	say(&rpc.Console{Level: "log", Message: "m"}, &rpc.Status{Stage: "s", Message: "m"}, done())
	say(&rpc.Failure{Code: "RUNTIME", Phase: "run", Name: "Error", Message: "m", Thrown: rpc.Raw{0xc0}})
	say(&rpc.Environment{Name: "MODE"}, &rpc.Secret{Name: "S"}, &rpc.Environment{Name: "HOME"}, done())
	say(&rpc.FilesystemWrite{Path: root + "/f", Size: 3, Data: []byte("abc")}, &rpc.FilesystemRead{Path: root + "/f", Length: -1, Text: true},
		&rpc.FilesystemList{Path: root}, &rpc.FilesystemStat{Path: root}, &rpc.FilesystemRemove{Path: root + "/f"}, done())
	say(&rpc.FilesystemRead{Path: outside, Length: -1}, &rpc.FilesystemWrite{Path: root + "/../outside", Size: 1, Data: []byte("x")}, done())
	say(&rpc.FilesystemMakeDirectory{Path: root + "/d"}, &rpc.FilesystemRemove{Path: root + "/d"}, done())
	say(&rpc.NetworkFetch{Method: "GET", URL: "http://127.0.0.1:1/", Text: true}, &rpc.SubprocessSpawn{Path: "/bin/true"}, &rpc.ToolRequest{Method: "t", Size: 1, Params: rpc.Raw{0xc0}}, done())
	return append(all, []byte{0, 0, 0, 9, 0x93, byte(rpc.OpResult), 0, 0x92, 0xdd, 0xff, 0xff, 0xff, 0xff})
}
