package filesystem

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/grants"
)

const fsRead, fsWrite = grants.CapabilityFilesystemRead, grants.CapabilityFilesystemWrite

func TestFilesBelowARootAreRead(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	w.put("a.txt", "hello")
	if err := os.MkdirAll(w.path("x/y"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.put("x/y/b.txt", "deep")
	w.link("x/y", "short")
	w.link("../a.txt", "x/up")
	for path, want := range map[string]string{"a.txt": "hello", "x/y/b.txt": "deep", "short/b.txt": "deep", "x/up": "hello", "x/../a.txt": "hello", "nothing/../a.txt": "hello"} {
		if got, err := w.read(w.root + "/" + path); err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	_, err := w.read(w.path("missing"))
	w.failed(err, "ENOENT")
	_, err = w.read(w.path("a.txt/b"))
	w.failed(err, "ENOTDIR")
	_, err = w.read(w.path(strings.Repeat("n", 300)))
	w.failed(err, "ENAMETOOLONG")
	if _, err := w.read("/etc/passwd"); err == nil {
		t.Error("a file outside is read")
	}
}

func TestRangesAreRead(t *testing.T) {
	w := newWorld(t, grants.Resources{MaxReadBytes: 4}, Options{})
	w.put("a", "0123456789")
	ticket, err := w.checker.FileRead(w.path("a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		part Range
		want string
	}{
		{Range{Offset: 6}, "6789"}, {Range{Offset: 2, Length: 3}, "234"}, {Range{Offset: 8, Length: 4}, "89"}, {Range{Offset: 8, Length: 1 << 62}, "89"},
		{Range{Offset: 10}, ""}, {Range{Offset: 1 << 62}, ""}, {Range{Limited: true}, ""},
	} {
		if got, err := w.roots.Read(context.Background(), ticket, c.part); err != nil || string(got) != c.want {
			t.Errorf("%+v: %q, %v", c.part, got, err)
		}
	}
	_, err = w.roots.Read(context.Background(), ticket, Range{Offset: 2, Length: 5})
	w.denied(err, grants.ResourceBytes, "4 bytes of maxReadBytes")
	_, err = w.roots.Read(context.Background(), ticket, Range{Offset: -1})
	w.failed(err, "EINVAL")
	_, err = w.roots.Read(context.Background(), ticket, Range{Length: -1})
	w.failed(err, "EINVAL")
}

// F6 of the cases: refused without reading it.
func TestAFileAboveTheLimitIsRefusedUnread(t *testing.T) {
	w := newWorld(t, grants.Resources{MaxReadBytes: 1 << 20}, Options{})
	exact := w.put("exact", strings.Repeat("x", 1<<20))
	if got, err := w.read(exact); err != nil || len(got) != 1<<20 {
		t.Errorf("at the limit: %d bytes, %v", len(got), err)
	}
	huge := w.put("huge", "")
	if err := os.Truncate(huge, 1<<30); err != nil {
		t.Fatal(err)
	}
	before := readBytes(t)
	_, err := w.read(huge)
	w.denied(err, grants.ResourceBytes, "1048576 bytes of maxReadBytes")
	if read := readBytes(t) - before; read > 1<<20 {
		t.Errorf("%d bytes were read", read)
	}
	var d *grants.Denial
	if d, _ = err.(*grants.Denial); d == nil || d.Hint != "resources: {maxReadBytes: 1073741824}" {
		t.Errorf("denial %+v", d)
	}
}

// readBytes is how much this process has read so far.
func readBytes(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	for _, c := range strings.TrimPrefix(strings.SplitN(string(text), "\n", 2)[0], "rchar: ") {
		n = n*10 + int64(c-'0')
	}
	return n
}

// F2, F3: what leads out of the root is denied whether it exists or not, in the same words.
// Covers: T-FS-01
func TestLinksOutOfTheRootAreDenied(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	w.put(filepath.Join(w.outside, "secret"), "secret")
	const rule = "a symbolic link on the way leads out of the granted root"
	targets := map[string]string{
		"absolute": filepath.Join(w.outside, "secret"), "absolute-missing": filepath.Join(w.outside, "missing"), "relative": "../outside/secret", "relative-missing": "../outside/missing",
		"directory": w.outside, "up": "..", "root": "/", "proc": "/proc/self/root", "back": "../root/a", "absolute-inside": w.path("a"),
	}
	w.put("a", "inside")
	texts := map[string]bool{}
	for name, target := range targets {
		w.link(target, name)
		_, err := w.read(w.path(name))
		w.denied(err, fsRead, rule)
		texts[strings.ReplaceAll(err.Error(), w.path(name), "")] = true
		_, err = w.stat(w.path(name))
		w.denied(err, fsRead, rule)
		_, err = w.list(w.path(name))
		w.denied(err, fsRead, rule)
		_, err = w.read(w.path(name + "/secret"))
		w.denied(err, fsRead, rule)
		_, err = w.read(w.path(name + "/missing"))
		w.denied(err, fsRead, rule)
		w.denied(w.write(w.path(name+"/new"), "x"), fsWrite, rule)
		w.denied(w.makeDirectory(w.path(name+"/new")), fsWrite, rule)
		w.denied(w.remove(w.path(name+"/secret")), fsWrite, rule)
	}
	if len(texts) != 1 {
		t.Errorf("the denials tell targets apart: %v", texts)
	}
	w.link("loop", "loop")
	_, err := w.read(w.path("loop"))
	w.failed(err, "ELOOP")
	w.holds(filepath.Join(w.outside, "secret"), "secret")
}

// No existence oracle: outside the roots, what exists and what does not are refused alike.
// Covers: T-FS-04
func TestOutsidePathsAreDeniedAlike(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	w.put(filepath.Join(w.outside, "secret"), "secret")
	for _, ask := range []func(string) error{
		func(p string) error { _, err := w.read(p); return err },
		func(p string) error { _, err := w.stat(p); return err },
		func(p string) error { _, err := w.list(p); return err },
		func(p string) error { return w.write(p, "x") },
		w.makeDirectory, w.remove,
	} {
		there, missing := ask(filepath.Join(w.outside, "secret")), ask(filepath.Join(w.outside, "secreT"))
		if there == nil || missing == nil || strings.ReplaceAll(there.Error(), "secret", "secreT") != missing.Error() {
			t.Errorf("%v and %v", there, missing)
		}
	}
}

// F4.
func TestARootMayBeASymbolicLink(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	w.put("a", "through the link")
	alias := filepath.Join(filepath.Dir(w.root), "alias")
	if err := os.Symlink("root", alias); err != nil {
		t.Fatal(err)
	}
	w.open(grants.Grants{Filesystem: grants.Filesystem{Read: []string{alias + "/"}, Write: []string{alias}}}, Options{})
	if got, err := w.read(alias + "/a"); err != nil || got != "through the link" {
		t.Errorf("%q, %v", got, err)
	}
	if err := w.write(alias+"/b", "x"); err != nil {
		t.Error(err)
	}
	// What the link leads to was decided when it was granted.
	if err := os.Remove(alias); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("outside", alias); err != nil {
		t.Fatal(err)
	}
	if got, err := w.read(alias + "/a"); err != nil || got != "through the link" {
		t.Errorf("after the link moved: %q, %v", got, err)
	}
}

// F5.
// Covers: T-FS-02
func TestOnlyRegularFilesAreRead(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	if err := syscall.Mkfifo(w.path("fifo"), 0o644); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", w.path("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := w.read(w.path("fifo"))
		w.failed(err, "EINVAL")
		_, err = w.read(w.path("socket"))
		w.failed(err, "EINVAL")
		_, err = w.read(w.root)
		w.failed(err, "EISDIR")
		w.failed(w.write(w.path("fifo"), "x"), "EINVAL")
		w.failed(w.append(w.path("fifo"), "x"), "EINVAL")
		w.failed(w.append(w.path("socket"), "x"), "EINVAL")
		if info, err := w.stat(w.path("fifo")); err != nil || info.Type != TypeOther || info.Size != 0 {
			t.Errorf("%+v, %v", info, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("an operation blocks")
	}
	devices := &world{t: t}
	devices.open(grants.Grants{Filesystem: grants.Filesystem{Read: []string{"/dev"}}}, Options{})
	for _, name := range []string{"/dev/zero", "/dev/null"} {
		_, err := devices.read(name)
		devices.failed(err, "EINVAL")
	}
}

func TestBadRootsAreRefusedWhenTheyAreGranted(t *testing.T) {
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for root, want := range map[string]string{filepath.Join(base, "missing"): "does not exist", file: "is not a directory", "relative": "is not absolute"} {
		for _, lists := range [][2][]string{{{base, root}, nil}, {nil, {base, root}}} {
			roots, err := Open(lists[0], lists[1], Options{})
			if err == nil {
				_ = roots.Close()
			}
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), root) {
				t.Errorf("%s: %v", root, err)
			}
		}
	}
}

func TestDirectoriesAreListed(t *testing.T) {
	w := newWorld(t, grants.Resources{MaxReadBytes: 1000}, Options{})
	w.put("b", "123")
	w.put("a", "")
	w.put("bad\xff", "1")
	w.link("/etc/passwd", "c")
	if err := os.Mkdir(w.path("d"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := w.list(w.root)
	want := []Entry{{"a", TypeFile, 0}, {"b", TypeFile, 3}, {"bad\uFFFD", TypeFile, 1}, {"c", TypeSymlink, 0}, {"d", TypeDirectory, 0}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v, %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if got, err := w.list(w.path("d")); err != nil || got == nil || len(got) != 0 {
		t.Errorf("an empty directory: %v, %v", got, err)
	}
	_, err = w.list(w.path("a"))
	w.failed(err, "ENOTDIR")
	for i := range 30 {
		w.put("file"+strings.Repeat("x", i), "")
	}
	_, err = w.list(w.root)
	w.denied(err, grants.ResourceBytes, "1000 bytes of maxReadBytes")
}

func TestStatsAreOfWhatAPathLeadsTo(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	when := time.UnixMilli(1_700_000_000_123)
	if err := os.Chtimes(w.put("a", "12345"), when, when); err != nil {
		t.Fatal(err)
	}
	w.link("a", "link")
	for _, name := range []string{"a", "link"} {
		if info, err := w.stat(w.path(name)); err != nil || info != (Info{TypeFile, 5, 1_700_000_000_123}) {
			t.Errorf("%s: %+v, %v", name, info, err)
		}
	}
	if info, err := w.stat(w.root); err != nil || info.Type != TypeDirectory || info.Size != 0 {
		t.Errorf("root: %+v, %v", info, err)
	}
}

func TestOperationsWithoutATicketAreRefused(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	ctx := context.Background()
	_, err := w.roots.Read(ctx, grants.FileRead{}, Range{})
	w.failed(err, "EPERM")
	_, err = w.roots.List(ctx, grants.FileList{})
	w.failed(err, "EPERM")
	_, err = w.roots.Stat(ctx, grants.FileStat{})
	w.failed(err, "EPERM")
	w.failed(w.roots.Write(ctx, grants.FileWrite{}, nil), "EPERM")
	w.failed(w.roots.Append(ctx, grants.FileWrite{}, nil), "EPERM")
	w.failed(w.roots.MakeDirectory(ctx, grants.MakeDirectory{}), "EPERM")
	w.failed(w.roots.Remove(ctx, grants.Remove{}), "EPERM")
	ticket, _ := w.checker.FileWrite(w.path("a"), 1)
	w.failed(w.roots.Write(ctx, ticket, []byte("more")), "EPERM")
	w.names()

	other := newWorld(t, grants.Resources{}, Options{})
	foreign, _ := other.checker.FileRead(other.put("a", "x"))
	_, err = w.roots.Read(ctx, foreign, Range{})
	w.failed(err, "EPERM")
	if err := w.roots.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = w.read(w.path("a"))
	w.failed(err, "EPERM")
}

func TestEndedRunsReadAndWriteNothing(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	read, _ := w.checker.FileRead(w.put("a", "old"))
	_, err := w.roots.Read(ctx, read, Range{})
	w.failed(err, "ECANCELED")
	write, _ := w.checker.FileWrite(w.path("a"), 3)
	w.failed(w.roots.Write(ctx, write, []byte("new")), "ECANCELED")
	w.holds(w.path("a"), "old")
}
