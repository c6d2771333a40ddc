//go:build linux

package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/internal/layer"
)

var probePath string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if probePath = os.Getenv("PROBE_PATH"); probePath != "" {
		return printReport()
	}
	dir, err := os.MkdirTemp("", "doctor")
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

func probe() (*Report, error) {
	return Probe(context.Background(), probePath, slog.New(slog.NewTextHandler(io.Discard, nil)))
}

// printReport is the re-executed life: a report from where $SYSCTL allows no more.
func printReport() int {
	err := os.WriteFile("/proc/sys/user/"+os.Getenv("SYSCTL"), []byte("0"), 0)
	if err == nil {
		var r *Report
		if r, err = probe(); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(r)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func (r *Report) layer(name string) Layer {
	for _, l := range r.Layers {
		if l.Name == name {
			return l
		}
	}
	return Layer{}
}

func TestEveryLayerIsReportedInOrder(t *testing.T) {
	r, err := probe()
	if err != nil {
		t.Fatal(err)
	}
	if !r.OK {
		t.Errorf("report: %+v", r)
	}
	for i, name := range append(layer.All(), layer.OpenAt2, layer.Commands) {
		if l := r.Layers[i]; l.Name != name || !l.Present || l.Detail == "" || l.Fix != "" {
			t.Errorf("layer %d: %+v", i, l)
		}
	}
}

func TestForbiddenNamespaceIsReportedWithItsFix(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Dir, cmd.Stderr = "/", os.Stderr
	cmd.Env = append(os.Environ(), "PROBE_PATH="+probePath, "SYSCTL=max_net_namespaces")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 1000, HostID: os.Getegid(), Size: 1}},
		Credential:  &syscall.Credential{Uid: 1000, Gid: 1000, NoSetGroups: true},
		AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE},
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	if r.OK {
		t.Error("the report is content")
	}
	for _, c := range []struct {
		name    string
		present bool
		detail  string
	}{
		{layer.UserNS, true, "tried"},
		{layer.MountNS, true, "tried"},
		{layer.NetNS, false, "no space left on device"},
		{layer.IPCNS, false, "not tried: netns was refused before"},
		{layer.RootFS, false, "not tried"},
		{layer.Seccomp, true, ""},
	} {
		l := r.layer(c.name)
		if l.Present != c.present || !strings.Contains(l.Detail, c.detail) {
			t.Errorf("%+v", l)
		}
	}
	if l := r.layer(layer.NetNS); !strings.Contains(l.Fix, "user.max_") {
		t.Errorf("fix: %q", l.Fix)
	}
}

func TestUnusableBinaryIsAnError(t *testing.T) {
	_, err := Probe(context.Background(), "/nonexistent/realm", slog.New(slog.NewTextHandler(io.Discard, nil)))
	var problem *launch.BinaryError
	if !errors.As(err, &problem) || problem.Problem != launch.BinaryMissing {
		t.Errorf("error = %v", err)
	}
}

func TestMissingControllerKeepsTheReportFromOK(t *testing.T) {
	f := findings{present: map[string]string{}, missing: map[string]*launch.Unenforceable{}}
	for _, name := range layer.All() {
		f.present[name] = "tried"
	}
	f.lacks(layer.Landlock, "none", "")
	if r := f.report(); !r.OK {
		t.Error("a layer that is used where present is required")
	}
	f.lacks(layer.CgroupMemory, "not delegated", "Delegate=yes")
	r := f.report()
	if l := r.layer(layer.CgroupMemory); r.OK || l.Present || !l.Required || l.Fix != "Delegate=yes" {
		t.Errorf("%+v", r)
	}
}
