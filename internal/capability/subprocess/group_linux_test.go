package subprocess

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/pkg/grants"
)

// openGrouped is open with a control group of the given limits.
func openGrouped(t *testing.T, g grants.Grants, limits cgroup.Limits) *jail {
	t.Helper()
	manager, err := cgroup.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { manager.Close() })
	g, err = g.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("commands-%d-%s", os.Getpid(), t.Name())
	c, err := Open(Config{Spawner: startSpawner(t), Group: func() (*cgroup.Group, error) {
		return manager.Create(name, limits)
	}}, g.Subprocess)
	if err != nil {
		t.Fatal(err)
	}
	_, prefix := manager.Owned()
	t.Cleanup(func() {
		c.Close()
		_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == prefix+name {
				t.Errorf("%s was left behind", path)
			}
			return nil
		})
	})
	return &jail{t, c, grants.NewChecker(g)}
}

// Without root a group needs a delegated subtree, which is package cgroup's to test.
func TestCommandsShareTheMemoryOfTheirGroup(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	j := openGrouped(t, granting("/usr/bin/perl", "/bin/true"), cgroup.Limits{MemoryBytes: 64 << 20, Pids: Tasks(64)})
	hog := `my $x = "x" x (%d << 20); print length $x`
	if r, err := j.run("", "/usr/bin/perl", "-e", fmt.Sprintf(hog, 16)); err != nil || string(r.Stdout) != fmt.Sprint(16<<20) {
		t.Errorf("under the limit: %+v %v", r, err)
	}
	_, err := j.run("", "/usr/bin/perl", "-e", fmt.Sprintf(hog, 200))
	wantDenied(t, err, "resource.memory", "realmMemoryMb")
	if r, err := j.run("", "/bin/true"); err != nil || r.Code != 0 {
		t.Errorf("afterwards: %+v %v", r, err)
	}
}

// Covers: E5
func TestTasksOfAGroupAreLimited(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	j := openGrouped(t, shell(), cgroup.Limits{MemoryBytes: 128 << 20, Pids: 8})
	r := j.sh(`i=0; while [ $i -lt 40 ]; do sleep 10 & echo started; i=$((i+1)); done`)
	if got := strings.Count(string(r.Stdout), "started"); got == 0 || got > 6 {
		t.Errorf("%d children", got)
	}
}
