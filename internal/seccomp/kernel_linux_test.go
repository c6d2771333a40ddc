package seccomp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// outcome is what became of one call in a confined process: an Action as the
// kernel carried it out, or a note of what happened instead.
type outcome string

const executed outcome = "executed"

// attempt runs one call in a fresh process under the filter, as the first
// process of its own user and pid namespaces, like a realm.
func attempt(t *testing.T, filter, door string, number uint32, args [6]uint64) outcome {
	t.Helper()
	argv := []string{"call", filter, door, strconv.FormatUint(uint64(number), 10)}
	for _, arg := range args {
		argv = append(argv, strconv.FormatUint(arg, 10))
	}
	cmd := confined(argv...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("start the confined process: %v", err)
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case status.Signaled() && status.Signal() == unix.SIGSYS:
		return outcome(KillProcess.String())
	case status.Signaled():
		return outcome(status.Signal().String())
	case status.ExitStatus() == 0:
		return executed
	case status.ExitStatus() == childFailed:
		t.Fatalf("%v: the confined process could not set itself up", argv)
	}
	return outcome(Errno(uint16(status.ExitStatus())).String())
}

// confined prepares this test binary to run as a child. One processor and no
// collection keep the Go runtime from creating threads, which it would do
// without the C library and so in a way that no realm does.
func confined(argv ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", argv...)
	cmd.Env = []string{childVariable + "=1", "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1", "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getgid(), Size: 1}},
	}
	return cmd
}

// inParallel bounds how many children run at once.
func inParallel[T any](items []T, each func(T)) {
	slots := make(chan struct{}, 4)
	var group sync.WaitGroup
	for _, item := range items {
		group.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; group.Done() }()
			each(item)
		}()
	}
	group.Wait()
}

// Every call that the realm's table does not let through, tried for real, with
// arguments that would do nothing even without the filter.
// Covers: T-SYS-01, T-SYS-02
func TestKernelRefusesWhatTheRealmTableRefuses(t *testing.T) {
	if len(Realm(false)) == 0 {
		t.Fatal("no filter for this architecture")
	}
	var tried []uint32
	nothing := [6]uint64{all64, all64, all64, all64, all64, all64}
	for number := range uint32(480) {
		if RealmTable(false).Evaluate(Data{Number: number, Arch: ArchX86_64, Args: nothing}) != Allow {
			tried = append(tried, number)
		}
	}
	// Since Linux 6.14 the kernel itself lets uretprobe and uprobe pass without
	// asking any filter. Outside a probe's trampoline they do nothing but fail.
	exempt := map[uint32]bool{335: true, 336: true}
	inParallel(tried, func(number uint32) {
		if exempt[number] {
			if got := attempt(t, "realm", "native", number, nothing); got == executed {
				t.Errorf("call %d: %s", number, got)
			}
			return
		}
		want := outcome(RealmTable(false).Evaluate(Data{Number: number, Arch: ArchX86_64, Args: nothing}).String())
		if got := attempt(t, "realm", "native", number, nothing); got != want {
			t.Errorf("call %d: %s, want %s", number, got, want)
		}
	})
	if !t.Failed() {
		t.Logf("attacks: either filter calls that the kernel was asked for under the realm's filter %d %d", len(tried), len(tried))
	}
}

type kernelCase struct {
	claim  string
	filter string
	door   string
	number uint32
	args   [6]uint64
	want   outcome
}

// Covers: T-SYS-03, T-CMD-05
func TestKernelEnforcesArguments(t *testing.T) {
	const (
		kill        = outcome("kill")
		private     = mapPrivate | mapAnonymous
		shared      = 0x01 | mapAnonymous
		page        = 4096
		noFD        = uint64(0xffffffff)
		readWrite   = protRead | protWrite
		high        = uint64(1) << 32
		top         = uint64(1) << 63
		sigchld     = 17
		atFDCWD     = all64 - 99
		wronly      = 1
		directory   = 0x10000
		createPlain = openCreate | wronly
	)
	mapping := func(prot, flags, fd uint64) [6]uint64 { return [6]uint64{0, page, prot, flags, fd, 0} }
	cases := []kernelCase{
		{"a call by int 0x80 is killed", "realm", "i386", 20, [6]uint64{}, kill},
		{"a harmless number by int 0x80 is killed too", "realm", "i386", 4, [6]uint64{}, kill},
		{"an x32 call is killed", "realm", "native", x32Bit | 39, [6]uint64{}, kill},
		{"an x32-only call is killed", "realm", "native", x32Bit | 520, [6]uint64{}, kill},
		{"a command's int 0x80 is killed", "command", "i386", 20, [6]uint64{}, kill},
		{"a command's x32 call is killed", "command", "native", x32Bit | 39, [6]uint64{}, kill},

		{"private anonymous memory is mapped", "realm", "native", 9, mapping(readWrite, private, noFD), executed},
		{"all 64 bits of -1 are no descriptor either", "realm", "native", 9, mapping(readWrite, private, all64), executed},
		{"executable memory is mapped with a JIT", "realm", "native", 9, mapping(7, private, noFD), executed},
		{"executable memory is refused without", "realm-jitless", "native", 9, mapping(7, private, noFD), "EACCES"},
		{"execution alone is refused without a JIT", "realm-jitless", "native", 9, mapping(protExec, private, noFD), "EACCES"},
		{"plain memory is mapped without a JIT", "realm-jitless", "native", 9, mapping(readWrite, private, noFD), executed},
		{"making memory executable is refused without a JIT", "realm-jitless", "native", 10, [6]uint64{0, page, protExec}, "EACCES"},
		{"so is doing it by protection key", "realm-jitless", "native", 329, [6]uint64{0, page, protExec}, "EACCES"},
		{"mapping a descriptor is killed", "realm", "native", 9, mapping(readWrite, mapPrivate, 0), kill},
		{"a descriptor under an anonymous flag is killed", "realm", "native", 9, mapping(readWrite, private, 0), kill},
		{"a descriptor below high bits is killed", "realm", "native", 9, mapping(readWrite, private, ^all32), kill},
		{"shared memory is killed", "realm", "native", 9, mapping(readWrite, shared, noFD), kill},
		{"huge pages are killed", "realm", "native", 9, mapping(readWrite, private|0x40000, noFD), kill},
		{"growing stacks are killed", "realm", "native", 9, mapping(readWrite, private|0x100, noFD), kill},
		{"flags with a high bit are killed", "realm", "native", 9, mapping(readWrite, private|high, noFD), kill},
		{"protection with a high bit is killed", "realm", "native", 9, mapping(readWrite|high, private, noFD), kill},
		{"protection with the top bit is killed", "realm", "native", 10, [6]uint64{0, page, protRead | top}, kill},
		{"protection that grows down is killed", "realm", "native", 10, [6]uint64{0, page, 0x01000000}, kill},

		{"a process is killed", "realm", "native", 56, [6]uint64{sigchld}, kill},
		{"a new namespace is killed", "realm", "native", 56, [6]uint64{sigchld | 0x10000000}, kill},
		{"thread flags and a high bit are killed", "realm", "native", 56, [6]uint64{threadFlags | high}, kill},
		{"thread flags and a namespace are killed", "realm", "native", 56, [6]uint64{threadFlags | 0x40000000}, kill},
		{"a signal to another process is killed", "realm", "native", 234, [6]uint64{2, 2, 0}, kill},
		{"a signal to process 1 and a high bit is killed", "realm", "native", 234, [6]uint64{1 | high, 1, 0}, kill},
		{"a signal within the realm is sent", "realm", "native", 234, [6]uint64{1, 1, 0}, executed},
		{"other prctl options are killed", "realm", "native", 157, [6]uint64{4, 1}, kill},
		{"PR_SET_NAME with a high bit is killed", "realm", "native", 157, [6]uint64{15 | high}, kill},
		{"other PR_SET_VMA kinds are killed", "realm", "native", 157, [6]uint64{0x53564d41, 1}, kill},
		{"poisoning pages is killed", "realm", "native", 28, [6]uint64{0, page, 100}, kill},
		{"merging pages across realms is killed", "realm", "native", 28, [6]uint64{0, page, 12}, kill},
		{"MADV_DONTNEED with a high bit is killed", "realm", "native", 28, [6]uint64{0, page, 4 | high}, kill},
		{"clone3 answers ENOSYS", "realm", "native", 435, [6]uint64{}, "ENOSYS"},
		{"open answers ENOENT", "realm", "native", 2, [6]uint64{}, "ENOENT"},
		{"rt_sigqueueinfo is killed", "realm", "native", 129, [6]uint64{1, 0, 0}, kill},

		{"a command may fork", "command", "native", 56, [6]uint64{sigchld}, executed},
		{"a command gets no user namespace", "command", "native", 56, [6]uint64{sigchld | 0x10000000}, "EPERM"},
		{"nor under high bits", "command", "native", 56, [6]uint64{sigchld | 0x10000000 | top}, "EPERM"},
		{"unshare is refused", "command", "native", 272, [6]uint64{0x10000000}, "EPERM"},
		{"setns is refused", "command", "native", 308, [6]uint64{all64, 0}, "EPERM"},
		{"clone3 tells callers to fall back", "command", "native", 435, [6]uint64{}, "ENOSYS"},
		{"TIOCSTI is refused", "command", "native", 16, [6]uint64{all64, 0x5412}, "EPERM"},
		{"TIOCSTI under a high bit is refused", "command", "native", 16, [6]uint64{all64, 0x5412 | high}, "EPERM"},
		{"TIOCLINUX under all high bits is refused", "command", "native", 16, [6]uint64{all64, 0x541c | ^all32}, "EPERM"},
		{"isatty reaches the kernel", "command", "native", 16, [6]uint64{all64, 0x5401}, "errno 9"},
		{"creating a set-user-ID file is refused", "command", "native", 257, [6]uint64{atFDCWD, 0, createPlain, 0o4755}, "EPERM"},
		{"under high bits as well", "command", "native", 257, [6]uint64{atFDCWD, 0, createPlain | high, 0o4755 | top}, "EPERM"},
		{"an unnamed set-group-ID file is refused", "command", "native", 257, [6]uint64{atFDCWD, 0, openTmpfile | directory | wronly, 0o2755}, "EPERM"},
		{"open the old way is refused", "command", "native", 2, [6]uint64{0, createPlain, 0o6755}, "EPERM"},
		{"a stray mode does not matter when nothing is created", "command", "native", 257, [6]uint64{atFDCWD, 0, 0, 0o6755}, "errno 14"},
		{"creating a plain file reaches the kernel", "command", "native", 257, [6]uint64{atFDCWD, 0, createPlain, 0o644}, "errno 14"},
		{"creat with a set-ID bit is refused", "command", "native", 85, [6]uint64{0, 0o4755}, "EPERM"},
		{"chmod u+s is refused", "command", "native", 90, [6]uint64{0, 0o4755}, "EPERM"},
		{"fchmod g+s is refused", "command", "native", 91, [6]uint64{all64, 0o2755 | high}, "EPERM"},
		{"fchmodat u+s is refused", "command", "native", 268, [6]uint64{atFDCWD, 0, 0o4000}, "EPERM"},
		{"fchmodat2 tells callers to fall back", "command", "native", 452, [6]uint64{atFDCWD, 0, 0o4000}, "ENOSYS"},
		{"mkdir g+s is refused", "command", "native", 83, [6]uint64{0, 0o2755}, "EPERM"},
		{"mkdirat g+s is refused", "command", "native", 258, [6]uint64{atFDCWD, 0, 0o2755}, "EPERM"},
		{"mknod u+s is refused", "command", "native", 133, [6]uint64{0, 0o104755}, "EPERM"},
		{"mknodat u+s is refused", "command", "native", 259, [6]uint64{atFDCWD, 0, 0o104755}, "EPERM"},
		{"a local socket is refused", "command", "native", 41, [6]uint64{1, 1, 0}, "EAFNOSUPPORT"},
		{"a connected pair is made", "command", "native", 53, [6]uint64{1, 1 | 0x80800, 0, 0}, "errno 14"},
		{"a pair that keeps records is made", "command", "native", 53, [6]uint64{1, 5, 0, 0}, "errno 14"},
		{"a pair of datagram sockets is refused", "command", "native", 53, [6]uint64{1, 2 | high, 0, 0}, "ENOSYS"},
		{"a raw pair, which is one of datagrams, is refused", "command", "native", 53, [6]uint64{1, 3, 0, 0}, "ENOSYS"},
		{"a pair is not connected again", "command", "native", 42, [6]uint64{all64, 0, 0}, "ENOSYS"},
		{"a lease is refused", "command", "native", 72, [6]uint64{all64, 1024, 1}, "EPERM"},
		{"a lease under a high bit is refused", "command", "native", 72, [6]uint64{all64, 1024 | high, 1}, "EPERM"},
		{"a lock reaches the kernel", "command", "native", 72, [6]uint64{all64, 6 | high, 0}, "errno 9"},
		{"a command of the future is unknown to fcntl", "command", "native", 72, [6]uint64{all64, 1040, 0}, "ENOSYS"},
		{"an internet socket is refused", "command", "native", 41, [6]uint64{2, 1, 0}, "EAFNOSUPPORT"},
		{"a vsock socket is refused", "command", "native", 41, [6]uint64{40 | high, 1, 0}, "EAFNOSUPPORT"},
		{"a packet socket is refused", "command", "native", 41, [6]uint64{17, 3, 0}, "EAFNOSUPPORT"},
		{"a netlink socket is refused", "command", "native", 41, [6]uint64{16, 3, 0}, "EAFNOSUPPORT"},
		{"an unknown family is refused", "command", "native", 41, [6]uint64{77, 1, 0}, "EAFNOSUPPORT"},
		{"asking for the personality works", "command", "native", 135, [6]uint64{0xffffffff}, executed},
		{"turning randomisation off is refused", "command", "native", 135, [6]uint64{0x40000}, "EPERM"},
		{"another personality is refused", "command", "native", 135, [6]uint64{8}, "ENOSYS"},
		{"merging pages is refused", "command", "native", 28, [6]uint64{0, page, 12 | high}, "EPERM"},
		{"discarding pages reaches the kernel", "command", "native", 28, [6]uint64{1, page, 4}, "errno 22"},
		{"ptrace is refused", "command", "native", 101, [6]uint64{0}, "EPERM"},
		{"bpf is refused", "command", "native", 321, [6]uint64{all64}, "EPERM"},
		{"io_uring is refused", "command", "native", 425, [6]uint64{0}, "EPERM"},
		{"userfaultfd is refused", "command", "native", 323, [6]uint64{1}, "EPERM"},
		{"keyctl is refused", "command", "native", 250, [6]uint64{all64}, "EPERM"},
		{"mount is refused", "command", "native", 165, [6]uint64{}, "EPERM"},
		{"chroot is refused", "command", "native", 161, [6]uint64{}, "EPERM"},
		{"calls of the future are unknown", "command", "native", 999, [6]uint64{}, "ENOSYS"},
	}
	for number := uint64(0); number < 8; number++ {
		if kind := namespaceFlags[number]; kind != 0x80 {
			cases = append(cases, kernelCase{fmt.Sprintf("namespace flag %#x is refused", kind), "command", "native", 56, [6]uint64{kind | sigchld}, "EPERM"})
		}
	}
	inParallel(cases, func(c kernelCase) {
		if c.door == "i386" && attempt(t, "none", "i386", 20, [6]uint64{}) != executed {
			t.Logf("%s: this kernel has no such door", c.claim)
			return
		}
		if got := attempt(t, c.filter, c.door, c.number, c.args); got != c.want {
			t.Errorf("%s: %s, want %s", c.claim, got, c.want)
		}
	})
}

func TestInstallNeedsNoNewPrivileges(t *testing.T) {
	report(t, "needs-no-new-privs", ErrNoNewPrivs.Error())
}

func TestInstallNamesTheThreadThatCannotFollow(t *testing.T) {
	report(t, "sync", "thread 2 cannot take it over")
}

func TestInstallReachesEveryThread(t *testing.T) {
	report(t, "threads", "all threads filtered")
}

func TestInstallRefusesWhatIsNoProgram(t *testing.T) {
	if err := Install(nil); !errors.Is(err, ErrNoProgram) {
		t.Errorf("no program: %v", err)
	}
	for _, bad := range [][]byte{{1}, make([]byte, 7), make([]byte, 8*4097)} {
		if err := Install(bad); !errors.Is(err, ErrProgram) {
			t.Errorf("%d bytes: %v", len(bad), err)
		}
	}
}

// report runs a child mode that prints what it found.
func report(t *testing.T, mode, want string) {
	t.Helper()
	cmd := confined(mode)
	cmd.Env = append(cmd.Env, "GOMAXPROCS=4") // real threads
	output, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(output), want) {
		t.Errorf("%s: %v, output %q, want %q", mode, err, output, want)
	}
}
