package subprocess

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/pkg/grants"
)

// spawnerPath is a binary that can live as spawner, built once.
var spawnerPath string

// spawnerVariable hands it to a test that runs again as another user.
const spawnerVariable = "SUBPROCESS_TEST_SPAWNER"

// unprivileged is who the tests run again as.
const unprivileged = 65533

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if spawnerPath = os.Getenv(spawnerVariable); spawnerPath != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "subprocess")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	_ = os.Chmod(dir, 0o755)
	spawnerPath = filepath.Join(dir, "spawner")
	build := exec.Command("go", "build", "-tags", "netgo,osusergo", "-ldflags", `-linkmode external -extldflags "-static"`,
		"-o", spawnerPath, "../../launcher/testdata/probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the spawner: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// TestWithoutRoot runs every other test again as a user without privileges.
func TestWithoutRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		return // this is that run, or all of them are
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(filepath.Dir(spawnerPath), "tests")
	if err := os.WriteFile(binary, self, 0o755); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := os.Chown(home, unprivileged, unprivileged); err != nil {
		t.Fatal(err)
	}
	for dir := home; dir != "/tmp" && dir != "/"; dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o755)
	}
	again := exec.Command(binary, "-test.v", "-test.timeout=120s")
	again.Dir = home
	again.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=" + home, spawnerVariable + "=" + spawnerPath}
	again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	out, err := again.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

func startSpawner(t testing.TB) *launch.Spawner {
	t.Helper()
	s, err := launch.Start(spawnerPath, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// jail is a run that may spawn what its grants say.
type jail struct {
	t        testing.TB
	commands *Commands
	checker  *grants.Checker
}

func open(t testing.TB, g grants.Grants) *jail {
	t.Helper()
	g, err := g.Normalize()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(Config{Spawner: startSpawner(t)}, g.Subprocess)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return &jail{t, c, grants.NewChecker(g)}
}

func (j *jail) run(stdin string, path string, args ...string) (Result, error) {
	j.t.Helper()
	ticket, err := j.checker.Spawn(path, args)
	if err != nil {
		j.t.Fatal(err)
	}
	return j.commands.Run(j.t.Context(), ticket, []byte(stdin))
}

// sh runs a script that is expected to come to an end of its own.
func (j *jail) sh(script string) Result {
	j.t.Helper()
	r, err := j.run("", "/bin/sh", "-c", script)
	if err != nil {
		j.t.Fatalf("%s: %v", script, err)
	}
	return r
}

func granting(commands ...string) grants.Grants {
	return grants.Grants{Subprocess: grants.Subprocess{Commands: commands, TimeoutMs: 10_000}}
}

func shell() grants.Grants {
	g := granting("/bin/sh")
	g.Subprocess.Environment = map[string]string{"PATH": "/usr/bin:/bin"}
	return g
}
