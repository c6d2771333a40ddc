//go:build linux

package launch

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// allowAll is a filter in the form that a Program takes: BPF_RET allow.
var allowAll = binary.NativeEndian.AppendUint32([]byte{unix.BPF_RET | unix.BPF_K, 0, 0, 0}, 0x7fff0000)

func command(t testing.TB, s *Spawner, script string, change func(*Program)) (*Process, string, error) {
	t.Helper()
	outRead, outWrite := pipe(t)
	p := &Program{Path: "/bin/sh", Mounts: SystemMounts(), Seccomp: allowAll}
	if change != nil {
		change(p)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	process, err := s.Spawn(ctx, Spec{
		Kind: Command, Args: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"},
		Files: []*os.File{nil, outWrite, outWrite}, Program: p, Landlock: s.LandlockABI() > 0,
	})
	outWrite.Close()
	if err != nil {
		return nil, "", err
	}
	out, err := io.ReadAll(outRead)
	if err != nil {
		t.Fatal(err)
	}
	return process, string(out), nil
}

func TestCommandsStatusIsItsOwn(t *testing.T) {
	s := startSpawner(t)
	for _, c := range []struct {
		script string
		code   int
		signal unix.Signal
	}{{"exit 0", 0, 0}, {"exit 3", 3, 0}, {"kill -9 $$", 0, unix.SIGKILL}, {"kill -TERM $$", 0, unix.SIGTERM}} {
		p, out, err := command(t, s, c.script, nil)
		if err != nil {
			t.Fatal(err)
		}
		if exit := p.Wait(); exit.Code != c.code || exit.Signal != c.signal {
			t.Errorf("%s: %+v %s", c.script, exit, out)
		}
	}
}

// Covers: E4 of the cases: what a command leaves behind dies with it.
// Covers: T-CMD-02
func TestCommandsDescendantsEndWithIt(t *testing.T) {
	s := startSpawner(t)
	// The daemon holds stdout: reading to its end, as command does, waits for its death.
	p, out, err := command(t, s, "(setsid sleep 1000 &) ; echo done", nil)
	if err != nil || out != "done\n" {
		t.Fatalf("%q, %v", out, err)
	}
	if exit := p.Wait(); exit.Code != 0 || exit.Signal != 0 {
		t.Errorf("exit: %+v", exit)
	}
}

func TestCommandSeesItsJailOnly(t *testing.T) {
	s := startSpawner(t)
	_, out, err := command(t, s, `ls /; echo $$; id -u; cat /proc/1/environ 2>&1; ls -d /proc/[0-9]*; echo x > /tmp/x && cat /tmp/x; echo y > /y`, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out, "\n")
	for _, want := range []string{"2", "1000", "x", "/proc/2"} {
		if !contains(lines, want) {
			t.Errorf("no line %q in %q", want, out)
		}
	}
	for _, never := range []string{"home", "root", "var", "/proc/1"} {
		if contains(lines, never) {
			t.Errorf("line %q in %q", never, out)
		}
	}
	if !strings.Contains(out, "Read-only file system") {
		t.Errorf("the root is writable: %q", out)
	}
}

func contains(lines []string, line string) bool {
	for _, l := range lines {
		if l == line {
			return true
		}
	}
	return false
}

func TestGrantedRootBelongsToTheCommand(t *testing.T) {
	s := startSpawner(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	grant := Mount{Source: dir, Target: "/grant/here", MapOwner: true, Writable: true}
	_, out, err := command(t, s, "cat /grant/here/in; echo new > /grant/here/out; echo $?", func(p *Program) { p.Mounts = append(p.Mounts, grant) })
	if err != nil || out != "secret\n0\n" {
		t.Fatalf("%q, %v", out, err)
	}
	var st unix.Stat_t
	if err := unix.Stat(filepath.Join(dir, "out"), &st); err != nil || int(st.Uid) != os.Geteuid() {
		t.Errorf("the new file is of user %d, %v", st.Uid, err)
	}
	grant.Writable = false
	_, out, err = command(t, s, "cat /grant/here/in; echo new > /grant/here/in", func(p *Program) { p.Mounts = append(p.Mounts, grant) })
	if err != nil || !strings.Contains(out, "secret") || !strings.Contains(out, "Read-only") {
		t.Errorf("%q, %v", out, err)
	}
}

func TestRefusedCommandsSayWhy(t *testing.T) {
	s := startSpawner(t)
	var mount *MountError
	var changed *ExecutableChanged
	var missing *Unenforceable
	dir := t.TempDir()
	for _, c := range []struct {
		name   string
		change func(*Program)
		is     func(error) bool
	}{
		{"a root that is not there", func(p *Program) {
			p.Mounts = append(p.Mounts, Mount{Source: dir + "/none", Target: "/x", MapOwner: true})
		}, func(err error) bool {
			return errors.As(err, &mount) && mount.Source == dir+"/none" && errors.As(err, &missing) && missing.Layer == layer.RootFS && errors.Is(err, unix.ENOENT)
		}},
		{"a root that was replaced", func(p *Program) {
			p.Mounts = append(p.Mounts, Mount{Source: dir, Target: "/x", Inode: 1, MapOwner: true})
		}, func(err error) bool {
			return errors.As(err, &mount) && errors.Is(err, unix.ESTALE)
		}},
		{"a root of that kind that cannot be id-mapped", func(p *Program) {
			if s.Root() {
				p.Mounts = append(p.Mounts, Mount{Source: "/proc", Target: "/x", MapOwner: true})
				return
			}
			p.Mounts = append(p.Mounts, Mount{Source: dir + "/none", Target: "/x"})
		}, func(err error) bool { return errors.As(err, &mount) }},
		{"an executable that was replaced", func(p *Program) { p.Inode = 1 }, func(err error) bool {
			return errors.As(err, &changed) && changed.Path == "/bin/sh"
		}},
		{"an executable that is not there", func(p *Program) { p.Path = "/bin/none" }, func(err error) bool { return errors.Is(err, unix.ENOENT) }},
		{"no filter", func(p *Program) { p.Seccomp = nil }, func(err error) bool { return errors.As(err, &missing) && missing.Layer == layer.Seccomp }},
		{"a mount over /proc", func(p *Program) { p.Mounts = append(p.Mounts, Mount{Source: dir, Target: "/proc/x"}) }, func(err error) bool { return err != nil }},
		{"a mount that climbs", func(p *Program) { p.Mounts = append(p.Mounts, Mount{Source: dir, Target: "/x/../y"}) }, func(err error) bool { return err != nil }},
		{"an argument with a NUL", func(p *Program) { p.Dir = "/\x00" }, func(err error) bool { return err != nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _, err := command(t, s, "exit 0", c.change)
			if p != nil || !c.is(err) {
				t.Errorf("error = %v", err)
			}
		})
	}
}
