package filesystem

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

// Whatever a path says, what is outside the root is neither read nor written.
func FuzzPathsStayInside(f *testing.F) {
	const secret, inside = "of nobody else", "of the root"
	w := newWorld(f, grants.Resources{}, Options{})
	outside := w.put(filepath.Join(w.outside, "secret"), secret)
	w.put("file", inside)
	if err := os.Mkdir(w.path("dir"), 0o755); err != nil {
		f.Fatal(err)
	}
	for name, target := range map[string]string{
		"up": "..", "out": w.outside, "secret": outside, "dir/up": "../..", "round": "dir/up/root/file", "loop": "loop", "self": "/proc/self/root", "relative": "../outside/secret",
	} {
		w.link(target, name)
	}
	for _, path := range []string{
		"/file", "/up/outside/secret", "/out/secret", "/secret", "/dir/up/outside/secret", "/dir/../../outside/secret", "/loop/x", "/self/etc/passwd", "/relative",
		"/round", "//file", "/file/", "/./dir/./up", "/new", "/dir/new", "/out/new", "/\xff", "/dir/\x00", "/up/../../outside/secret", "/file/../secret",
	} {
		f.Add(path, true)
		f.Add(path, false)
	}
	f.Fuzz(func(t *testing.T, path string, absolute bool) {
		if absolute {
			path = w.root + path
		}
		got, err := w.read(path)
		if err == nil && strings.Contains(got, secret) {
			t.Fatalf("%q reads what is outside", path)
		}
		if ticket, err := w.checker.FileWrite(path, 7); err == nil {
			_ = w.roots.Write(t.Context(), ticket, []byte("written"))
			_ = w.roots.Append(t.Context(), ticket, []byte("written"))
		}
		if ticket, err := w.checker.MakeDirectory(path); err == nil {
			_ = w.roots.MakeDirectory(t.Context(), ticket)
		}
		if ticket, err := w.checker.Remove(path); err == nil {
			_ = w.roots.Remove(t.Context(), ticket)
		}
		after, err := os.ReadDir(w.outside)
		if text, _ := os.ReadFile(outside); err != nil || len(after) != 1 || string(text) != secret {
			t.Fatalf("%q changed what is outside: %v, %v, %q", path, err, after, text)
		}
	})
}
