//go:build linux

package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/cgroup"
)

// helpers are lives of the re-executed test binary, for what a test cannot do to
// itself: to be killed, or to lose a system call for good.
var helpers = map[string]func() int{
	"supervise": supervise,
	"refused":   refused,
	"way":       way,
	"crowded":   crowded,
	"congested": congested,
	"deaf":      deaf,
}

func helper(t testing.TB, name string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	cmd.Env = append(os.Environ(), "PROBE_PATH="+probePath, "HELPER="+name)
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "helper:", err)
	return 1
}

// supervise is a supervisor to be killed: it starts realms and ends them, for ever,
// and keeps guarded temporary files in $TEMP. It prints what to look for.
func supervise() int {
	m, err := cgroup.Open()
	if err != nil {
		return fail(err)
	}
	s, err := Start(probePath, quiet())
	if err != nil {
		return fail(err)
	}
	if err := s.GuardGroups(m); err != nil {
		return fail(err)
	}
	dir, err := os.Open(os.Getenv("TEMP"))
	if err != nil {
		return fail(err)
	}
	parents, prefix := m.Owned()
	fmt.Println(s.PID(), prefix)
	for _, parent := range parents {
		fmt.Println(parent)
	}
	fmt.Println()
	for i := 0; ; i++ {
		if err := superviseOne(s, m, dir, strconv.Itoa(i)); err != nil {
			return fail(err)
		}
	}
}

func superviseOne(s *Spawner, m *cgroup.Manager, dir *os.File, name string) error {
	release, err := s.GuardFile(dir, "temporary-"+name)
	if err != nil {
		return err
	}
	path := filepath.Join(dir.Name(), "temporary-"+name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return err
	}
	g, err := m.Create(name, cgroup.Limits{MemoryBytes: 64 << 20, Pids: 32})
	if err != nil {
		return err
	}
	in, _, err := os.Pipe() // our end stays open: the realm waits for it
	if err != nil {
		return err
	}
	defer in.Close()
	p, err := s.Spawn(context.Background(), Spec{Kind: Realm, Args: []string{"realm", "ready"}, Files: []*os.File{nil, nil, nil, in, nil}, Group: g})
	if err != nil {
		return err
	}
	if rand.IntN(4) == 0 {
		return nil // leave everything as it is
	}
	p.Kill()
	p.Wait()
	if err := errors.Join(g.Remove(), os.Remove(path)); err != nil {
		return err
	}
	release()
	return nil
}

// supervised is a supervise helper that runs.
type supervised struct {
	cmd     *exec.Cmd
	spawner int // pidfd
	prefix  string
	parents []string
	temp    string
}

func startSupervised(t *testing.T) *supervised {
	t.Helper()
	s := &supervised{temp: t.TempDir()}
	s.cmd = helper(t, "supervise", "TEMP="+s.temp)
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		s.cmd.Wait()
		if m, err := cgroup.Open(); err == nil {
			m.Sweep() // of what a test left on purpose
		}
	})
	lines := bufio.NewReader(out)
	var pid int
	if _, err := fmt.Fscanf(lines, "%d %s\n", &pid, &s.prefix); err != nil {
		t.Fatal(err)
	}
	if s.spawner, err = unix.PidfdOpen(pid, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(s.spawner) })
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "\n" {
			break
		}
		s.parents = append(s.parents, line[:len(line)-1])
	}
	go io.Copy(io.Discard, lines)
	return s
}

// left lists the helper's groups that still exist, which every process that it
// started is in.
func (s *supervised) left(t *testing.T) []string {
	t.Helper()
	var left []string
	for _, parent := range s.parents {
		found, err := filepath.Glob(filepath.Join(parent, s.prefix+"*"))
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, found...)
	}
	return left
}

// awaitExit waits for the end of the process behind a pidfd.
func awaitExit(t *testing.T, pidfd int) {
	t.Helper()
	poll := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(poll, 20_000)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if n != 1 {
			t.Fatalf("process outlives: %v", err)
		}
		return
	}
}

// refused starts a trial after one thing was taken away: the system call number
// $SYSCALL, or namespaces by the sysctl $SYSCTL. It prints the layer of the error.
func refused() int {
	if name := os.Getenv("SYSCTL"); name != "" {
		if err := os.WriteFile("/proc/sys/user/"+name, []byte("0"), 0); err != nil {
			return fail(err)
		}
	}
	if number := os.Getenv("SYSCALL"); number != "" {
		if err := refuse(number); err != nil {
			return fail(err)
		}
	}
	s, err := Start(probePath, quiet())
	if err != nil {
		return fail(err)
	}
	defer s.Close()
	p, err := s.Spawn(context.Background(), Spec{Kind: Trial, Args: []string{"trial"}, Files: make([]*os.File, 3), Landlock: true})
	var missing *Unenforceable
	switch {
	case errors.As(err, &missing):
		fmt.Print(missing.Layer)
	case err != nil:
		return fail(err)
	default:
		fmt.Printf("nothing: %+v", p.Wait())
	}
	return 0
}

// refuse makes a system call fail with EPERM in this process and all it starts.
func refuse(number string) error {
	nr, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return err
	}
	const errno, allow = 0x00050000, 0x7fff0000
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: uint32(nr)},
		{Code: unix.BPF_RET | unix.BPF_K, K: errno | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: allow},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	const setModeFilter, tsync = 1, 1
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, tsync, uintptr(unsafe.Pointer(&program))); e != 0 {
		return e
	}
	return nil
}
