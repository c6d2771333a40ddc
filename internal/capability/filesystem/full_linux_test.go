package filesystem

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
)

func init() {
	children["full disk"] = fullDisk
}

// Covers: T-FS-05
func TestAFullDiskLeavesTheOldFileAndNoTemporary(t *testing.T) {
	out, err := inMountNamespace(child("full disk", t.TempDir())).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// fullDisk runs in a mount namespace of its own, on a file system of 256 KiB.
func fullDisk(args []string) error {
	dir := args[0]
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("small", dir, "tmpfs", 0, "size=256k"); err != nil {
		return err
	}
	for _, named := range []bool{false, true} {
		if err := fillDisk(dir, named); err != nil {
			return err
		}
	}
	return nil
}

func fillDisk(dir string, named bool) error {
	g := grants.Grants{Filesystem: grants.Filesystem{Write: []string{dir}}}
	roots, err := Open(nil, []string{dir}, Options{named: named})
	if err != nil {
		return err
	}
	defer roots.Close()
	checker := grants.NewChecker(g)
	write := func(name string, size int, op func(context.Context, grants.FileWrite, []byte) error) error {
		ticket, err := checker.FileWrite(filepath.Join(dir, name), size)
		if err != nil {
			return err
		}
		return op(context.Background(), ticket, []byte(strings.Repeat("n", size)))
	}
	old := strings.Repeat("o", 60<<10)
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(old), 0o644); err != nil {
			return err
		}
	}
	for name, failure := range map[string]error{
		"replace": write("a", 300<<10, roots.Write), "new": write("new", 300<<10, roots.Write), "append": write("b", 300<<10, roots.Append),
	} {
		if failure == nil || !strings.HasPrefix(failure.Error(), "ENOSPC") {
			return errors.New(name + ": no ENOSPC: " + errors.Join(failure).Error())
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) != 2 {
		return errors.New("left behind: " + entries[0].Name())
	}
	for _, name := range []string{"a", "b"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != old {
			return errors.New(name + " lost its content")
		}
	}
	return write("a", 60<<10, roots.Write)
}
