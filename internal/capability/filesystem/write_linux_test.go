package filesystem

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
)

// ledger is a guard that remembers what it was told and checks it against the directory.
type ledger struct {
	t       *testing.T
	world   *world
	guarded []string
	live    int
	fail    error
}

func (l *ledger) Guard(dir int, name string) (func(), error) {
	if l.fail != nil {
		return nil, l.fail
	}
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != unix.ENOENT {
		l.t.Errorf("%s was there before its guard: %v", name, err)
	}
	if !IsTemporary(name) {
		l.t.Errorf("%s is not recognised as a temporary", name)
	}
	l.guarded, l.live = append(l.guarded, name), l.live+1
	return func() {
		l.live--
		if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != unix.ENOENT {
			l.t.Errorf("%s is still there when its guard is released: %v", name, err)
		}
	}, nil
}

// bothWays runs a test with and without nameless files.
func bothWays(t *testing.T, test func(t *testing.T, w *world, l *ledger)) {
	for name, named := range map[string]bool{"nameless files": false, "named temporaries": true} {
		t.Run(name, func(t *testing.T) {
			l := &ledger{t: t}
			w := newWorld(t, grants.Resources{}, Options{Guard: l, named: named})
			l.world = w
			test(t, w, l)
			if l.live != 0 {
				t.Errorf("%d guards were not released", l.live)
			}
		})
	}
}

func TestFilesAreWrittenAndReplaced(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	bothWays(t, func(t *testing.T, w *world, l *ledger) {
		if err := w.write(w.path("new"), "first"); err != nil {
			t.Fatal(err)
		}
		w.holds(w.path("new"), "first")
		w.mode("new", 0o640)
		for _, mode := range []os.FileMode{0o600, 0o755, 0o444, 0o666} {
			if err := os.Chmod(w.path("new"), mode); err != nil {
				t.Fatal(err)
			}
			if err := w.write(w.path("new"), "again"); err != nil {
				t.Fatal(err)
			}
			w.holds(w.path("new"), "again")
			w.mode("new", mode)
		}
		if err := w.write(w.path("empty"), ""); err != nil {
			t.Fatal(err)
		}
		w.holds(w.path("empty"), "")
		w.names("empty", "new")
		if len(l.guarded) < 4 {
			t.Errorf("only %q were guarded", l.guarded)
		}
	})
}

// watched calls look whenever it is asked whether it has ended.
type watched struct {
	context.Context
	look func()
}

func (w watched) Err() error {
	w.look()
	return w.Context.Err()
}

// Covers: T-FS-07
func TestTheContentOfAPrivateFileIsPrivateWhileItIsWritten(t *testing.T) {
	for _, old := range []os.FileMode{0o600, 0o640, 0o604} {
		w := newWorld(t, grants.Resources{}, Options{named: true})
		if err := os.Chmod(w.put("a", "old"), old); err != nil {
			t.Fatal(err)
		}
		ticket, err := w.checker.FileWrite(w.path("a"), 3)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		ctx := watched{t.Context(), func() {
			for _, suffix := range temporaries(t, w.root) {
				seen++
				w.mode(tempPrefix+suffix, 0o600)
			}
		}}
		if err := w.roots.Write(ctx, ticket, []byte("new")); err != nil {
			t.Fatal(err)
		}
		if seen == 0 {
			t.Error("nobody looked while it was written")
		}
		w.mode("a", old)
	}
}

func (w *world) mode(name string, want os.FileMode) {
	w.t.Helper()
	info, err := os.Stat(w.path(name))
	if err != nil || info.Mode() != want {
		w.t.Errorf("%s has mode %v (%v), want %v", name, info.Mode(), err, want)
	}
}

func TestAReplacedFileLosesItsSetuidBitAndKeepsItsOwner(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	w.put("a", "old")
	if os.Geteuid() == 0 {
		if err := os.Chown(w.path("a"), 1234, 2345); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(w.path("a"), 0o755|os.ModeSetuid|os.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	if err := w.write(w.path("a"), "new"); err != nil {
		t.Fatal(err)
	}
	w.mode("a", 0o755)
	info, _ := os.Stat(w.path("a"))
	if st := info.Sys().(*syscall.Stat_t); os.Geteuid() == 0 && (st.Uid != 1234 || st.Gid != 2345) {
		t.Errorf("the owner became %d:%d", st.Uid, st.Gid)
	}
}

// A write replaces the name, never the inode that other names share.
func TestHardLinksKeepWhatTheyHad(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, _ *ledger) {
		shared := filepath.Join(w.outside, "shared")
		w.put(shared, "old")
		for _, name := range []string{"written", "appended"} {
			if err := os.Link(shared, w.path(name)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := w.read(w.path("written")); err != nil || got != "old" {
			t.Errorf("read %q, %v", got, err)
		}
		if err := w.write(w.path("written"), "new"); err != nil {
			t.Fatal(err)
		}
		if err := w.append(w.path("appended"), " and more"); err != nil {
			t.Fatal(err)
		}
		w.holds(w.path("written"), "new")
		w.holds(w.path("appended"), "old and more")
		w.holds(shared, "old")
	})
}

func TestAppendsGrowAFile(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, _ *ledger) {
		for _, part := range []string{"one\n", "two\n", ""} {
			if err := w.append(w.path("log"), part); err != nil {
				t.Fatal(err)
			}
		}
		w.holds(w.path("log"), "one\ntwo\n")
		w.names("log")
		w.failed(w.append(w.root, "x"), "EISDIR")
	})
}

func TestAppendingToAHardLinkIsBounded(t *testing.T) {
	w := newWorld(t, grants.Resources{MaxWriteBytes: 10}, Options{})
	w.put("a", "12345678")
	if err := os.Link(w.path("a"), w.path("b")); err != nil {
		t.Fatal(err)
	}
	if err := w.append(w.path("b"), "90"); err != nil {
		t.Error(err)
	}
	if err := os.Link(w.path("b"), w.path("c")); err != nil {
		t.Fatal(err)
	}
	w.denied(w.append(w.path("c"), "x"), grants.ResourceBytes, "10 bytes of maxWriteBytes")
	w.holds(w.path("c"), "1234567890")
}

// F2 of the cases.
func TestASymbolicLinkAsLastComponentIsNotWrittenThrough(t *testing.T) {
	bothWays(t, func(t *testing.T, w *world, _ *ledger) {
		target := w.put(filepath.Join(w.outside, "target"), "untouched")
		w.put("inside", "untouched")
		w.link(target, "out")
		w.link("inside", "in")
		w.link(filepath.Join(w.outside, "missing"), "dangling")
		for _, name := range []string{"out", "in", "dangling"} {
			w.denied(w.write(w.path(name), "x"), fsWrite, "it is a symbolic link")
			w.denied(w.append(w.path(name), "x"), fsWrite, "it is a symbolic link")
		}
		w.holds(target, "untouched")
		w.holds(w.path("inside"), "untouched")
		if _, err := os.Lstat(filepath.Join(w.outside, "missing")); !errors.Is(err, os.ErrNotExist) {
			t.Error("a file was made outside")
		}
		if err := w.remove(w.path("out")); err != nil {
			t.Error(err)
		}
		w.holds(target, "untouched")
		w.names("dangling", "in", "inside")
	})
}

func TestWritesFailWithNames(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	w.put("file", "old")
	w.failed(w.write(w.root, "x"), "EISDIR")
	w.failed(w.write(w.path("missing/a"), "x"), "ENOENT")
	w.failed(w.write(w.path("file/a"), "x"), "ENOTDIR")
	w.failed(w.write(w.path(strings.Repeat("n", 300)), "x"), "ENAMETOOLONG")
	if err := os.Mkdir(w.path("d"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.failed(w.write(w.path("d"), "x"), "EISDIR")
	w.holds(w.path("file"), "old")
	w.names("d", "file")
}

func TestDirectoriesAreMadeAndRemoved(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	if err := w.makeDirectory(w.path("d")); err != nil {
		t.Fatal(err)
	}
	w.failed(w.makeDirectory(w.path("d")), "EEXIST")
	w.failed(w.makeDirectory(w.root), "EEXIST")
	w.failed(w.makeDirectory(w.path("x/y")), "ENOENT")
	if err := w.write(w.path("d/a"), "x"); err != nil {
		t.Fatal(err)
	}
	w.failed(w.remove(w.path("d")), "ENOTEMPTY")
	for _, name := range []string{"d/a", "d"} {
		if err := w.remove(w.path(name)); err != nil {
			t.Error(err)
		}
	}
	w.failed(w.remove(w.path("d")), "ENOENT")
	w.denied(w.remove(w.root), fsWrite, "a granted root cannot be removed")
	w.names()
}

func TestAWriteThatCannotBeGuardedIsNotBegun(t *testing.T) {
	for _, named := range []bool{false, true} {
		l := &ledger{t: t, fail: errors.New("the reaper is gone")}
		w := newWorld(t, grants.Resources{}, Options{Guard: l, named: named})
		w.put("a", "old")
		w.failed(w.write(w.path("a"), "new"), "EIO")
		w.holds(w.path("a"), "old")
		w.names("a")
	}
}

// Covers: T-FS-06
func TestWriteRootsThatHoldWhatTheSupervisorNeedsAreRefused(t *testing.T) {
	base := t.TempDir()
	for _, dir := range []string{"etc/sub", "other"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	policy := filepath.Join(base, "etc/policy.yaml")
	if err := os.WriteFile(policy, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for alias, target := range map[string]string{"alias": "etc", "policy": "etc/policy.yaml"} {
		if err := os.Symlink(target, filepath.Join(base, alias)); err != nil {
			t.Fatal(err)
		}
	}
	protected := [][]string{{policy}, {filepath.Join(base, "alias/policy.yaml")}, {filepath.Join(base, "policy")}, {filepath.Join(base, "etc/not-yet")}}
	for _, exclusions := range protected {
		for root, allowed := range map[string]bool{"": false, "etc": false, "alias": false, "etc/sub": true, "other": true} {
			roots, err := Open(nil, []string{filepath.Join(base, root)}, Options{Exclusions: exclusions})
			if err == nil {
				_ = roots.Close()
			}
			// A link that is protected must not be replaced either, so its own directory is refused too.
			if (err == nil) != allowed {
				t.Errorf("%s with %s protected: %v", root, exclusions, err)
			}
			if err != nil && !strings.Contains(err.Error(), "which the supervisor depends on") {
				t.Error(err)
			}
		}
	}
	roots, err := Open([]string{base}, nil, Options{Exclusions: []string{policy}})
	if err != nil {
		t.Fatalf("reading beside the policy: %v", err)
	}
	_ = roots.Close()
}

// A caller who may write below a ceiling could put a link there and ask for it as a root.
func TestRootsAreReachedBeneathTheCeilings(t *testing.T) {
	base := t.TempDir()
	for _, dir := range []string{"ceiling/in", "outside"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"ceiling/way": "../outside", "ceiling/absolute": "/", "ceiling/short": "in", "alias": "ceiling"} {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	within := func(dir string) *grants.Filesystem {
		return &grants.Filesystem{Read: []string{filepath.Join(base, dir)}, Write: []string{filepath.Join(base, dir)}}
	}
	for _, c := range []struct {
		root     string
		ceilings *grants.Filesystem
		allowed  bool
	}{
		{"ceiling", within("ceiling"), true}, {"ceiling/in", within("ceiling"), true}, {"ceiling/short", within("ceiling"), true}, {"alias/in", within("alias"), true},
		{"alias", within("alias"), true}, {"outside", within("out"), false}, {"ceiling/way", nil, true}, {"ceiling/way", &grants.Filesystem{Read: []string{"/"}, Write: []string{"/"}}, true},
		{"ceiling/way", within("ceiling"), false}, {"ceiling/absolute", within("ceiling"), false}, {"outside", within("ceiling"), false}, {"ceiling", &grants.Filesystem{}, false},
	} {
		root := []string{filepath.Join(base, c.root)}
		for _, lists := range [][2][]string{{root, nil}, {nil, root}} {
			roots, err := Open(lists[0], lists[1], Options{Ceilings: c.ceilings})
			if err == nil {
				_ = roots.Close()
			}
			if (err == nil) != c.allowed {
				t.Errorf("%s within %v: %v", c.root, c.ceilings, err)
			}
			if err != nil && !strings.Contains(err.Error(), "leads out of what the policy allows") {
				t.Error(err)
			}
		}
	}
}
