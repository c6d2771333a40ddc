package supervisor_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/audit"
)

// outcome is what the command line told, and left.
type outcome struct {
	groups string // what the names of its control groups begin with
	status int
	stdout string
	stderr string
	code   string // of the error in the document
	layer  string
	hint   string
	audit  []audit.Record
	ran    bool // the guest has left a trace
}

// runDeprived runs a guest that leaves traces wherever it can.
func runDeprived(t *testing.T, d deprivation, flags ...string) outcome {
	t.Helper()
	dir := openDir(t)
	if err := os.Mkdir(dir+"/out", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir+"/out", 0o777); err != nil {
		t.Fatal(err)
	}
	source := write(t, dir+"/guest.ts", `import { writeText } from 'realm:capabilities'; console.log('guest-was-here'); await writeText('`+dir+`/out/trace', 'x'); export default 'guest-was-here'`)
	log := filepath.Join(dir, "audit.log")
	argv := append([]string{"run", "--json", "--audit", log, "--write", dir + "/out"}, flags...)
	o := execute(t, deprived(t, d, append(argv, source)...))
	var document struct {
		Error *struct{ Code, Capability, Hint string }
	}
	if err := json.Unmarshal([]byte(o.stdout), &document); err == nil && document.Error != nil {
		o.code, o.layer, o.hint = document.Error.Code, document.Error.Capability, document.Error.Hint
	}
	o.ran = strings.Contains(o.stdout+o.stderr, "guest-was-here") || len(names(t, dir+"/out")) > 0
	o.audit = records(t, log)
	return o
}

// openDir is a directory for whoever the supervisor is.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "open-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func execute(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	before := adopt(t)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start(t, cmd)
	groups := groupPrefix(t, cmd.Process.Pid)
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if cmd.ProcessState.Exited() { // else it is the next start that cleans
		gone(t, func() []string { return groupsOf(t, groups) })
		eventually(t, "no process of it lives", func() bool { return len(orphans(t, before)) == 0 })
	}
	return outcome{groups: groups, status: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
}

// records reads a log that must verify; none when there is no file.
func records(t *testing.T, path string) (list []audit.Record) {
	t.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := audit.Verify(bytes.NewReader(text)); len(text) > 0 && err != nil {
		t.Errorf("the audit log: %v", err)
	}
	for line := range bytes.Lines(text) {
		var r audit.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}
