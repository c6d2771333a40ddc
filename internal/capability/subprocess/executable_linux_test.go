package subprocess

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
)

// script makes a new executable script and returns its path. It never writes to a file that is there already: through
// a link that could be one of the host's.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
	return path
}

// Covers: T-CMD-04
func TestReplacedExecutableIsRefused(t *testing.T) {
	const good, evil = "#!/bin/sh\necho good\n", "#!/bin/sh\necho evil\n"
	for name, replace := range map[string]func(path, other string) error{
		"renamed over": func(path, other string) error { return os.Rename(other, path) },
		"removed and made again": func(path, other string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			script(t, filepath.Dir(path), filepath.Base(path), evil)
			return nil
		},
		"written in place": func(path, _ string) error {
			file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC|unix.O_NOFOLLOW, 0)
			if err != nil {
				return err
			}
			defer file.Close()
			_, err = file.WriteString(evil)
			return err
		},
		"made a link": func(path, other string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Symlink(other, path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, other := script(t, dir, "tool", good), script(t, dir, "other", evil)
			j := open(t, granting(path))
			if r, err := j.run("", path); err != nil || string(r.Stdout) != "good\n" {
				t.Fatalf("%+v %v %s", r, err, r.Stderr)
			}
			if err := replace(path, other); err != nil {
				t.Fatal(err)
			}
			_, err := j.run("", path)
			wantDenied(t, err, "subprocess", "replaced")
		})
	}
}

func TestExecutablesAreFoundWhereverTheyAre(t *testing.T) {
	dir := t.TempDir()
	tool := script(t, dir, "tool", "#!/bin/sh\necho $0 $1\n")
	link := filepath.Join(dir, "link")
	if err := os.Symlink("tool", link); err != nil {
		t.Fatal(err)
	}
	j := open(t, granting(tool, link, "/usr/bin/awk", "/bin/true"))
	for path, want := range map[string]string{tool: tool + " x", link: tool + " x"} {
		if r, err := j.run("", path, "x"); err != nil || strings.TrimSpace(string(r.Stdout)) != want {
			t.Errorf("%s: %+v %v %s", path, r, err, r.Stderr)
		}
	}
	if r, err := j.run("a b\n", "/usr/bin/awk", "{print $2}"); err != nil || string(r.Stdout) != "b\n" {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := j.run("", "/bin/true"); err != nil || r.Code != 0 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestUnusableGrantsAreNamed(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	spawner := startSpawner(t)
	for want, g := range map[string]grants.Subprocess{
		"subprocess.commands[1]: /nonexistent: no such file":       {Commands: []string{"/bin/true", "/nonexistent"}},
		"subprocess.commands[0]: " + plain + ": not an executable": {Commands: []string{plain}},
		"subprocess.commands[0]: " + dir + ": not an executable":   {Commands: []string{dir}},
		"subprocess.sandbox.read[0]: /nonexistent: no such":        {Sandbox: grants.Sandbox{Read: []string{"/nonexistent"}}},
		"subprocess.sandbox.write[0]: /: cannot be":                {Sandbox: grants.Sandbox{Write: []string{"/"}}},
		"subprocess.sandbox.write[0]: /proc/self: cannot be":       {Sandbox: grants.Sandbox{Write: []string{"/proc/self"}}},
		"subprocess.sandbox.read[0]: /dev/null: neither":           {Sandbox: grants.Sandbox{Read: []string{"/dev/null"}}},
		"subprocess.sandbox.execute[0]: /nonexistent: no such":     {Commands: []string{"/bin/true"}, Sandbox: grants.Sandbox{Execute: []string{"/nonexistent"}}},
	} {
		c, err := Open(Config{Spawner: spawner}, g)
		if err == nil {
			c.Close()
			t.Errorf("%q was not said", want)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}

func TestReplacedRootIsRefused(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	other := filepath.Join(dir, "other")
	for _, d := range []string{root, other} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	g := shell()
	g.Subprocess.Sandbox.Write = []string{root}
	j := open(t, g)
	if r := j.sh("ls " + root); r.Code != 0 {
		t.Fatal(r)
	}
	if err := os.Rename(root, root+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, root); err != nil {
		t.Fatal(err)
	}
	_, err := j.run("", "/bin/sh", "-c", "ls "+root)
	wantDenied(t, err, "subprocess", "replaced")
}
