//go:build probe && linux

package probe

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// asUser runs one of these tests again as an ordinary user, in control groups
// that were delegated to it, as an administrator would.
func asUser(t *testing.T, test string) {
	t.Helper()
	const script = `
		while [ "$1" != -- ]; do echo 0 > "$1" || exit 1; shift; done; shift
		exec setpriv --reuid "$0" --regid "$0" --clear-groups -- "$@"`
	user := strconv.Itoa(rootlessUID)
	args := []string{"-c", script, user}
	args = append(args, delegate(t)...)
	args = append(args, "--", testPath, "-test.run", "^"+test+"$", "-test.v", "-only="+*only)
	cmd := exec.Command("/bin/sh", args...)
	cmd.Dir = filepath.Dir(testPath)
	cmd.Env = []string{nativeVariable + "=" + nativePath, "PATH=" + os.Getenv("PATH")}
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as user %s: %v", user, err)
	}
	t.Logf("%s", output)
}

// delegate makes a group for the user in every hierarchy and returns the files
// by which a process joins them.
func delegate(t *testing.T) (join []string) {
	t.Helper()
	own, err := os.Open("/proc/self/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = own.Close() }()
	name := "probe-user-" + strconv.Itoa(os.Getpid())
	lines := bufio.NewScanner(own)
	for lines.Scan() {
		fields := strings.SplitN(lines.Text(), ":", 3)
		if len(fields) != 3 || !slices.Contains([]string{"", "memory", "pids", "cpu", "cpuacct", "freezer"}, fields[1]) {
			continue // a new cpuset, for one, takes nobody in before it is filled
		}
		dir := filepath.Join(hierarchy(fields[1]), fields[2], name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
		for _, file := range []string{"", "cgroup.procs", "tasks", "cgroup.subtree_control"} {
			path := filepath.Join(dir, file)
			if err := os.Chown(path, rootlessUID, rootlessUID); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		join = append(join, filepath.Join(dir, "cgroup.procs"))
	}
	return join
}

// hierarchy is where a controller is mounted; the unified one has no name.
func hierarchy(controller string) string {
	const root = "/sys/fs/cgroup"
	if controller != "" {
		return filepath.Join(root, controller)
	}
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err == nil {
		return root
	}
	return filepath.Join(root, "unified")
}
