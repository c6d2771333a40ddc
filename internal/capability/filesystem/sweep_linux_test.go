package filesystem

import (
	"bufio"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
)

func init() {
	children["between link and rename"] = func(args []string) error {
		dir, err := unix.Open(args[0], unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		t := &temporary{dir: dir, name: tempPrefix + args[1], options: Options{named: args[2] == "named"}}
		if err := t.create(newFileMode); err != nil {
			return err
		}
		if err := t.link(); err != nil {
			return err
		}
		_, _ = os.Stdout.WriteString("linked\n")
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		return nil
	}
}

// interrupted is a writer that has given a temporary its name, and no more. kill ends it there.
func interrupted(t *testing.T, dir, suffix, way string) (kill func()) {
	t.Helper()
	cmd := child("between link and rename", dir, suffix, way)
	if _, err := cmd.StdinPipe(); err != nil { // open until Wait
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	t.Cleanup(kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "linked\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return kill
}

// Who finds a temporary before it is locked makes the write fail, and neither wait nor end in a file without a name.
//
// Covers: T-FS-07
func TestATemporaryThatIsNotItsWritersIsNotWrittenTo(t *testing.T) {
	for claim, disturb := range map[string]func(path string) error{
		"locked by somebody": func(path string) error {
			fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return err
			}
			t.Cleanup(func() { unix.Close(fd) })
			return unix.Flock(fd, unix.LOCK_SH)
		},
		"removed by a sweep": os.Remove,
	} {
		w := newWorld(t, grants.Resources{}, Options{})
		dir, err := os.Open(w.root)
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		temp := &temporary{dir: int(dir.Fd()), name: tempPrefix + rand.Text(), options: Options{named: true}}
		defer temp.discard()
		if err := temp.create(newFileMode); err != nil {
			t.Fatal(err)
		}
		if err := unix.Flock(temp.fd, unix.LOCK_UN); err != nil { // as it was a moment ago
			t.Fatal(err)
		}
		if err := disturb(w.path(temp.name)); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- temp.claim() }()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s: it is written to", claim)
				continue
			}
			w.failed(err, "EAGAIN")
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the writer waits", claim)
		}
	}
}

func temporaries(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if IsTemporary(e.Name()) {
			list = append(list, e.Name()[len(tempPrefix):])
		}
	}
	return list
}

// Writers and whoever guarded them are both dead: the next run that may write there removes what they left, and
// nothing of a writer that lives.
//
// Covers: T-FS-05
func TestWhatDeadWritersLeftIsRemovedByTheNext(t *testing.T) {
	const dead, alive = "AAAAAAAAAAAAAAAAAAAAAAAAAA", "BBBBBBBBBBBBBBBBBBBBBBBBBB"
	for _, way := range []string{"nameless", "named"} {
		t.Run(way, func(t *testing.T) {
			w := newWorld(t, grants.Resources{}, Options{})
			below := w.path("below")
			if err := os.Mkdir(below, 0o755); err != nil {
				t.Fatal(err)
			}
			for _, dir := range []string{w.root, below} {
				interrupted(t, dir, dead, way)()
				interrupted(t, dir, alive, way)
				if left := temporaries(t, dir); !slices.Equal(left, []string{dead, alive}) {
					t.Fatalf("in %s: %v", dir, left)
				}
			}
			// Of that name, and no file: neither opened nor removed.
			if err := unix.Mkfifo(w.path(tempPrefix+"CCCCCCCCCCCCCCCCCCCCCCCCCC"), 0o644); err != nil {
				t.Fatal(err)
			}
			w.put("a file", "")
			w.open(grants.Grants{Filesystem: grants.Filesystem{Write: []string{w.root}}}, Options{})
			if left := temporaries(t, w.root); !slices.Equal(left, []string{alive, "CCCCCCCCCCCCCCCCCCCCCCCCCC"}) {
				t.Errorf("once the root is granted: %v", left)
			}
			if err := w.write(filepath.Join(below, "file"), "x"); err != nil {
				t.Fatal(err)
			}
			if left := temporaries(t, below); !slices.Equal(left, []string{alive}) {
				t.Errorf("after a write: %v", left)
			}
		})
	}
}
