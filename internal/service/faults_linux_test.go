package service

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const namespaceVariable = "SERVICE_NAMESPACE"

// A run that cannot be recorded is refused; when there is room again, runs are taken again.
func TestAFullAuditDiskRefusesRunsAndRecovers(t *testing.T) {
	needRoot(t)
	if os.Getenv(namespaceVariable) == "" { // a file system of its own, in mounts of its own
		cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
		cmd.Env = append(os.Environ(), namespaceVariable+"=1", "SUPERVISOR_REALM="+realmPath)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	r := prepare(t, "version: 1\ncallers: [{uid: ME, grants: true}]\naudit: [{file: DIR/log/audit.log}]\n")
	if err := os.Mkdir(r.dir()+"/log", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", r.dir()+"/log", "tmpfs", 0, "size=64k"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Unmount(r.dir()+"/log", syscall.MNT_DETACH) }()
	r.start(nil)
	r.run(`{"source": "1"}`)
	filler := r.dir() + "/log/filler"
	_ = os.WriteFile(filler, make([]byte, 64<<10), 0o600) // as much as there is room for
	var status int
	var text string
	for range 40 { // the last page of the log
		if status, text = r.send("POST", "/v1/runs", `{"source": "1"}`); status != 200 {
			break
		}
	}
	if status != 500 || !strings.Contains(text, `"code":"INTERNAL"`) || !strings.Contains(text, "no space left") {
		t.Errorf("on a full disk: %d %s", status, text)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if res := r.run(`{"source": "6 * 7"}`); string(res.Value) != "42" {
		t.Errorf("with room again: %+v", res)
	}
}

// realmGroups are the control groups of every realm of this process's spawner, in every hierarchy.
func realmGroups(t *testing.T) (dirs []string) {
	t.Helper()
	for _, realm := range children(spawner(t)) {
		lines, _ := os.ReadFile("/proc/" + realm + "/cgroup")
		for line := range strings.Lines(string(lines)) {
			fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
			if len(fields) != 3 || !strings.Contains(fields[2], "/realm-") {
				continue
			}
			for _, hierarchy := range []string{fields[1], "unified", ""} {
				dir := filepath.Join("/sys/fs/cgroup", hierarchy, fields[2])
				if _, err := os.Stat(dir); err == nil && !slices.Contains(dirs, dir) {
					dirs = append(dirs, dir)
				}
			}
		}
	}
	return dirs
}

// removeGroup does what an administrator does who wants a group gone.
func removeGroup(t *testing.T, dir string) {
	eventually(t, dir+" is gone", func() bool {
		pids, err := os.ReadFile(dir + "/cgroup.procs")
		if err != nil {
			return true
		}
		for pid := range strings.FieldsSeq(string(pids)) {
			if n, err := strconv.Atoi(pid); err == nil && n > 1 {
				_ = syscall.Kill(n, syscall.SIGKILL)
			}
		}
		return os.Remove(dir) == nil
	})
}

// The group of a live run and that of a realm that waits are removed: the run has crashed, and the next one is well.
func TestAControlGroupThatIsRemovedIsThatRunsMatter(t *testing.T) {
	needRoot(t)
	r := serve(t, forMe+"pool: {maxConcurrent: 2, warmPoolSize: 1}\n")
	eventually(t, "a realm waits", func() bool { return r.current().sup.Waiting() == 1 })
	live := r.live(`{"source": "console.log(1); for (;;);"}`)
	live.until("status")
	eventually(t, "another one waits", func() bool { return r.current().sup.Waiting() == 1 })
	dirs := realmGroups(t)
	if len(dirs) < 2 {
		t.Fatalf("the groups %v of two realms", dirs)
	}
	for _, dir := range dirs {
		removeGroup(t, dir)
	}
	if last := live.until("error"); last["code"] != "CRASHED" {
		t.Errorf("the run ended with %v", last)
	}
	eventually(t, "another one waits in its place", func() bool { return len(realmGroups(t)) > 0 && r.current().sup.Waiting() == 1 })
	if res := r.run(`{"source": "6 * 7"}`); string(res.Value) != "42" {
		t.Errorf("the next run: %+v", res)
	}
	if r.check(t.Context()) != nil {
		t.Error("the self-check fails")
	}
}

// The socket's directory is removed: that is said, and when it is there again, so is the socket.
func TestALostSocketIsMadeAgain(t *testing.T) {
	r := prepare(t, forMe)
	dir := filepath.Join(r.dir(), "run")
	r.socket = filepath.Join(dir, "sock")
	r.client = unixClient(r.socket)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r.start(nil, func(c *Config) { c.CheckEvery = 20 * time.Millisecond })
	r.run(`{"source": "1"}`)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is said", func() bool {
		return strings.Contains(r.logs.String(), "the directory "+dir+" of the socket does not exist")
	})
	if res := r.run(`{"source": "2"}`); string(res.Value) != "2" { // over the connection that there is
		t.Errorf("%+v", res)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is made again", func() bool { return strings.Contains(r.logs.String(), "is made again") })
	if info, err := os.Stat(r.socket); err != nil || info.Mode().Perm() != 0o660 {
		t.Errorf("%v %v", info, err)
	}
	r.client = unixClient(r.socket)
	if res := r.run(`{"source": "3"}`); string(res.Value) != "3" {
		t.Errorf("%+v", res)
	}
	r.stop(time.Second)
	if _, err := os.Stat(r.socket); !os.IsNotExist(err) {
		t.Errorf("it is left: %v", err)
	}
}
