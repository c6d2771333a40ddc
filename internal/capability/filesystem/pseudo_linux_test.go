package filesystem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
)

// E10.
// Covers: T-FS-03
func TestPseudoFileSystemsAreRefusedWhateverTheRoot(t *testing.T) {
	w := &world{t: t}
	w.open(grants.Grants{Filesystem: grants.Filesystem{Read: []string{"/"}, Write: []string{"/"}}}, Options{})
	const rule = "pseudo file system"
	for _, path := range []string{"/proc/self/environ", "/proc/1/environ", "/proc/self/mem", "/proc/version", "/proc/self/root/etc/passwd", "/proc", "/sys/kernel/profiling", "/sys"} {
		var st unix.Stat_t
		if unix.Lstat(path, &st) != nil {
			continue
		}
		_, err := w.read(path)
		w.refused(err)
		_, err = w.stat(path)
		w.refused(err)
		_, err = w.list(path)
		w.refused(err)
	}
	w.denied(w.write("/proc/self/oom_score_adj", "0"), fsWrite, rule)
	w.denied(w.append("/proc/self/comm", "x"), fsWrite, rule)
	w.denied(w.makeDirectory("/sys/kernel/new"), fsWrite, rule)
	w.denied(w.remove("/proc/self/fd/0"), fsWrite, rule)
	for _, root := range []string{"/proc", "/proc/self", "/sys", "/proc/self/fd"} {
		if roots, err := Open([]string{root}, nil, Options{}); err == nil {
			_ = roots.Close()
			t.Errorf("%s is accepted as a root", root)
		}
	}
}

func init() {
	children["mounted file"] = mountedFile
}

// Covers: T-FS-03
func TestAPseudoFileIsRefusedAlsoWhereItIsMountedAsAFile(t *testing.T) {
	out, err := inMountNamespace(child("mounted file", t.TempDir())).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// mountedFile runs in a mount namespace of its own, with a file of proc in the root.
func mountedFile(args []string) error {
	name := filepath.Join(args[0], "comm")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount("/proc/self/comm", name, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	before, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	roots, err := Open(args, args, Options{})
	if err != nil {
		return err
	}
	defer roots.Close()
	checker := grants.NewChecker(grants.Grants{Filesystem: grants.Filesystem{Read: args, Write: args}})
	write, err := checker.FileWrite(name, 1)
	if err != nil {
		return err
	}
	read, err := checker.FileRead(name)
	if err != nil {
		return err
	}
	_, readErr := roots.Read(context.Background(), read, Range{})
	for how, err := range map[string]error{"append": roots.Append(context.Background(), write, []byte("y")), "read": readErr} {
		if err == nil || !strings.Contains(err.Error(), "pseudo file system") {
			return fmt.Errorf("%s: %v", how, err)
		}
	}
	if err := roots.Write(context.Background(), write, []byte("y")); err == nil {
		return errors.New("it was replaced")
	}
	if after, err := os.ReadFile(name); err != nil || string(after) != string(before) {
		return fmt.Errorf("it is %q (%v) and was %q", after, err, before)
	}
	return nil
}

// refused asserts that a file of a pseudo file system was not reached: by its kind, or by a magic link on the way.
func (w *world) refused(err error) {
	w.t.Helper()
	if _, ok := err.(*grants.Denial); ok {
		w.denied(err, fsRead, "pseudo file system")
		return
	}
	w.failed(err, "ELOOP")
}
