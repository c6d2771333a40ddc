package supervisor_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// A step is a system call that one of a run's processes makes first: a filter
// kills that process there, as surely as SIGKILL does and at no other moment.
type step struct {
	who, name string
	calls     []refusedCall
}

func steps() []step {
	list := []step{
		{"supervisor", "asks whether a pidfd signals", calls(unix.SYS_PIDFD_SEND_SIGNAL)},
		{"supervisor", "makes a control group", calls(unix.SYS_MKDIR, unix.SYS_MKDIRAT)},
		{"supervisor", "makes a pipe", calls(unix.SYS_PIPE2)},
		{"supervisor", "opens a root", calls(unix.SYS_OPENAT2)},
		{"supervisor", "has an unnamed file", calls(unix.SYS_FLOCK)},
		{"supervisor", "makes a file durable", calls(unix.SYS_FSYNC)},
		{"supervisor", "names a file", calls(unix.SYS_LINKAT)},
		{"supervisor", "replaces a file", calls(unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_RENAME)},
		{"supervisor", "examines descriptors", calls(unix.SYS_PIDFD_GETFD)},
		{"supervisor", "ends", calls(unix.SYS_EXIT_GROUP)}, // and the realm, whoever comes first
		{"spawner", "clones", calls(unix.SYS_CLONE3)},
		{"spawner", "makes a channel", calls(unix.SYS_SOCKETPAIR)}, // the supervisor's comes first
		{"spawner", "reaps", calls(unix.SYS_WAIT4, unix.SYS_WAITID)},
		{"spawner", "waits for requests", calls(unix.SYS_EPOLL_CREATE1)}, // of everybody's
		{"realm", "loads its filter", []refusedCall{{unix.SYS_SECCOMP, 1, true, 0}}},
		{"command", "opens a tree", calls(unix.SYS_OPEN_TREE)},
		{"command", "restricts a mount", calls(unix.SYS_MOUNT_SETATTR)},
		{"command", "moves a mount", calls(unix.SYS_MOVE_MOUNT)},
		{"command", "asks where it is", calls(unix.SYS_GETCWD)},
	}
	for name, number := range map[string]uint32{
		"joins a session keyring": unix.SYS_KEYCTL, "starts a session": unix.SYS_SETSID, "unshares": unix.SYS_UNSHARE, "mounts": unix.SYS_MOUNT,
		"names the host": unix.SYS_SETHOSTNAME, "changes the root": unix.SYS_PIVOT_ROOT, "detaches the old root": unix.SYS_UMOUNT2,
		"becomes its group": unix.SYS_SETRESGID, "becomes its user": unix.SYS_SETRESUID, "drops capabilities": unix.SYS_CAPSET,
		"closes descriptors": unix.SYS_CLOSE_RANGE, "restricts itself": unix.SYS_LANDLOCK_RESTRICT_SELF, "executes": unix.SYS_EXECVEAT,
	} {
		list = append(list, step{"launcher", name, calls(number)})
	}
	return list
}

// Whichever process dies, and at whichever step: the file is the old one or the
// new one, the record verifies, nobody lives on, and the next start finds nothing
// of it or removes it.
//
// Case T7
// Covers: T-END-01, T-FS-05
func TestNothingIsLeftOfWhatIsKilledAtAnyStep(t *testing.T) {
	counts := newEngaged()
	defer counts.report(t, "steps")
	for _, s := range steps() {
		t.Run(s.who+" "+s.name, func(t *testing.T) {
			defer func() { counts.add(s.who, !t.Failed()) }()
			killAt(t, s)
		})
	}
}

func killAt(t *testing.T, s step) {
	dir := openDir(t)
	out, log := filepath.Join(dir, "out"), filepath.Join(dir, "audit.log")
	if err := os.Mkdir(out, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(out, 0o777); err != nil {
		t.Fatal(err)
	}
	const old = "the old content"
	target := write(t, filepath.Join(out, "target"), old)
	if err := os.Chmod(target, 0o666); err != nil {
		t.Fatal(err)
	}
	renewed := strings.Repeat("x", 100_000)
	source := write(t, filepath.Join(dir, "guest.ts"), `
		import { writeText, spawn } from 'realm:capabilities';
		await writeText('`+out+`/made', 'x'.repeat(100_000));
		await writeText('`+target+`', 'x'.repeat(100_000));
		const { code } = await spawn('/bin/sh', ['-c', 'cd / && pwd -P && true']);
		if (code !== 0) throw new Error('the command: ' + code)`)
	before := adopt(t)
	o := execute(t, deprived(t, deprivation{Calls: s.calls, Kill: true}, "run", "--json", "--audit", log, "--write", out, "--exec", "/bin/sh", source))
	if o.status == 0 {
		t.Errorf("nobody was killed\n%s%s", o.stdout, o.stderr)
	}
	eventually(t, "no process of it lives", func() bool { return len(orphans(t, before)) == 0 })
	next := supervise(t, supervisor.Config{})
	if res, err := runIn(t, next, `1`, granted(grants.Grants{Filesystem: grants.Filesystem{Write: []string{out}}})); err != nil || res.Value != 1.0 {
		t.Errorf("the next run: %v", err)
	}
	eventually(t, "its control groups are gone", func() bool { return len(groupsOf(t, o.pid)) == 0 })
	if left := temporariesBelow(t, dir); len(left) > 0 {
		t.Errorf("temporaries %v", left)
	}
	for name, may := range map[string][]string{"target": {old, renewed}, "made": {"", renewed}} {
		text, err := os.ReadFile(filepath.Join(out, name))
		if err != nil && !(os.IsNotExist(err) && may[0] == "") || string(text) != may[0] && string(text) != may[1] {
			t.Errorf("%s is neither the old nor the new one: %d bytes, %v", name, len(text), err)
		}
	}
	if list := records(t, log); o.status == -1 && len(list) > 0 && list[len(list)-1].Outcome == audit.Used && list[len(list)-1].Op == 0 && s.name != "ends" {
		t.Errorf("the record says that it ended well: %+v", list[len(list)-1])
	}
}

// adopt makes this process the parent of its descendants whose own has died, and
// returns those that there are.
func adopt(t *testing.T) map[int]bool {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	before := map[int]bool{}
	for _, p := range descendants(t, os.Getpid()) {
		before[p.pid] = true
	}
	return before
}

// orphans are the further processes that live; it buries the others.
func orphans(t *testing.T, before map[int]bool) (alive []process) {
	t.Helper()
	for _, p := range descendants(t, os.Getpid()) {
		switch {
		case before[p.pid]:
		case p.state != 'Z':
			alive = append(alive, p)
		case p.parent == os.Getpid():
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG, nil)
		}
	}
	return alive
}
