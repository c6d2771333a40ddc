package filesystem

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// childVariable names the role of a re-executed test process.
const childVariable = "FILESYSTEM_TEST_CHILD"

// children are what a re-executed test process can be. Each ends the process by returning an error or none.
var children = map[string]func(args []string) error{}

func TestMain(m *testing.M) {
	if role := os.Getenv(childVariable); role != "" {
		if err := children[role](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child prepares a re-executed test process.
func child(role string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), childVariable+"="+role)
	return cmd
}

// inMountNamespace lets a child mount what it likes, as root and as anybody else.
func inMountNamespace(cmd *exec.Cmd) *exec.Cmd {
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return cmd
}

// world is a granted directory beside one that is not, and who decides and executes.
type world struct {
	t       testing.TB
	root    string // granted for reading and writing
	outside string
	checker *grants.Checker
	roots   *Roots
}

func newWorld(t testing.TB, resources grants.Resources, o Options) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t: t, root: filepath.Join(base, "root"), outside: filepath.Join(base, "outside")}
	for _, dir := range []string{w.root, w.outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.open(grants.Grants{Filesystem: grants.Filesystem{Read: []string{w.root}, Write: []string{w.root}}, Resources: resources}, o)
	return w
}

func (w *world) open(g grants.Grants, o Options) {
	w.t.Helper()
	roots, err := Open(g.Filesystem.Read, g.Filesystem.Write, o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = roots.Close() })
	w.checker, w.roots = grants.NewChecker(g), roots
}

// path is a path in the root.
func (w *world) path(name string) string { return filepath.Join(w.root, name) }

// put makes a file, in the root unless its name is absolute.
func (w *world) put(name, content string) string {
	w.t.Helper()
	if !filepath.IsAbs(name) {
		name = w.path(name)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return name
}

func (w *world) link(target, name string) {
	w.t.Helper()
	if err := os.Symlink(target, w.path(name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(path string) (string, error) {
	ticket, err := w.checker.FileRead(path)
	if err != nil {
		return "", err
	}
	data, err := w.roots.Read(context.Background(), ticket, Range{})
	return string(data), err
}

func (w *world) list(path string) ([]Entry, error) {
	ticket, err := w.checker.FileList(path)
	if err != nil {
		return nil, err
	}
	return w.roots.List(context.Background(), ticket)
}

func (w *world) stat(path string) (Info, error) {
	ticket, err := w.checker.FileStat(path)
	if err != nil {
		return Info{}, err
	}
	return w.roots.Stat(context.Background(), ticket)
}

func (w *world) write(path, content string) error {
	ticket, err := w.checker.FileWrite(path, len(content))
	if err != nil {
		return err
	}
	return w.roots.Write(context.Background(), ticket, []byte(content))
}

func (w *world) append(path, content string) error {
	ticket, err := w.checker.FileWrite(path, len(content))
	if err != nil {
		return err
	}
	return w.roots.Append(context.Background(), ticket, []byte(content))
}

func (w *world) makeDirectory(path string) error {
	ticket, err := w.checker.MakeDirectory(path)
	if err != nil {
		return err
	}
	return w.roots.MakeDirectory(context.Background(), ticket)
}

func (w *world) remove(path string) error {
	ticket, err := w.checker.Remove(path)
	if err != nil {
		return err
	}
	return w.roots.Remove(context.Background(), ticket)
}

// holds asserts what a file on the host holds.
func (w *world) holds(path, want string) {
	w.t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		w.t.Errorf("%s holds %.40q (%v), want %.40q", filepath.Base(path), got, err, want)
	}
}

// names asserts the names in the root.
func (w *world) names(want ...string) {
	w.t.Helper()
	entries, err := os.ReadDir(w.root)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		w.t.Errorf("the root holds %q, want %q", got, want)
	}
}

// denied asserts a denial by a rule that tells nothing of the host.
func (w *world) denied(err error, name, rule string) {
	w.t.Helper()
	var d *grants.Denial
	if !errors.As(err, &d) || d.Capability != name || !strings.Contains(d.Rule, rule) {
		w.t.Errorf("got %v, want a denial of %s by %q", err, name, rule)
	}
	if d != nil && w.outside != "" && strings.Contains(d.Rule+d.Hint, w.outside) {
		w.t.Errorf("%v, %s: names what is outside", d, d.Hint)
	}
}

// failed asserts a failure with a code.
func (w *world) failed(err error, code string) {
	w.t.Helper()
	var f *capability.Failure
	if !errors.As(err, &f) || f.Code != code {
		w.t.Errorf("got %v, want a failure %s", err, code)
		return
	}
	if strings.Contains(f.Message, "/") {
		w.t.Errorf("%q holds a host path", f.Message)
	}
}
