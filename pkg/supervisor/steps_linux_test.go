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

// A step is a system call that one of a run's processes is about to make: it waits
// there while who is killed, itself or another. Nothing of the call has happened then.
type step struct {
	who, name string
	calls     []refusedCall
	at        string // who makes the call; "" is who
	nth       int    // how often it is made, by whoever plays that part; 0 is the first time
}

func steps() []step {
	list := []step{
		{who: "supervisor", name: "opens a root", calls: calls(unix.SYS_OPENAT2)},
		{who: "supervisor", name: "makes a pipe", calls: calls(unix.SYS_PIPE2)},
		{who: "supervisor", name: "asks whether a pidfd signals", calls: calls(unix.SYS_PIDFD_SEND_SIGNAL)},
		{who: "supervisor", name: "makes a control group", calls: calls(unix.SYS_MKDIR, unix.SYS_MKDIRAT)},
		{who: "supervisor", name: "examines descriptors", calls: calls(unix.SYS_PIDFD_GETFD)},
		{who: "supervisor", name: "makes a file without a name", calls: unnamed},
		{who: "supervisor", name: "makes a file durable", calls: calls(unix.SYS_FSYNC)},
		{who: "supervisor", name: "names a file", calls: calls(unix.SYS_LINKAT)},
		{who: "supervisor", name: "replaces a file", calls: replacing},
		{who: "supervisor", name: "has a realm that calls", calls: says, at: "realm", nth: 2},
		{who: "supervisor", name: "has a command that runs", calls: calls(unix.SYS_GETCWD), at: "command"},
		{who: "supervisor", name: "has a realm with a result", calls: says, at: "realm", nth: 5},
		{who: "supervisor", name: "ends", calls: calls(unix.SYS_EXIT_GROUP)},
		{who: "spawner", name: "leaves the session", calls: calls(unix.SYS_SETSID)},
		{who: "spawner", name: "waits for requests", calls: calls(unix.SYS_EPOLL_CREATE1)},
		{who: "spawner", name: "says what it is", calls: tells},
		{who: "spawner", name: "takes a request", calls: calls(unix.SYS_RECVMSG)},
		{who: "spawner", name: "makes a channel", calls: calls(unix.SYS_SOCKETPAIR)},
		{who: "spawner", name: "clones", calls: calls(unix.SYS_CLONE3)},
		{who: "spawner", name: "tells of a child", calls: tells, nth: 2},
		{who: "spawner", name: "clones for a command", calls: calls(unix.SYS_CLONE3), nth: 2},
		{who: "spawner", name: "has a command that runs", calls: calls(unix.SYS_GETCWD), at: "command"},
		{who: "spawner", name: "reaps", calls: calls(unix.SYS_WAIT4, unix.SYS_WAITID)},
		{who: "realm", name: "loads its filter", calls: []refusedCall{{unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, true, 0}}},
		{who: "realm", name: "says that it is ready", calls: says},
		{who: "realm", name: "reads its source", calls: []refusedCall{{unix.SYS_READ, 3, true, 0}}},
		{who: "realm", name: "calls", calls: says, nth: 2},
		{who: "realm", name: "waits for a file without a name", calls: unnamed, at: "supervisor"},
		{who: "realm", name: "waits for a durable file", calls: calls(unix.SYS_FSYNC), at: "supervisor"},
		{who: "realm", name: "waits for a file's name", calls: calls(unix.SYS_LINKAT), at: "supervisor"},
		{who: "realm", name: "waits for a file's replacement", calls: replacing, at: "supervisor"},
		{who: "realm", name: "waits for a command's clone", calls: calls(unix.SYS_CLONE3), at: "spawner", nth: 2},
		{who: "realm", name: "waits for a command's confinement", calls: calls(unix.SYS_OPEN_TREE), at: "launcher"},
		{who: "realm", name: "waits for a command that runs", calls: calls(unix.SYS_GETCWD), at: "command"},
		{who: "realm", name: "waits for a command that writes", calls: creates, at: "command"},
		{who: "realm", name: "waits for a command that ends", calls: calls(unix.SYS_EXIT_GROUP), at: "command"},
		{who: "realm", name: "says its result", calls: says, nth: 5},
		{who: "launcher", name: "opens a tree for a command", calls: calls(unix.SYS_OPEN_TREE)},
		{who: "launcher", name: "restricts a mount for a command", calls: calls(unix.SYS_MOUNT_SETATTR)},
		{who: "launcher", name: "moves a mount for a command", calls: calls(unix.SYS_MOVE_MOUNT)},
		{who: "launcher", name: "executes a command", calls: calls(unix.SYS_EXECVE)},
		{who: "launcher", name: "waits for a command", calls: calls(unix.SYS_WAIT4)},
		{who: "launcher", name: "has a command that runs", calls: calls(unix.SYS_GETCWD), at: "command"},
		{who: "command", name: "asks where it is", calls: calls(unix.SYS_GETCWD)},
		{who: "command", name: "prints", calls: []refusedCall{{unix.SYS_WRITE, 1, true, 0}}},
		{who: "command", name: "makes a file", calls: creates},
		{who: "command", name: "ends", calls: calls(unix.SYS_EXIT_GROUP)},
	}
	for name, number := range map[string]uint32{
		"joins a session keyring": unix.SYS_KEYCTL, "starts a session": unix.SYS_SETSID, "unshares": unix.SYS_UNSHARE, "mounts": unix.SYS_MOUNT,
		"names the host": unix.SYS_SETHOSTNAME, "changes the root": unix.SYS_PIVOT_ROOT, "detaches the old root": unix.SYS_UMOUNT2,
		"becomes its group": unix.SYS_SETRESGID, "becomes its user": unix.SYS_SETRESUID, "drops capabilities": unix.SYS_CAPSET,
		"closes descriptors": unix.SYS_CLOSE_RANGE, "restricts itself": unix.SYS_LANDLOCK_RESTRICT_SELF, "executes": unix.SYS_EXECVEAT,
	} {
		list = append(list, step{who: "launcher", name: name, calls: calls(number)})
	}
	return list
}

var (
	replacing = calls(unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_RENAME)
	unnamed   = []refusedCall{{unix.SYS_OPENAT, unix.O_WRONLY | unix.O_CLOEXEC | unix.O_TMPFILE, true, 2}}
	says      = []refusedCall{{unix.SYS_WRITEV, 4, true, 0}}                  // a message of the realm's
	tells     = []refusedCall{{unix.SYS_SENDMSG, unix.MSG_NOSIGNAL, true, 2}} // a message of the spawner's
	creates   = []refusedCall{{unix.SYS_OPENAT, unix.O_WRONLY | unix.O_CREAT | unix.O_TRUNC, true, 2}}
)

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
	sh := write(t, filepath.Join(dir, "grants.json"), `{"filesystem": {"write": ["`+out+`"]}, "subprocess": {"commands": ["/bin/sh"], "sandbox": {"write": ["`+out+`"]}}}`)
	source := write(t, filepath.Join(dir, "guest.ts"), `
		import { writeText, spawn } from 'realm:capabilities';
		await writeText('`+out+`/made', 'x'.repeat(100_000));
		await writeText('`+target+`', 'x'.repeat(100_000));
		const { code } = await spawn('/bin/sh', ['-c', 'cd / && pwd -P && echo x > `+out+`/printed && true']);
		if (code !== 0) throw new Error('the command: ' + code)`)
	before := adopt(t)
	cmd := deprived(t, deprivation{Calls: s.calls, Ask: true}, "run", "--json", "--audit", log, "--grants", sh, source)
	w := s.watch(t, cmd, before)
	o := execute(t, cmd)
	eventually(t, "no process of it lives", func() bool { return len(orphans(t, before)) == 0 })
	if !w.struck(t) {
		t.Errorf("nobody was killed: exit %d\n%s%s", o.status, o.stdout, o.stderr)
	}
	if died := o.status == -1; died != (s.who == "supervisor") {
		t.Errorf("the supervisor's death is %v: exit %d\n%s%s", died, o.status, o.stdout, o.stderr)
	}
	next := supervise(t, supervisor.Config{})
	if res, err := runIn(t, next, `1`, granted(grants.Grants{Filesystem: grants.Filesystem{Write: []string{out}}})); err != nil || res.Value != 1.0 {
		t.Errorf("the next run: %v", err)
	}
	gone(t, func() []string { return groupsOf(t, o.groups) })
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

// adopt makes this process the parent of its descendants whose own has died, until
// the test ends, and returns those that there are.
func adopt(t *testing.T) map[int]bool {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
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
