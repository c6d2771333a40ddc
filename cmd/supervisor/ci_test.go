package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

func TestTheContainerCaseIsAsItsExampleSays(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("giving privileges up needs some; make test-kernel runs as root")
	}
	supervisor, err := exec.LookPath("supervisor") // the one that TestMain found
	if err != nil {
		t.Fatal(err)
	}
	bin, err := os.MkdirTemp("/tmp", "ci-example-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(bin) })
	if err := os.Chmod(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{supervisor: "supervisor", os.Getenv("SUPERVISOR_REALM"): "realm"} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(bin, to), text, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("../../examples/ci/try.sh", filepath.Join(bin, "supervisor"))
	cmd.Env = append(os.Environ(), "SUPERVISOR_REALM="+filepath.Join(bin, "realm"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheSeccompExampleAllowsWhatRealmsAreMadeOf(t *testing.T) {
	const profile = `{"defaultAction": "SCMP_ACT_ERRNO", "syscalls": [
		{"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": 38},
		{"names": ["setns", "sethostname"], "action": "SCMP_ACT_ERRNO"},
		{"names": ["read", "write"], "action": "SCMP_ACT_ALLOW"}]}`
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Fatal("jq is needed: apt-get install jq")
	}
	file := filepath.Join(t.TempDir(), "default.json")
	if err := os.WriteFile(file, []byte(profile), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(jq, "-f", "../../examples/ci/seccomp.jq", file).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var got struct {
		Syscalls []struct {
			Names  []string
			Action string
		}
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{}
	for _, s := range got.Syscalls {
		for _, name := range s.Names {
			if before, twice := allowed[name]; twice {
				t.Errorf("%s has two rules, %v and %s", name, before, s.Action)
			}
			allowed[name] = s.Action == "SCMP_ACT_ALLOW"
		}
	}
	for _, name := range []string{"clone3", "unshare", "mount", "umount2", "pivot_root", "sethostname", "setdomainname", "keyctl", "pidfd_getfd", "open_tree", "move_mount", "mount_setattr", "read"} {
		if !allowed[name] {
			t.Errorf("%s is not allowed", name)
		}
	}
	if allowed["setns"] || slices.ContainsFunc(got.Syscalls, func(s struct {
		Names  []string
		Action string
	}) bool {
		return len(s.Names) == 0
	}) {
		t.Errorf("%s", out)
	}
}
