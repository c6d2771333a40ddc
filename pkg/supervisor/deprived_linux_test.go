package supervisor_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A command line supervisor on a host that lacks something: the test binary is
// started again, takes that away from itself for good, and becomes the supervisor.

func init() { helpers["deprived"] = becomeDeprived }

// deprivation is what is taken away. The zero value takes nothing.
type deprivation struct {
	Calls    []refusedCall // by a filter of system calls
	Errno    int
	Ask      bool     // whoever makes one of Calls waits for who has the listener, which goes to descriptor 3
	Sysctl   string   // below /proc/sys/user, set to 0 in a user namespace of its own
	Unmount  []string // in a mount namespace of its own
	ReadOnly []string // the same, mounted read-only
	Full     bool     // no byte more can be written to a file
	Realm    string   // where the realm is said to be
	Argv     []string
}

// refusedCall is a system call that fails, or with Arg set only where its argument
// of that index is Value.
type refusedCall struct {
	Number, Value uint32
	Arg           bool
	Index         uint32
}

func calls(numbers ...uint32) (list []refusedCall) {
	for _, n := range numbers {
		list = append(list, refusedCall{Number: n})
	}
	return list
}

// deprived is the supervisor's command line without what d takes away.
func deprived(t *testing.T, d deprivation, argv ...string) *exec.Cmd {
	t.Helper()
	d.Argv = append([]string{commandLine(t)}, argv...)
	document, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	cmd := helper(t, "deprived", "E2E_DEPRIVE="+string(document), "NO_COLOR=1")
	cmd.Stderr = nil
	if d.Sysctl == "" && (os.Geteuid() == 0 || len(d.Unmount)+len(d.ReadOnly) == 0) {
		return cmd
	}
	user := os.Geteuid()
	if user == 0 { // root's groups cannot be used from a user namespace
		user = plainUser
		cmd.Env = append(cmd.Env, awaitVariable+"=1", "TMPDIR=/tmp")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: user, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: user, Size: 1}},
		Credential:  &syscall.Credential{Uid: 1000, Gid: 1000, NoSetGroups: true},
		AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE, unix.CAP_SYS_ADMIN},
	}
	return cmd
}

// start starts cmd, in groups of its own where it waits for them.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(cmd.Env, awaitVariable+"=1") {
		delegate(t, cmd.Process.Pid)
	}
	_ = in.Close() // go
}

// commandLine is a copy of the supervisor's binary beside that of the realm.
func commandLine(t *testing.T) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(realmPath), "supervisor")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := copyFile(path, "../../bin/supervisor"); err != nil {
		t.Fatalf("run make build: %v", err)
	}
	return path
}

func becomeDeprived() int {
	runtime.LockOSThread() // a mount namespace is this thread's, which is the one that goes on
	var d deprivation
	if err := json.Unmarshal([]byte(os.Getenv("E2E_DEPRIVE")), &d); err != nil {
		return fault(err)
	}
	if err := os.RemoveAll(os.Getenv("TMPDIR")); err != nil { // it is this helper's own, which does not come to its end
		return fault(err)
	}
	if err := d.apply(); err != nil {
		return fault(err)
	}
	if err := os.Setenv("TMPDIR", "/tmp"); err != nil {
		return fault(err)
	}
	if d.Realm != "" {
		if err := os.Setenv("SUPERVISOR_REALM", d.Realm); err != nil {
			return fault(err)
		}
	}
	return fault(syscall.Exec(d.Argv[0], d.Argv, os.Environ()))
}

func (d deprivation) apply() error {
	if d.Sysctl != "" {
		if err := os.WriteFile("/proc/sys/user/"+d.Sysctl, []byte("0"), 0); err != nil {
			return err
		}
	}
	if err := d.mounts(); err != nil {
		return err
	}
	// Where the namespace was made, nothing of its power goes on.
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	if d.Full {
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{}); err != nil {
			return err
		}
	}
	if len(d.Calls) == 0 {
		return nil
	}
	return d.filter()
}

func (d deprivation) mounts() error {
	if len(d.Unmount)+len(d.ReadOnly) == 0 {
		return nil
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	for _, path := range d.Unmount { // what came with a user namespace is locked: it is covered instead
		if unix.Unmount(path, unix.MNT_DETACH) == nil {
			continue
		}
		if err := unix.Mount("none", path, "tmpfs", unix.MS_RDONLY, ""); err != nil {
			return fmt.Errorf("cover %s: %w", path, err)
		}
	}
	for _, path := range d.ReadOnly {
		attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &attr); err != nil {
			return fmt.Errorf("read-only %s: %w", path, err)
		}
	}
	return nil
}

// listenerTo is a socket that a filter's listener is sent to.
const listenerTo = 3

// filter makes the calls fail in this process and all that it becomes or starts.
func (d deprivation) filter() error {
	refuse := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(d.Errno)}
	flags := uintptr(unix.SECCOMP_FILTER_FLAG_TSYNC)
	if d.Ask {
		refuse.K, flags = unix.SECCOMP_RET_USER_NOTIF, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER // of this thread, which goes on alone
	}
	var program []unix.SockFilter
	for _, c := range d.Calls {
		program = append(program, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0})
		if !c.Arg {
			program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: c.Number}, refuse)
			continue
		}
		program = append(program,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: c.Number},
			unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16 + 8*c.Index}, // its low half
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: c.Value}, refuse)
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	listener, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if e != 0 {
		return e
	}
	if !d.Ask {
		return nil
	}
	unix.CloseOnExec(listenerTo)
	return unix.Sendmsg(listenerTo, []byte{0}, unix.UnixRights(int(listener)), nil, 0)
}
