package confine

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/launch"
)

const built = "../../bin/realm"

func open(t *testing.T, c Config) *Host {
	t.Helper()
	c.RealmPath, c.Log = built, slog.New(slog.DiscardHandler)
	c.AllowMissing = []string{"cgroup.memory", "cgroup.pids", "cgroup.cpu"}
	h, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func spec() Spec {
	return Spec{HeapMb: 64, MemoryBytes: 256 << 20, Pids: 64, JIT: true, Locale: "en-US", TimeZone: "UTC"}
}

// children lists the child processes of one.
func children(pid int) []int {
	var all []int
	threads, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, file := range threads {
		text, _ := os.ReadFile(file)
		for _, field := range strings.Fields(string(text)) {
			child, _ := strconv.Atoi(field)
			all = append(all, child)
		}
	}
	return all
}

// argv0 is what a process calls itself.
func argv0(pid int) string {
	line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	name, _, _ := strings.Cut(string(line), "\x00")
	return name
}

// stopRealms stops every realm of the spawner as soon as it is one, until done is closed.
func stopRealms(spawner int, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
		}
		for _, pid := range children(spawner) {
			if argv0(pid) == "realm" {
				_ = unix.Kill(pid, unix.SIGSTOP)
			}
		}
	}
}

// A host that does not come to start a realm is no fault of ours, and no missing layer: the
// error says what was under way, and nothing is left.
func TestAStarvedStartNamesItsStep(t *testing.T) {
	const patience = 300 * time.Millisecond
	for step, starve := range map[string]func(spawner int, done <-chan struct{}){
		"the launch up to the realm's first instruction": func(spawner int, done <-chan struct{}) {
			_ = unix.Kill(spawner, unix.SIGSTOP)
			<-done
			_ = unix.Kill(spawner, unix.SIGCONT)
		},
		"the start of the engine": stopRealms,
	} {
		h := open(t, Config{StartTimeout: patience})
		spawner, err := h.Spawner()
		if err != nil {
			t.Fatal(err)
		}
		var late *launch.NotReady
		for tries := 0; late == nil && tries < 50; tries++ { // a realm can be quicker than who stops it
			done, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				starve(spawner.PID(), done)
				close(stopped)
			}()
			r, err := h.Start(context.Background(), spec())
			close(done)
			<-stopped
			if err == nil {
				r.End()
			} else if !errors.As(err, &late) || late.Step != step || late.After != patience {
				t.Fatalf("%s: %v", step, err)
			}
		}
		if late == nil {
			t.Fatalf("%s: always in time", step)
		}
		for _, parent := range first(h.groups.Owned()) {
			_ = filepath.WalkDir(parent, func(path string, d fs.DirEntry, err error) error {
				if err == nil && strings.Contains(d.Name(), "-"+strconv.Itoa(os.Getpid())+"-") {
					t.Errorf("%s: %s is left", step, path)
				}
				return nil
			})
		}
		if r, err := h.Start(context.Background(), spec()); err != nil {
			t.Errorf("%s: afterwards: %v", step, err)
		} else {
			r.End()
		}
	}
}

func first[T, U any](v T, _ U) T { return v }

// Whoever gives up is told so, and not that the host was slow.
func TestACancelledStartIsNoStarvedOne(t *testing.T) {
	h := open(t, Config{})
	spawner, err := h.Spawner()
	if err != nil {
		t.Fatal(err)
	}
	_ = unix.Kill(spawner.PID(), unix.SIGSTOP)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err = h.Start(ctx, spec())
	_ = unix.Kill(spawner.PID(), unix.SIGCONT)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestARealmHasHeardWhatItsControlThreadHasRead(t *testing.T) {
	r, err := open(t, Config{}).Start(context.Background(), spec())
	if err != nil {
		t.Fatal(err)
	}
	defer r.End()
	_ = unix.Kill(r.PID(), unix.SIGSTOP)
	await(t, "stop", func() bool { return stopped(r.PID()) })
	r.Interrupt('T')
	if r.Heard() {
		t.Error("it heard while it was stopped")
	}
	_ = unix.Kill(r.PID(), unix.SIGCONT)
	await(t, "hear", r.Heard)
}

// await waits until a realm does something.
func await(t *testing.T, what string, does func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !does(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not %s", what)
		}
	}
}

// stopped reports whether every thread of a process is.
func stopped(pid int) bool {
	threads, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	for _, name := range threads {
		if text, err := os.ReadFile(name); err != nil || !strings.Contains(string(text), ") T ") {
			return false
		}
	}
	return len(threads) > 0
}
