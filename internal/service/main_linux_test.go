package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// The tests serve on real unix sockets and loopback TCP, with the realm that $SUPERVISOR_REALM names or `make build`
// left in bin. A test binary that is started with $SERVICE_CLIENT is a client under another uid.
const clientVariable = "SERVICE_CLIENT"

// realmPath is a copy of the realm that nobody rebuilds meanwhile.
var realmPath string

func TestMain(m *testing.M) {
	if os.Getenv(clientVariable) != "" {
		os.Exit(clientMain())
	}
	os.Exit(withRealm(m))
}

func withRealm(m *testing.M) int {
	dir, err := os.MkdirTemp("", "service-test-")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		err = copyRealm(filepath.Join(dir, "realm"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_ = os.Setenv("TMPDIR", dir)
	return m.Run()
}

func copyRealm(to string) error {
	from := os.Getenv("SUPERVISOR_REALM")
	if from == "" {
		from = "../../bin/realm"
	}
	binary, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("%w: run make build", err)
	}
	realmPath = to
	return os.WriteFile(to, binary, 0o755)
}

// clientMain sends one request as whoever it is and prints status and body.
func clientMain() int {
	var r struct{ Socket, Method, Path, Body, Accept string }
	if err := json.Unmarshal([]byte(os.Getenv(clientVariable)), &r); err != nil {
		return 1
	}
	req, err := http.NewRequest(r.Method, "http://service"+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return 1
	}
	req.Header.Set("Accept", r.Accept)
	res, err := unixClient(r.Socket).Do(req)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(res.StatusCode)
	_, _ = io.Copy(os.Stdout, res.Body)
	return 0
}

// asUser sends one request as another user with further groups.
func asUser(t *testing.T, uid uint32, groups []uint32, socket, method, path, body string) (status int, text string) {
	t.Helper()
	r, _ := json.Marshal(map[string]string{"Socket": socket, "Method": method, "Path": path, "Body": body})
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir = "/"
	cmd.Env = []string{clientVariable + "=" + string(r)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid, Groups: groups}}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("client as %d: %v\n%s", uid, err, out)
	}
	first, rest, _ := strings.Cut(string(out), "\n")
	_, _ = fmt.Sscan(first, &status)
	return status, rest
}

func unixClient(socket string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
		MaxIdleConnsPerHost: 64,
	}}
}

// running is a service that a test started.
type running struct {
	*Service
	t      *testing.T
	socket string
	policy string
	client *http.Client
	notes  *notes
	logs   *logBuffer
	served chan error
	ending *sync.Mutex
}

// notes are what the service manager was told.
type notes struct {
	mu  sync.Mutex
	all []string
}

func (n *notes) add(s string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, s)
}

func (n *notes) count(part string) (found int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.all {
		if strings.Contains(s, part) {
			found++
		}
	}
	return found
}

type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// prepare makes a directory with a policy in which ME is this process's uid and DIR the directory.
func prepare(t *testing.T, policy string) *running {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, socket: filepath.Join(dir, "sock"), policy: filepath.Join(dir, "policy.yaml"), notes: &notes{}, logs: &logBuffer{}, served: make(chan error, 1), ending: &sync.Mutex{}}
	r.write(policy)
	r.client = unixClient(r.socket)
	return r
}

func (r *running) dir() string { return filepath.Dir(r.policy) }

// write replaces the policy.
func (r *running) write(policy string) {
	r.t.Helper()
	text := strings.NewReplacer("ME", fmt.Sprint(os.Getuid()), "DIR", r.dir()).Replace(policy)
	if err := os.WriteFile(r.policy, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// serve starts a service with the policy, and stops it with the test.
func serve(t *testing.T, policy string, adjust ...func(*Config)) *running {
	t.Helper()
	r := prepare(t, policy)
	r.start(nil, adjust...)
	return r
}

func (r *running) start(more []net.Listener, adjust ...func(*Config)) {
	r.t.Helper()
	cfg := Config{
		Policy: r.policy, RealmPath: realmPath, Queue: 256, QueueTimeout: 20 * time.Second, CheckEvery: time.Minute,
		Stderr: r.logs, Logger: slog.New(slog.NewTextHandler(r.logs, nil)), Notify: r.notes.add, Protect: []string{r.socket},
	}
	for _, f := range adjust {
		f(&cfg)
	}
	s, err := New(cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Service = s
	l, err := ListenUnix(r.socket, -1)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := os.Chmod(r.socket, 0o666); err != nil { // for the clients under other uids
		r.t.Fatal(err)
	}
	go func() { r.served <- s.Serve(append(more, l)...) }()
	r.t.Cleanup(func() { r.stop(time.Second) })
}

// stop drains for so long; it may be called again, also at the same time.
func (r *running) stop(patience time.Duration) {
	r.ending.Lock()
	defer r.ending.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if r.Service == nil {
		return
	}
	if err := r.Shutdown(ctx); err != nil {
		r.t.Errorf("shutdown: %v", err)
	}
	if err := <-r.served; err != nil {
		r.t.Errorf("serve: %v", err)
	}
	r.Service = nil
	if r.t.Failed() {
		r.t.Log(r.logs.String())
	}
}

// send sends a request and reads the whole answer.
func (r *running) send(method, path, body string, header ...string) (int, string) {
	r.t.Helper()
	res := r.open(context.Background(), method, path, body, header...)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return res.StatusCode, string(text)
}

func (r *running) open(ctx context.Context, method, path, body string, header ...string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, "http://service"+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return res
}

// result is what a run's answer says.
type result struct {
	RequestID string
	Status    string
	Value     json.RawMessage
	Error     struct{ Code, Message, Hint string }
}

func (r *running) run(body string) result {
	r.t.Helper()
	status, text := r.send("POST", "/v1/runs", body)
	var res result
	if err := json.Unmarshal([]byte(text), &res); err != nil || status != http.StatusOK {
		r.t.Fatalf("run %s: %d %s", body, status, text)
	}
	return res
}

// eventually waits until something holds that another process or goroutine is bringing about.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	late := time.After(20 * time.Second)
	for !holds() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("never: %s", what)
		}
	}
}

func js(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
