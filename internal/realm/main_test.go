//go:build linux

package realm

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/pkg/rpc"
)

func init() {
	if strings.HasPrefix(os.Args[0], "realm") {
		runtime.LockOSThread()
	}
}

// TestMain is the realm when it was started under that name: the test's own binary plays the child.
func TestMain(m *testing.M) {
	if os.Args[0] == "realm" {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			panic(err)
		}
		Main(os.Args[1:])
	}
	if os.Args[0] == "realm-exec" { // prepares for a realm binary as the launcher does
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			panic(err)
		}
		panic(unix.Exec(os.Getenv("REALM_UNDER_TEST"), append([]string{"realm"}, os.Args[1:]...), os.Environ()))
	}
	os.Exit(m.Run())
}

// child is a realm process as a supervisor holds it, without namespaces but for the one that makes it process 1.
type child struct {
	t       *testing.T
	cmd     *exec.Cmd
	stderr  *bytes.Buffer
	w       *rpc.Writer
	r       *rpc.Reader
	control *os.File
	stdin   *os.File

	// What execute asks for beside the defaults.
	memoryMb, maxResult int64
	timeZone            string
}

func start(t *testing.T, args ...string) *child {
	t.Helper()
	return startIn(t, []string{"LC_ALL=en_US.UTF-8", "TZ=UTC"}, args...)
}

func startIn(t *testing.T, env []string, args ...string) *child {
	t.Helper()
	path, name := "/proc/self/exe", "realm"
	if os.Getenv("REALM_UNDER_TEST") != "" {
		name = "realm-exec"
		if s := os.Getenv("REALM_EXEC"); s != "" { // a smaller program that does the same
			path = s
		}
	}
	inR, inW, err := os.Pipe()
	outR, outW, err2 := os.Pipe()
	ctlR, ctlW, err3 := os.Pipe()
	if err != nil || err2 != nil || err3 != nil {
		t.Fatal(err, err2, err3)
	}
	c := &child{t: t, stderr: &bytes.Buffer{}, w: rpc.NewWriter(inW), r: rpc.NewReader(outR), control: ctlW, stdin: inW}
	c.cmd = &exec.Cmd{
		Path: path, Args: append([]string{name, "--protocol=" + strconv.Itoa(build.Protocol), "--build=" + build.Version}, args...),
		Env: append(env, "REALM_UNDER_TEST="+os.Getenv("REALM_UNDER_TEST")), Stderr: c.stderr, ExtraFiles: []*os.File{inR, outW, ctlR},
		SysProcAttr: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL},
	}
	if os.Getuid() != 0 {
		c.cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{inR, outW, ctlR} {
		f.Close()
	}
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill()
		_, _ = c.cmd.Process.Wait()
		for _, f := range []*os.File{inW, outR, ctlW} {
			f.Close()
		}
	})
	return c
}

// exit waits for the process and answers its status.
func (c *child) exit() int {
	c.t.Helper()
	if err := c.cmd.Wait(); err != nil && c.cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return c.cmd.ProcessState.ExitCode()
}

func (c *child) next() (rpc.Frame, error) {
	return c.r.Next(func(rpc.Op) (int, error) { return rpc.MaxFrameBytes, nil })
}

func (c *child) ready() rpc.Ready {
	c.t.Helper()
	f, err := c.next()
	if err != nil {
		c.t.Fatalf("no Ready: %v", err)
	}
	var ready rpc.Ready
	if err := f.Decode(&ready); err != nil {
		c.t.Fatal(err)
	}
	return ready
}

func (c *child) execute(source string) {
	c.t.Helper()
	limits := rpc.Limits{
		MemoryMb: max(c.memoryMb, 0), MaxResultBytes: max(c.maxResult, 5<<20), MaxWriteBytes: 1 << 20,
		MaxLogBytes: 256 << 10, MaxConsoleCalls: 1000, MaxStatusEvents: 1000,
	}
	if err := c.w.Send(0, &rpc.Execute{Source: []byte(source), Name: "main.ts", Mode: "auto", TimeZone: c.timeZone, Limits: limits}); err != nil {
		c.t.Fatal(err)
	}
}

// end reads until the message that ends the run; answer deals with the others.
func (c *child) end(answer func(rpc.Frame)) rpc.Message {
	c.t.Helper()
	for {
		f, err := c.next()
		if err != nil {
			c.t.Fatalf("the realm ended without a result: %v, %d\n%s", err, c.exit(), c.stderr)
		}
		switch f.Op {
		case rpc.OpResult:
			var m rpc.Result
			if err := f.Decode(&m); err != nil {
				c.t.Fatal(err)
			}
			return &m
		case rpc.OpFailure:
			var m rpc.Failure
			if err := f.Decode(&m); err != nil {
				c.t.Fatal(err)
			}
			return &m
		}
		if answer != nil {
			answer(f)
		}
	}
}

func integer(t *testing.T, raw []byte) int64 {
	t.Helper()
	switch {
	case len(raw) == 1 && raw[0] < 0x80:
		return int64(raw[0])
	case len(raw) == 9 && raw[0] == 0xd3:
		return int64(binary.BigEndian.Uint64(raw[1:]))
	case len(raw) == 2 && raw[0] == 0xcc:
		return int64(raw[1])
	case len(raw) == 3 && raw[0] == 0xcd:
		return int64(binary.BigEndian.Uint16(raw[1:]))
	case len(raw) == 5 && raw[0] == 0xce:
		return int64(binary.BigEndian.Uint32(raw[1:]))
	}
	t.Fatalf("%x is no integer", raw)
	return 0
}

func TestConfinedRealmAnswers(t *testing.T) {
	c := start(t, "--heap-mb=256")
	if r := c.ready(); r.Protocol != build.Protocol || r.V8 == "" || len(r.SeccompSHA256) != 64 {
		t.Fatalf("%+v", r)
	}
	c.execute("const n: number = 41; n + 1")
	m, ok := c.end(nil).(*rpc.Result)
	if !ok {
		t.Fatalf("no result")
	}
	if got := integer(t, m.Value); got != 42 {
		t.Fatalf("got %d", got)
	}
	if status := c.exit(); status != exitDone {
		t.Fatalf("exit status %d: %s", status, c.stderr)
	}
}

// TestStartUpTimes reports figures; it holds nothing to them, since the machine may be busy.
func TestStartUpTimes(t *testing.T) {
	n := 10
	if s := os.Getenv("REALM_STARTS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	var ready, result, cpu []time.Duration
	var faults int64
	for range n {
		t0 := time.Now()
		c := start(t, "--heap-mb=256")
		c.ready()
		t1 := time.Now()
		c.execute("1 + 1")
		if _, ok := c.end(nil).(*rpc.Result); !ok {
			t.Fatal("no result")
		}
		ready = append(ready, t1.Sub(t0))
		result = append(result, time.Since(t1))
		c.exit()
		state := c.cmd.ProcessState
		cpu = append(cpu, state.UserTime()+state.SystemTime())
		faults = state.SysUsage().(*syscall.Rusage).Minflt
	}
	for name, d := range map[string][]time.Duration{"ready": ready, "result": result, "cpu": cpu} {
		slices.Sort(d)
		t.Logf("%s: least %v, median %v", name, d[0], d[len(d)/2])
	}
	t.Logf("page faults: %d", faults)
}
