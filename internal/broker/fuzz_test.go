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

// Any stream of bytes is a run that ends, by itself, in one of the ways that a
// run can: nothing outside its grants is touched, and each call that is
// answered was recorded.
func FuzzBytesOfARealm(f *testing.F) {
	dir := f.TempDir()
	root, outside := filepath.Join(dir, "root"), filepath.Join(dir, "outside")
	if err := os.Mkdir(root, 0o755); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(outside, []byte("untouched"), 0o644); err != nil {
		f.Fatal(err)
	}
	g := grants.Grants{
		Filesystem: grants.Filesystem{Read: []string{root}, Write: []string{root}}, Environment: map[string]string{"MODE": "x"},
		Secrets: map[string]grants.Secret{"S": {Value: "value-of-the-secret"}}, Resources: grants.Resources{MaxOperations: 20, MaxWriteBytes: 1 << 12, MaxResultBytes: 1 << 14, MaxLogBytes: 1 << 10},
	}
	if err := g.Validate(); err != nil {
		f.Fatal(err)
	}
	for _, stream := range streams(f, root, outside) {
		f.Add(stream)
	}
	files, err := filesystem.Open(g.Filesystem.Read, g.Filesystem.Write, filesystem.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = files.Close() })
	secrets, err := secret.Open(g, os.LookupEnv)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		checker, memory := grants.NewChecker(g), audit.NewMemory()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		end, err := New(Config{
			Reader: rpc.NewReader(bytes.NewReader(stream)), Deadline: func(time.Time) error { return nil }, Out: rpc.NewWriter(io.Discard),
			Checker: checker, Budget: grants.NewBudget(checker.Limits()), Trail: NewTrail("r", memory, nil),
			Executors: Executors{Files: files, Secrets: secrets}, Events: &printed{}, Kill: func() {},
		}).Serve(ctx)
		if err != nil && !errors.Is(err, ErrProtocol) && !errors.Is(err, io.EOF) {
			t.Fatalf("%v", err)
		}
		if err == nil && end.Result == nil && end.Failure == nil {
			t.Fatal("neither a result nor a failure nor an error")
		}
		if text, err := os.ReadFile(outside); err != nil || string(text) != "untouched" {
			t.Fatalf("%q, %v", text, err)
		}
		allowed, closed := map[uint64]bool{}, map[uint64]bool{}
		for _, r := range memory.Records() {
			switch {
			case r.Outcome == audit.Allowed:
				allowed[r.Op] = true
			case r.Outcome != audit.Denied && (!allowed[r.Op] || closed[r.Op]):
				t.Fatalf("%+v without its permission", r)
			case r.Outcome != audit.Denied:
				closed[r.Op] = true
			}
		}
	})
}

// streams are what realms say: in order, and what attackers begin with.
func streams(f *testing.F, root, outside string) (all [][]byte) {
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
