//go:build linux

package launch

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/cgroup"
)

// realm is a probe with pipes where a realm has its own.
type realm struct {
	*Process
	group   *cgroup.Group
	in, out *os.File
}

func spawnRealm(t testing.TB, s *Spawner, g *cgroup.Group, args ...string) *realm {
	t.Helper()
	r, err := trySpawn(t, s, g, args...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func trySpawn(t testing.TB, s *Spawner, g *cgroup.Group, args ...string) (*realm, error) {
	t.Helper()
	inRead, inWrite := pipe(t)
	outRead, outWrite := pipe(t)
	_, errWrite := pipe(t)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	p, err := s.Spawn(ctx, Spec{
		Kind: Realm, Args: append([]string{"realm"}, args...), Env: []string{"TZ=UTC"},
		Files: []*os.File{nil, nil, errWrite, inRead, outWrite, inRead},
		Group: g, Landlock: s.LandlockABI() > 0,
	})
	inRead.Close()
	outWrite.Close()
	errWrite.Close()
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		p.Kill()
		p.Wait()
	})
	return &realm{p, g, inWrite, outRead}, nil
}

func pipe(t testing.TB) (*os.File, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func (r *realm) ready(t testing.TB) {
	t.Helper()
	word := make([]byte, 5)
	if _, err := io.ReadFull(r.out, word); err != nil || string(word) != "ready" {
		t.Fatalf("not ready: %q, %v", word, err)
	}
}

var testLimits = cgroup.Limits{MemoryBytes: 256 << 20, Pids: 64, CPUs: 2}

func newGroup(t testing.TB, name string) *cgroup.Group {
	t.Helper()
	m, err := cgroup.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	g, err := m.Create(name, testLimits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Remove(); err != nil {
			t.Error(err)
		}
	})
	return g
}

type sight struct {
	Args, Env, Root     []string
	UID, GID, PID, PPID int
	SID                 int
	Host                string
	Dumpable            int
	WriteRoot           string
	Open                []int
}

// Covers: T-NS-01, T-SEC-03
func TestRealmSeesNothing(t *testing.T) {
	s := startSpawner(t)
	r := spawnRealm(t, s, newGroup(t, "look"), "look")
	var got sight
	if err := json.NewDecoder(r.out).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.UID != InsideUID || got.GID != InsideUID || got.PID != 1 || got.PPID != 0 {
		t.Errorf("ids: %+v", got)
	}
	if len(got.Env) != 1 || got.Env[0] != "TZ=UTC" {
		t.Errorf("environment: %q", got.Env)
	}
	if len(got.Root) != 1 || got.Root[0] != "open /: permission denied" { // landlock
		t.Errorf("root: %q", got.Root)
	}
	if got.Host != "realm" || got.Dumpable != 0 || got.SID != 1 {
		t.Errorf("host %q, dumpable %d, session %d", got.Host, got.Dumpable, got.SID)
	}
	if exit := r.Wait(); exit.Code != 0 || exit.Signal != 0 || exit.Lost {
		t.Errorf("exit: %+v", exit)
	}
}

// Covers: T6 of the cases: a leaked descriptor of the supervisor.
// Covers: T-NS-03
func TestRealmHoldsTheDonatedDescriptorsOnly(t *testing.T) {
	leak, err := unix.Open("/", unix.O_RDONLY|unix.O_DIRECTORY, 0) // inheritable
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(leak)
	high, err := unix.FcntlInt(uintptr(leak), unix.F_DUPFD, 251)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(high)
	s := startSpawner(t)
	r := spawnRealm(t, s, nil, "look")
	var got sight
	if err := json.NewDecoder(r.out).Decode(&got); err != nil {
		t.Fatal(err)
	}
	for i, fd := range got.Open {
		if i < 6 && fd != i || fd > 8 {
			t.Errorf("open: %v", got.Open)
			break
		}
	}
}

func TestExitIsTold(t *testing.T) {
	s := startSpawner(t)
	r := spawnRealm(t, s, nil, "exit")
	if exit := r.Wait(); exit.Code != 7 || exit.Signal != 0 || exit.CPU <= 0 || exit.MaxRSSBytes <= 0 {
		t.Errorf("exit: %+v", exit)
	}
	r = spawnRealm(t, s, nil, "ready")
	r.ready(t)
	if err := r.Kill(); err != nil {
		t.Fatal(err)
	}
	if exit := r.Wait(); exit.Signal != unix.SIGKILL || exit.Lost {
		t.Errorf("exit: %+v", exit)
	}
	if err := r.Kill(); err != nil {
		t.Errorf("kill after the end: %v", err)
	}
}

// Covers: T-NS-02
func TestLiveRealmsHaveUsersOfTheirOwn(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("without root there is one user; see TestRootless")
	}
	s := startSpawner(t)
	a, b := spawnRealm(t, s, nil, "ready"), spawnRealm(t, s, nil, "ready")
	if a.UID() == b.UID() || a.UID() == 0 || b.UID() == 0 || a.UID() < 0x70000000 {
		t.Errorf("users %d and %d", a.UID(), b.UID())
	}
}

func TestTrialDoesEveryStep(t *testing.T) {
	s := startSpawner(t)
	p, err := s.Spawn(context.Background(), Spec{Kind: Trial, Args: []string{"realm"}, Files: make([]*os.File, 3), Group: newGroup(t, "trial")})
	if err != nil {
		t.Fatal(err)
	}
	if exit := p.Wait(); exit != (Exit{CPU: exit.CPU, MaxRSSBytes: exit.MaxRSSBytes}) {
		t.Errorf("exit: %+v", exit)
	}
}
