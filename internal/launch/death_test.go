//go:build linux

package launch

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/cgroup"
)

// Covers: T7 of the cases.
// Covers: T-END-01
func TestNothingOutlivesAKilledSupervisor(t *testing.T) {
	for range 8 {
		s := startSupervised(t)
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // a random moment
		s.cmd.Process.Kill()
		s.cmd.Wait()
		awaitExit(t, s.spawner)
		if left := s.left(t); len(left) > 0 {
			t.Errorf("control groups are left: %q", left)
		}
		entries, err := os.ReadDir(s.temp)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			t.Errorf("temporary %s is left", e.Name())
		}
	}
}

// Covers: T-END-01
func TestNextStartSweepsWhatAKilledSpawnerLeft(t *testing.T) {
	s := startSupervised(t)
	// The spawner first, so that it cannot clean up; its children die with it.
	unix.PidfdSendSignal(s.spawner, unix.SIGKILL, nil, 0)
	s.cmd.Process.Kill()
	s.cmd.Wait()
	awaitExit(t, s.spawner)
	m, err := cgroup.Open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Sweep(); err != nil {
		t.Fatal(err)
	}
	if left := s.left(t); len(left) > 0 {
		t.Errorf("control groups are left: %q", left)
	}
}

// The kernel alone ends the realms: the supervisor is stopped, the spawner dead.
// Covers: T-END-01
func TestKilledSpawnersProcessesDieByTheKernel(t *testing.T) {
	s := startSupervised(t)
	for len(s.left(t)) < 20 { // some are left alone, see superviseOne
		runtime.Gosched()
	}
	unix.Kill(s.cmd.Process.Pid, unix.SIGSTOP)
	var live []int
	for _, group := range s.left(t) {
		procs, err := os.ReadFile(group + "/cgroup.procs")
		if err != nil {
			continue // removed a moment ago
		}
		for _, text := range strings.Fields(string(procs)) {
			pid, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			if pidfd, err := unix.PidfdOpen(pid, 0); err == nil {
				live = append(live, pidfd)
			}
		}
	}
	if len(live) == 0 {
		t.Fatal("no realm is live")
	}
	unix.PidfdSendSignal(s.spawner, unix.SIGKILL, nil, 0)
	for _, pidfd := range live {
		awaitExit(t, pidfd)
		unix.Close(pidfd)
	}
}

func TestKilledSpawnerTakesItsProcessesAlong(t *testing.T) {
	s := startSpawner(t)
	g := newGroup(t, "spawner")
	live := []*realm{spawnRealm(t, s, g, "ready"), spawnRealm(t, s, nil, "ready")}
	for _, r := range live {
		r.ready(t)
	}
	if err := unix.Kill(s.PID(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, r := range live {
		if exit := r.Wait(); !exit.Lost || exit.Signal != unix.SIGKILL {
			t.Errorf("exit: %+v", exit)
		}
	}
	<-s.Dead()
	if _, err := trySpawn(t, s, nil, "ready"); !errors.Is(err, ErrSpawnerDead) {
		t.Errorf("spawn: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	again := startSpawner(t)
	spawnRealm(t, again, nil, "ready").ready(t)
}

func TestCloseKillsWhatRuns(t *testing.T) {
	s := startSpawner(t)
	r := spawnRealm(t, s, newGroup(t, "close"), "ready")
	r.ready(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if exit := r.Wait(); exit.Signal != unix.SIGKILL {
		t.Errorf("exit: %+v", exit)
	}
}

func TestSpawnEndsWithItsContext(t *testing.T) {
	s := startSpawner(t)
	g := newGroup(t, "context")
	for range 20 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rand.IntN(3000))*time.Microsecond)
		p, err := s.Spawn(ctx, Spec{Kind: Realm, Args: []string{"realm", "ready"}, Files: make([]*os.File, 5), Group: g})
		cancel()
		if err == nil {
			p.Kill()
			p.Wait()
		} else if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	// What was abandoned is killed: the group can be removed, see newGroup.
}

func TestSignalsToTheProcessGroupDoNotEndTheSpawner(t *testing.T) {
	s := startSpawner(t)
	for _, sig := range []unix.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGPIPE} {
		if err := unix.Kill(s.PID(), sig); err != nil {
			t.Fatal(err)
		}
	}
	spawnRealm(t, s, nil, "ready").ready(t)
}
