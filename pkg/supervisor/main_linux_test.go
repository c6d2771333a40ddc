package supervisor_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

// These tests drive the library with the real realm binary: the one that
// $SUPERVISOR_REALM names, else what `make build` leaves in bin. They run as
// root and again as an ordinary user, see TestRootless.
//
// A test binary that is started with $E2E_HELPER plays a part of its own: a
// supervisor to be killed, or one in namespaces of its own.

// realmPath is a copy of the realm that nobody rebuilds meanwhile and that an
// ordinary user can execute.
var realmPath string

const (
	helperVariable = "E2E_HELPER"
	realmVariable  = "E2E_REALM"
	awaitVariable  = "E2E_AWAIT"
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	if os.Getenv(awaitVariable) != "" { // whoever delegates groups to us finishes first
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		_ = os.Unsetenv(awaitVariable)
	}
	dir, err := os.MkdirTemp("", "supervisor-e2e")
	if err == nil {
		defer func() { _ = os.RemoveAll(dir) }()
		err = prepare(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if name := os.Getenv(helperVariable); name != "" {
		return helpers[name]()
	}
	status := m.Run()
	if err := closeCommon(); err != nil {
		fmt.Fprintln(os.Stderr, "shut down:", err)
		status = 1
	}
	return status
}

// prepare finds the realm, learns which build it is, and makes dir the place of
// all temporary files.
func prepare(dir string) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if realmPath = os.Getenv(realmVariable); realmPath == "" {
		built, err := findRealm()
		if err != nil {
			return err
		}
		realmPath = filepath.Join(dir, "realm")
		if err := copyFile(realmPath, built); err != nil {
			return err
		}
	}
	for name, v := range map[string]string{"TMPDIR": dir, "SUPERVISOR_REALM": realmPath} {
		if err := os.Setenv(name, v); err != nil {
			return err
		}
	}
	return nil
}

func findRealm() (string, error) {
	if path := os.Getenv("SUPERVISOR_REALM"); path != "" {
		return path, nil
	}
	const built = "../../bin/realm"
	if _, err := os.Stat(built); err == nil {
		return built, nil
	}
	if out, err := exec.Command("make", "-s", "-C", "../..", "build").CombinedOutput(); err != nil {
		return "", fmt.Errorf("make build: %w\n%s", err, out)
	}
	return built, nil
}

func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		_ = target.Close()
		return err
	}
	return target.Close()
}

// shared is the supervisor that most tests use together: what one run does must
// not show in the next.
type shared struct {
	once       sync.Once
	supervisor *supervisor.Supervisor
	err        error
}

var commonOne shared

func common() (*supervisor.Supervisor, error) {
	commonOne.once.Do(func() {
		commonOne.supervisor, commonOne.err = supervisor.New(supervisor.Config{MaxConcurrent: 32})
	})
	return commonOne.supervisor, commonOne.err
}

func closeCommon() error {
	if commonOne.supervisor == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return commonOne.supervisor.Shutdown(ctx)
}

// helpers are the other lives of the test binary.
var helpers = map[string]func() int{}
