package service

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
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
