//go:build linux

// Package cgrouptest delegates control groups to the users of tests.
//
// # Trust
//
// Only tests import it; it runs as root.
//
// # Concurrency
//
// Delegate may be called by several tests at once.
package cgrouptest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Delegate makes a group below each of parents that belongs to the user uid, and moves a process of that user into it, as an
// administrator would. The groups go with the test, whose processes must have ended by then.
func Delegate(t testing.TB, parents []string, uid, pid int) {
	t.Helper()
	for _, parent := range parents {
		dir := filepath.Join(parent, fmt.Sprintf("delegated-%d-%d", os.Getpid(), pid))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = os.Remove(filepath.Join(dir, "supervisor")) // which a supervisor makes for itself on a unified host
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
		for _, name := range []string{"", "cgroup.procs", "tasks", "cgroup.subtree_control", "cgroup.threads"} {
			if err := os.Chown(filepath.Join(dir, name), uid, uid); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0); err != nil {
			t.Fatal(err)
		}
	}
}
