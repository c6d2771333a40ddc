package subprocess

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/grants"
)

func TestRootsOfTheJailAreReachedBeneathTheCeilings(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"allowed/in", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"allowed/out": filepath.Join(dir, "other"), "allowed/up": "../other", "allowed/same": "in", "all": "/", "entry": filepath.Join(dir, "allowed"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	within := Config{Ceilings: &grants.Sandbox{Read: []string{at("allowed"), at("entry")}, Write: []string{at("allowed/in")}}}
	for _, c := range []struct {
		claim       string
		config      Config
		read, write []string
		want        string // part of the error; "": allowed
	}{
		{"a ceiling itself", within, []string{at("allowed")}, nil, ""},
		{"a ceiling that is a link", within, []string{at("entry")}, nil, ""},
		{"below a ceiling", within, []string{at("allowed/in")}, []string{at("allowed/in")}, ""},
		{"a link that stays", within, []string{at("allowed/same")}, nil, ""},
		{"a link to elsewhere", within, []string{at("allowed/out")}, nil, "leads out of what the policy allows"},
		{"a link upwards", within, []string{at("allowed/up")}, nil, "leads out of what the policy allows"},
		{"beside every ceiling", within, []string{at("other")}, nil, "leads out of what the policy allows"},
		{"writing where reading is allowed", within, nil, []string{at("allowed")}, "leads out of what the policy allows"},
		{"no ceilings", Config{}, []string{at("allowed/out")}, nil, ""},
		{"a link to all of the host", Config{}, []string{at("all")}, nil, "a pseudo file system is mounted at /"},
		{"a write root above a protected path", Config{Protect: []string{at("other/audit.log")}}, nil, []string{at("allowed/out")}, "which the supervisor depends on"},
		{"a read root above a protected path", Config{Protect: []string{at("other/audit.log")}}, []string{at("other")}, nil, ""},
	} {
		_, err := c.config.openRoots(grants.Sandbox{Read: c.read, Write: c.write})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.claim, err, c.want)
		}
	}
}

// mountVariable tells a test that it runs again, in a mount namespace of its own.
const mountVariable = "SUBPROCESS_TEST_MOUNTS"

// mayMount runs the test again where it may mount what it likes, and reports whether this is there.
func mayMount(t *testing.T) bool {
	t.Helper()
	if os.Getenv(mountVariable) != "" {
		return true
	}
	again := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.timeout=60s")
	again.Env = append(os.Environ(), mountVariable+"=1", spawnerVariable+"="+spawnerPath)
	again.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC}
	if os.Geteuid() != 0 {
		again.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		again.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		again.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// Covers: T-CMD-01
func TestRootsThatShowTheKernelsStateAreRefused(t *testing.T) {
	if !mayMount(t) {
		return
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	queues := filepath.Join(dir, "a root", "below", "queues")
	for _, d := range []string{queues, filepath.Join(dir, "a root", "beside")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mount("mqueue", queues, "mqueue", 0, ""); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(queues, unix.MNT_DETACH)
	for root, want := range map[string]string{
		"a root/below/queues": "lies on a pseudo file system (mqueue)",
		"a root/below":        "a pseudo file system is mounted at " + queues,
		"a root":              "a pseudo file system is mounted at " + queues,
		"a root/beside":       "",
	} {
		for _, sandbox := range []grants.Sandbox{{Read: []string{filepath.Join(dir, root)}}, {Write: []string{filepath.Join(dir, root)}}} {
			_, err := Config{}.openRoots(sandbox)
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v, want %q", root, err, want)
			}
		}
	}
}
