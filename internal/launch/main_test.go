//go:build linux

package launch

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// probePath is the stand-in for the realm binary, built once.
var probePath string

func TestMain(m *testing.M) {
	awaitStdin()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if path := os.Getenv("PROBE_PATH"); path != "" {
		probePath = path // re-executed, see helper_test.go
		if name := os.Getenv("HELPER"); name != "" {
			return helpers[name]()
		}
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "launch")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	os.Chmod(dir, 0o755)
	probePath = filepath.Join(dir, "probe")
	build := exec.Command("go", "build", "-tags", "netgo,osusergo", "-ldflags", `-linkmode external -extldflags "-static"`,
		"-o", probePath, "../launcher/testdata/probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the probe: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func startSpawner(t testing.TB) *Spawner {
	t.Helper()
	s, err := Start(probePath, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
