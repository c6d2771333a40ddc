//go:build linux

package launch

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// Covers: T-NS-04
func TestRefusedSystemCallNamesItsLayer(t *testing.T) {
	for _, c := range []struct {
		name, layer string
		number      int
	}{
		{"clone3", layer.UserNS, unix.SYS_CLONE3},
		{"unshare", layer.MountNS, unix.SYS_UNSHARE},
		{"mount", layer.MountNS, unix.SYS_MOUNT},
		{"pivot_root", layer.RootFS, unix.SYS_PIVOT_ROOT},
		{"sethostname", layer.UTSNS, unix.SYS_SETHOSTNAME},
		{"close_range", layer.Descriptors, unix.SYS_CLOSE_RANGE},
		{"capset", layer.Capabilities, unix.SYS_CAPSET},
		{"landlock_restrict_self", layer.Landlock, unix.SYS_LANDLOCK_RESTRICT_SELF},
		{"setresuid", layer.UserNS, unix.SYS_SETRESUID},
		{"setsid", layer.PidNS, unix.SYS_SETSID},
		{"nothing", "nothing: {Code:0 Signal:signal 0", 4095},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := runRefused(t, nil, "SYSCALL="+strconv.Itoa(c.number))
			if len(got) > len(c.layer) {
				got = got[:len(c.layer)]
			}
			if got != c.layer {
				t.Errorf("layer = %q, want %q", got, c.layer)
			}
		})
	}
}

// A user namespace of the test's own, where the kernel's limits are 0.
// Covers: T-NS-04
func TestForbiddenNamespaceNamesItsLayer(t *testing.T) {
	for _, c := range []struct{ sysctl, layer string }{
		{"max_user_namespaces", layer.UserNS},
		{"max_pid_namespaces", layer.PidNS},
		{"max_mnt_namespaces", layer.MountNS},
		{"max_net_namespaces", layer.NetNS},
		{"max_ipc_namespaces", layer.IPCNS},
		{"max_uts_namespaces", layer.UTSNS},
		{"max_cgroup_namespaces", layer.CgroupNS},
	} {
		t.Run(c.sysctl, func(t *testing.T) {
			attr := &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Geteuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getegid(), Size: 1}},
				Credential:  &syscall.Credential{Uid: 1000, Gid: 1000, NoSetGroups: true},
				AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE},
			}
			if got := runRefused(t, attr, "SYSCTL="+c.sysctl); got != c.layer {
				t.Errorf("layer = %q, want %q", got, c.layer)
			}
		})
	}
}

func runRefused(t *testing.T, attr *syscall.SysProcAttr, env string) string {
	t.Helper()
	cmd := helper(t, "refused", env)
	cmd.SysProcAttr = attr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

func TestUnusableBinaryIsATypedError(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, path string
		problem    BinaryProblem
	}{
		{"missing", filepath.Join(dir, "none"), BinaryMissing},
		{"a directory", dir, BinaryNotExecutable},
		{"without execute permission", plain, BinaryNotExecutable},
		{"not a program", text, BinaryNotRealm},
		{"another program that ends", "/bin/true", BinaryNotRealm},
		{"another program that complains", "/bin/ls", BinaryNotRealm},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Start(c.path, quiet())
			if s != nil {
				s.Close()
			}
			var problem *BinaryError
			if !errors.As(err, &problem) || problem.Problem != c.problem || problem.Path != c.path {
				t.Errorf("error = %v", err)
			}
		})
	}
}

// A kernel without budgets for real-time groups lets the task join.
func TestARealTimeSupervisorIsToldWhichGroupRefusesIt(t *testing.T) {
	if os.Geteuid() != 0 {
		return // only root is given the class
	}
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, and the class with it
	if err := unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: 1}, 0); err != nil {
		t.Fatal(err)
	}
	s := startSpawner(t)
	_, err := trySpawn(t, s, newGroup(t, "realtime"))
	if err == nil {
		return
	}
	var missing *Unenforceable
	if !errors.As(err, &missing) || missing.Layer != layer.CgroupCPU || missing.Fix == "" {
		t.Errorf("%v, want one of %s with a fix", err, layer.CgroupCPU)
	}
}
