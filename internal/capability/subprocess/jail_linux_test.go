package subprocess

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

// Covers: E1
// Covers: T-SEC-03
func TestEnvironmentOfTheSupervisorIsNotThere(t *testing.T) {
	t.Setenv("CANARY", "canary-value")
	j := open(t, shell())
	r := j.sh("env; cat /proc/1/environ /proc/self/environ /proc/*/environ; ls -la /proc/1/fd /proc/self/fd")
	if strings.Contains(string(r.Stdout), "canary-value") || !strings.Contains(string(r.Stdout), "PATH=") {
		t.Errorf("%s", r.Stdout)
	}
}

// Covers: E6, E8
// Covers: T-CMD-01
func TestJailHoldsNothingOfTheHost(t *testing.T) {
	j := open(t, shell())
	for script, want := range map[string]string{
		"ls /":    "bin dev etc lib lib64 proc sbin tmp usr",
		"ls /dev": "fd full null random stderr stdin stdout urandom zero",
		"ls /tmp": "",
		"cat /proc/self/status | grep -c 'CapEff:.*[1-9a-f]$'": "0",
		"grep NoNewPrivs /proc/self/status | tr -d '\\t '":     "NoNewPrivs:1",
		"grep Seccomp: /proc/self/status | tr -d '\\t '":       "Seccomp:2",
		"id -u": "1000",
		"ls /proc | grep -c '^[0-9]*$' | head -1":                                                            "4", // init, sh, ls, grep, head: see below
		"test -e /etc/shadow || test -e /root || test -e /home || test -e /sys || test -e /run || echo none": "none",
		"touch /x /usr/x /etc/x /dev/x 2>/dev/null; ls /x /usr/x /etc/x /dev/x 2>/dev/null | wc -l":          "0",
	} {
		r := j.sh(script)
		got := strings.Join(strings.Fields(string(r.Stdout)), " ")
		if strings.HasPrefix(script, "ls /proc") {
			if got < "2" || got > "6" || len(got) != 1 {
				t.Errorf("%s: %q processes", script, got)
			}
			continue
		}
		if script == "ls /" {
			got = strings.NewReplacer(" lib32", "", " libx32", "").Replace(got)
		}
		if got != want {
			t.Errorf("%s: %q, want %q; %s", script, got, want, r.Stderr)
		}
	}
}

// The first process of a jail is the realm's binary, which in rootless mode the command's own user owns: case T4. Neither may
// that process be examined nor files outside the jail be opened, whatever leads to them.
//
// Covers: T-CMD-01
func TestForbiddenCallsFail(t *testing.T) {
	g := granting("/usr/bin/perl", "/bin/sh")
	j := open(t, g)
	for name, script := range map[string]string{
		"its own file":    `open(F, "+<", "/proc/self/exe") or exit 1`,
		"process 1":       `defined readlink("/proc/1/exe") or exit 1`,
		"its file":        `open(F, "<", "/proc/1/exe") or exit 1`,
		"shadow":          `open(F, "<", "/etc/shadow") or exit 1`,
		"inet socket":     `socket(S, 2, 1, 0) or exit 1`,
		"inet6 socket":    `socket(S, 10, 1, 0) or exit 1`,
		"netlink socket":  `socket(S, 16, 3, 0) or exit 1`,
		"packet socket":   `socket(S, 17, 3, 0) or exit 1`,
		"mount":           `my ($a, $b, $c) = ("none", "/nonexistent", "tmpfs"); syscall(165, $a, $b, $c, 0, 0); exit($! == 1 ? 1 : 0)`,
		"ptrace":          `syscall(101, 0, 0, 0, 0) == 0 or exit 1`,
		"user namespace":  `syscall(272, 0x10000000) == 0 or exit 1`,
		"keyctl":          `syscall(250, 0, -3, 0) >= 0 or exit 1`,
		"bpf":             `syscall(321, 0, 0, 0) >= 0 or exit 1`,
		"io_uring":        `syscall(425, 1, 0) >= 0 or exit 1`,
		"terminal":        `open(F, "+<", "/dev/tty") or exit 1`,
		"signal the host": `my $n = kill(0, 3..400); exit($n > 4 ? 0 : 1)`,
		"set-user-ID":     `syscall(105, 0) == 0 or exit 1`,
		"watch files":     `syscall(294, 0) >= 0 or exit 1`,
		"connect a pair":  `use Socket; socketpair(S, T, AF_UNIX, SOCK_SEQPACKET, 0) or exit 9; connect(S, pack_sockaddr_un("/x")) or exit($! == 38 ? 1 : 8)`,
	} {
		r, err := j.run("", "/usr/bin/perl", "-e", script)
		if err != nil || r.Code != 1 {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

func TestGrantedRoots(t *testing.T) {
	dir := t.TempDir()
	in, out, other := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "other")
	for _, d := range []string{in, out, other} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d, "file"), []byte("content of "+filepath.Base(d)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("in", link); err != nil {
		t.Fatal(err)
	}
	g := shell()
	g.Subprocess.Sandbox = grants.Sandbox{Read: []string{in, link}, Write: []string{out}}
	j := open(t, g)
	r := j.sh(fmt.Sprintf("cat %s/file %s/file %s/file; echo new > %s/made; echo more >> %s/file; mkdir %s/sub", in, link, out, out, out, out))
	if r.Code != 0 || string(r.Stdout) != "content of in\ncontent of in\ncontent of out\n" {
		t.Fatalf("%+v %s", r, r.Stderr)
	}
	made, err := os.ReadFile(filepath.Join(out, "made"))
	if err != nil || string(made) != "new\n" {
		t.Error(string(made), err)
	}
	info, err := os.Stat(filepath.Join(out, "made"))
	if err != nil {
		t.Fatal(err)
	}
	if uid := info.Sys().(*syscall.Stat_t).Uid; int(uid) != os.Geteuid() {
		t.Errorf("a new file belongs to %d, its directory to %d", uid, os.Geteuid())
	}
	for _, script := range []string{
		"echo x > " + in + "/new", "echo x >> " + in + "/file", "rm " + in + "/file", "echo x > " + link + "/new",
		"cat " + other + "/file", "ls " + other, "mv " + in + " " + dir + "/gone", "cat " + out + "/../other/file",
	} {
		if r := j.sh(script); r.Code == 0 {
			t.Errorf("%s succeeded", script)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(in, "file")); string(text) != "content of in\n" {
		t.Errorf("a read root holds %q", text)
	}
}

// A root that holds the name of a service's socket grants its files, not the service.
//
// Covers: T-CMD-05
func TestServicesOfTheHostAreNotReachedThroughTheirSockets(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{"unix", "unixgram"} {
		d, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		// Through the descriptor: the path itself is too long for an address.
		at := &net.UnixAddr{Name: fmt.Sprintf("/proc/self/fd/%d/%s", d.Fd(), kind), Net: kind}
		var service io.Closer
		if kind == "unix" {
			service, err = net.ListenUnix(kind, at)
		} else {
			service, err = net.ListenUnixgram(kind, at)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer service.Close()
	}
	g := granting("/usr/bin/perl")
	g.Subprocess.Sandbox.Read = []string{dir}
	j := open(t, g)
	const prelude = `use Socket; chdir shift or exit 7; -S "unix" && -S "unixgram" or exit 8; `
	for name, script := range map[string]string{
		"stream":            `socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un("unix")) or exit 1`,
		"datagram":          `socket(S, AF_UNIX, SOCK_DGRAM, 0) && send(S, "x", 0, pack_sockaddr_un("unixgram")) or exit 1`,
		"pair of datagrams": `socketpair(S, T, AF_UNIX, SOCK_DGRAM, 0) && send(S, "x", 0, pack_sockaddr_un("unixgram")) or exit 1`,
		"pair of streams":   `socketpair(S, T, AF_UNIX, SOCK_STREAM, 0) or exit 9; connect(S, pack_sockaddr_un("unix")) or send(S, "x", 0, pack_sockaddr_un("unix")) or exit 1`,
	} {
		if r, err := j.run("", "/usr/bin/perl", "-e", prelude+script, dir); err != nil || r.Code != 1 {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

// A jail's user is the owner of what is mapped to it, and an owner's lease holds up whoever opens the file.
// Covers: T-CMD-07
func TestHostProgramsAreNotHeldUpByLeases(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	g := granting("/usr/bin/perl")
	g.Subprocess.Sandbox.Read = []string{dir}
	j := open(t, g)
	for name, command := range map[string]string{"lease": "1024, 1", "lease of a reader": "1024, 0"} {
		if r, err := j.run("", "/usr/bin/perl", "-e", "open(F, '<', shift) or exit 2; fcntl(F, "+command+") or exit 1", path); err != nil || r.Code != 1 {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

// Covers: E9
// Covers: T-CMD-03
func TestSetIDFilesCannotBeMade(t *testing.T) {
	out := t.TempDir()
	g := granting("/usr/bin/perl", "/bin/sh")
	g.Subprocess.Environment = map[string]string{"PATH": "/usr/bin:/bin"}
	g.Subprocess.Sandbox.Write = []string{out}
	j := open(t, g)
	for name, script := range map[string]string{
		"chmod":    `chmod(04755, "F") or exit 1`,
		"chmod g":  `chmod(02755, "F") or exit 1`,
		"fchmod":   `open(F, ">", "F"); chmod(06755, *F) or exit 1`,
		"creat":    `my $f = "N1"; syscall(85, $f, 04755) >= 0 or exit 1`,
		"open":     `my $f = "N2"; syscall(2, $f, 0101, 04755) >= 0 or exit 1`,
		"openat":   `my $f = "N3"; syscall(257, -100, $f, 0101, 06755) >= 0 or exit 1`,
		"mknod":    `my $f = "N4"; syscall(133, $f, 0104755, 0) == 0 or exit 1`,
		"mkdir":    `my $f = "N5"; syscall(83, $f, 02755) == 0 or exit 1`,
		"fchmodat": `my $f = "F"; syscall(268, -100, $f, 04755) == 0 or exit 1`,
		"openat2":  `my $f = "N6"; my $how = pack("QQQ", 0101, 04755, 0); syscall(437, -100, $f, $how, 24) >= 0 or exit 1`,
	} {
		r, err := j.run("", "/usr/bin/perl", "-e", `chdir "`+out+`" or exit 7; open(my $x, ">", "F"); `+script)
		if err != nil || r.Code != 1 {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
	j.sh("cd " + out + "; cp -p /usr/bin/su . ; cp -a /usr/bin/passwd .; install -m 4755 /bin/true t")
	err := filepath.Walk(out, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestDiskOfAJailIsBoundedAndItsOwn(t *testing.T) {
	g := shell()
	j := open(t, g)
	r := j.sh("dd if=/dev/zero of=/tmp/fill bs=1M count=200 2>/dev/null; stat -c %s /tmp/fill; ls /tmp")
	var size int64
	if _, err := fmt.Sscan(string(r.Stdout), &size); err != nil || size < 1<<20 || size > 64<<20 {
		t.Errorf("%q", r.Stdout)
	}
	if r := j.sh("ls /tmp"); len(r.Stdout) != 0 {
		t.Errorf("the next command finds %q", r.Stdout)
	}
}

func TestExecuteNarrowsWhatRuns(t *testing.T) {
	g := shell()
	g.Subprocess.Sandbox.Execute = []string{"/usr/bin/id"}
	j := open(t, g)
	if r := j.sh("/usr/bin/id -u"); string(r.Stdout) != "1000\n" {
		t.Errorf("%+v %s", r, r.Stderr)
	}
	for _, script := range []string{"/usr/bin/env", "/bin/cat /dev/null", "cp /usr/bin/id /tmp/id; /tmp/id"} {
		if r := j.sh(script); r.Code == 0 {
			t.Errorf("%s ran", script)
		}
	}
}
