package filesystem

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// rounds is how often each race is run.
const rounds = 3000

// swapping exchanges two names until stop is called.
func swapping(t *testing.T, a, b string) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
					t.Errorf("exchange: %v", err)
					return
				}
			}
		}
	})
	return func() { close(done); wg.Wait() }
}

// F3 of the cases.
// Covers: T-FS-01
func TestSwappedLinksNeverWin(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	secret := w.put(filepath.Join(w.outside, "name"), "secret")
	w.put("name", "inside")
	w.link(secret, "link")
	if err := os.Mkdir(w.path("dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.put("dir/name", "inside")
	w.link("../outside", "way")

	stopFile := swapping(t, w.path("name"), w.path("link"))
	stopDir := swapping(t, w.path("dir"), w.path("way"))
	won := 0
	for range rounds {
		for _, path := range []string{"name", "dir/name"} {
			got, err := w.read(w.path(path))
			if err == nil && got != "inside" && got != "written" {
				t.Fatalf("%s: read %q", path, got)
			}
			if err == nil {
				won++
			}
			w.expected(err)
		}
		w.expected(w.write(w.path("dir/name"), "written"))
		w.expected(w.append(w.path("dir/new"), "x"))
		w.expected(w.remove(w.path("dir/new")))
		_, err := w.list(w.path("dir"))
		w.expected(err)
	}
	stopFile()
	stopDir()
	w.holds(secret, "secret")
	entries, err := os.ReadDir(w.outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside: %v, %v", entries, err)
	}
	if won == 0 {
		t.Error("no read succeeded: the race was not run")
	}
}

// expected accepts success, a denial, and the failures that a name in motion has.
func (w *world) expected(err error) {
	w.t.Helper()
	var d *grants.Denial
	var f *capability.Failure
	switch {
	case err == nil || errors.As(err, &d):
	case errors.As(err, &f) && strings.Contains("ENOENT EAGAIN ELOOP ENOTDIR", f.Code):
	default:
		w.t.Errorf("unexpected: %v", err)
	}
}

// A regular file that becomes a FIFO between look and open must not block the supervisor.
// Covers: T-FS-02
func TestAFileSwappedForAFIFONeverBlocks(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	w.put("a", "inside")
	if err := unix.Mkfifo(w.path("b"), 0o644); err != nil {
		t.Fatal(err)
	}
	stop := swapping(t, w.path("a"), w.path("b"))
	defer stop()
	for range rounds {
		if got, err := w.read(w.path("a")); err == nil && got != "inside" {
			t.Fatalf("read %q", got)
		}
		_ = w.append(w.path("a"), "")
	}
}

func TestReadersSeeTheOldFileOrTheNew(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	old, fresh := strings.Repeat("o", 300_000), strings.Repeat("n", 400_000)
	w.put("a", old)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if got, err := w.read(w.path("a")); err != nil || got != old && got != fresh {
						t.Errorf("read %d bytes, %v", len(got), err)
						return
					}
				}
			}
		})
	}
	for i := range 60 {
		if err := w.write(w.path("a"), []string{fresh, old}[i%2]); err != nil {
			t.Error(err)
		}
	}
	close(done)
	wg.Wait()
	w.names("a")
}

func TestRootsCloseWhileTheyAreUsed(t *testing.T) {
	w := newWorld(t, grants.Resources{}, Options{})
	w.put("a", "inside")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				got, err := w.read(w.path("a"))
				if err != nil {
					w.failed(err, "EPERM")
					return
				}
				if got != "inside" {
					t.Errorf("read %q", got)
				}
			}
		})
	}
	if err := w.roots.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
}

func init() {
	children["writer"] = func(args []string) error { return writeForever(args[0], args[1] == "named") }
}

// writeForever replaces a file with one content and the other until it is killed.
func writeForever(dir string, named bool) error {
	g := grants.Grants{Filesystem: grants.Filesystem{Write: []string{dir}}}
	roots, err := Open(nil, []string{dir}, Options{named: named})
	if err != nil {
		return err
	}
	checker := grants.NewChecker(g)
	for i := 0; ; i++ {
		ticket, err := checker.FileWrite(filepath.Join(dir, "a"), killedSize)
		if err != nil {
			return err
		}
		if err := roots.Write(context.Background(), ticket, []byte(killedContent(i))); err != nil {
			return err
		}
		if i == 0 {
			os.Stdout.WriteString("x")
		}
	}
}

const killedSize = 200_000

func killedContent(i int) string { return strings.Repeat(string(rune('a'+i%26)), killedSize) }

// F7 of the cases.
// Covers: T-FS-05
func TestAKilledWriterLeavesAWholeFile(t *testing.T) {
	for i := range 12 {
		dir := t.TempDir()
		cmd := child("writer", dir, []string{"nameless", "named"}[i%2])
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		for range i * 40 { // a different moment each time, without a clock
			_, _ = os.ReadFile(filepath.Join(dir, "a"))
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		got, err := os.ReadFile(filepath.Join(dir, "a"))
		if err != nil || len(got) != killedSize || strings.Trim(string(got), string(got[:1])) != "" {
			t.Fatalf("the file holds %d bytes, %v", len(got), err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != "a" && !IsTemporary(e.Name()) {
				t.Errorf("left behind: %s", e.Name())
			}
		}
	}
}
