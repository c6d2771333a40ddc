//go:build probe && linux

package probe

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// Paths of the probe binary and of this test binary's copy, for a process of
// another user.
var nativePath, testPath string

const (
	nativeVariable = "PROBE_NATIVE"
	rootlessUID    = 61234
)

// only is for whoever changes some probes: a run of all of them takes many minutes.
var only = flag.String("only", "", "a regular expression: the names of the probes to launch")

func chosen(p Probe) bool { return regexp.MustCompile(*only).MatchString(p.Name) }

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

// run builds the probe binary once, the way the realm is built.
func run(m *testing.M) int {
	if nativePath = os.Getenv(nativeVariable); nativePath != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "probe")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		nativePath, testPath = filepath.Join(dir, "native"), filepath.Join(dir, "test")
		err = copyFile(testPath, "/proc/self/exe")
	}
	if err == nil {
		build := exec.Command("go", "build", "-tags", "probe,netgo,osusergo", "-ldflags", `-linkmode external -extldflags "-static"`, "-o", nativePath, "./native")
		build.Env = append(os.Environ(), "CGO_ENABLED=1")
		var output []byte
		if output, err = build.CombinedOutput(); err != nil {
			err = fmt.Errorf("build the probes: %w\n%s", err, output)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		_ = target.Close()
		return err
	}
	return target.Close()
}
