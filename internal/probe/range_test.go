//go:build probe && linux

package probe

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/internal/seccomp"
)

// shootingRange launches probes as realms are launched.
type shootingRange struct {
	spawner *launch.Spawner
	groups  *cgroup.Manager
	target  Target
	serial  atomic.Int64
}

func openRange(t *testing.T) *shootingRange {
	t.Helper()
	groups, err := cgroup.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = groups.Close() })
	spawner, err := launch.Start(nativePath, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spawner.Close() })
	return &shootingRange{spawner: spawner, groups: groups, target: aim(t)}
}

// verdict is what became of one probe.
type verdict struct {
	attempted bool
	contained bool
	how       string
}

// stopAfter bounds probes that never end by themselves, from their first word on; all
// others end within milliseconds, but a loaded machine needs more.
const (
	stopAfter = 300 * time.Millisecond
	giveUp    = 5 * time.Minute
)

// shoot launches one probe and judges it.
func (r *shootingRange) shoot(t *testing.T, probe Probe, layers Layers) verdict {
	t.Helper()
	group, err := r.groups.Create("probe-"+strconv.FormatInt(r.serial.Add(1), 10), cgroup.Limits{
		MemoryBytes: LimitMemoryBytes, Pids: LimitPids, CPUs: float64(runtime.NumCPU()),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := group.Remove(); err != nil {
			t.Error(err)
		}
	}()
	theirs, stderr, rest := pipes(t)
	given := theirs
	if layers == Jail {
		given = theirs[:3]
	}
	target := r.target
	target.Last = len(given) - 1
	defer rest()
	spec := launch.Spec{
		Kind: launch.Realm, Env: []string{"GODEBUG=containermaxprocs=0,updatemaxprocs=0"}, Files: given, Group: group,
		Args: append([]string{"realm", "--probe=" + probe.Name, "--layers=" + string(layers)}, target.args()...),
	}
	if layers == Jail {
		spec.Kind = launch.Command
		spec.Program = &launch.Program{
			Path: "/probe/native", Seccomp: seccomp.Command(),
			Mounts: append(launch.SystemMounts(), launch.Mount{Source: filepath.Dir(nativePath), Target: "/probe"}),
		}
	}
	process, err := r.spawner.Spawn(context.Background(), spec)
	for _, f := range theirs[2:] {
		_ = f.Close()
	}
	if err != nil {
		t.Fatalf("%s: %v", probe.Name, err)
	}
	var stopped atomic.Bool
	timer := time.AfterFunc(giveUp, func() { stopped.Store(true); _ = process.Kill() })
	defer timer.Stop()
	said := read(stderr, func() {
		if slices.Contains(probe.Ends, "stopped by the test") {
			timer.Reset(stopAfter)
		}
	})
	end := ending(process.Wait(), stopped.Load())
	if stats, err := group.Stats(); err != nil {
		t.Errorf("%s: %v", probe.Name, err)
	} else if end == "SIGKILL" && stats.OOMKills > 0 {
		end = "killed for its memory"
	}
	return judge(probe, said, end)
}

// pipes are a realm's descriptors; rest closes our ends.
func pipes(t *testing.T) (theirs []*os.File, stderr *os.File, rest func()) {
	t.Helper()
	theirs = make([]*os.File, lastDonated+1)
	ours := make([]*os.File, 0, 4)
	for fd := 2; fd <= lastDonated; fd++ {
		var ends [2]int
		if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil { // blocking, as a realm's are
			t.Fatal(err)
		}
		reader, writer := os.NewFile(uintptr(ends[0]), "pipe"), os.NewFile(uintptr(ends[1]), "pipe")
		if fd == 2 || fd == 4 {
			theirs[fd], ours = writer, append(ours, reader)
		} else {
			theirs[fd], ours = reader, append(ours, writer)
		}
	}
	return theirs, ours[0], func() {
		for _, f := range ours {
			_ = f.Close()
		}
	}
}

// read keeps the beginning of what a probe says and drops the rest; begun is called
// at its first word, which announces the attempt.
func read(from io.Reader, begun func()) string {
	said := make([]byte, 64<<10)
	n, err := from.Read(said)
	begun()
	for err == nil && n < len(said) {
		var more int
		more, err = from.Read(said[n:])
		n += more
	}
	_, _ = io.Copy(io.Discard, from)
	return string(said[:n])
}

func ending(exit launch.Exit, stopped bool) string {
	switch {
	case stopped:
		return "stopped by the test"
	case exit.Signal != 0:
		return unix.SignalName(exit.Signal)
	}
	return "exit status " + strconv.Itoa(exit.Code)
}

// judge believes a probe that it worked, and that it did not only if it says so
// after its attempt, or died of what stops it.
func judge(probe Probe, said, end string) verdict {
	lines := strings.Split(said, "\n")
	v := verdict{attempted: slices.Contains(lines, "attempt "+probe.Name), how: end}
	for _, line := range lines {
		if strings.HasPrefix(line, "NOT CONTAINED ") {
			v.how = line
			return v
		}
		if rest, ok := strings.CutPrefix(line, "contained "+probe.Name+": "); ok && v.attempted {
			v.contained, v.how = true, rest
		}
	}
	if v.attempted && (end == "SIGSYS" || slices.Contains(probe.Ends, end)) {
		v.contained = true
	}
	if !v.contained {
		v.how = "no verdict, " + end + ": " + strconv.Quote(said[:min(len(said), 400)])
	}
	return v
}

// tally counts verdicts by class, the part of a name before its slash.
type tally struct {
	mu        sync.Mutex
	attempted map[string]int
	contained map[string]int
}

func newTally() *tally { return &tally{attempted: map[string]int{}, contained: map[string]int{}} }

func (c *tally) add(probe Probe, v verdict) {
	class, _, _ := strings.Cut(probe.Name, "/")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempted[class]++
	if v.contained {
		c.contained[class]++
	}
}
