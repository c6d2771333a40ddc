package supervisor_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/supervisor"
)

// The fail-closed matrix: every layer is made unavailable in turn. The run must
// refuse with the layer's name, doctor must agree, no guest byte may have been
// sent, and nothing may be left.

// missing runs doctor and returns the layers that it misses. It must say of each what would help, unless it did not come to it.
func missing(t *testing.T, d deprivation) (layers []string, status int) {
	t.Helper()
	o := execute(t, deprived(t, d, "doctor", "--json"))
	var report struct {
		OK     bool
		Layers []struct {
			Name, Detail, Fix string
			Required, Present bool
		}
	}
	if err := json.Unmarshal([]byte(o.stdout), &report); err != nil {
		t.Errorf("doctor: %v\n%s%s", err, o.stdout, o.stderr)
	}
	for _, l := range report.Layers {
		if !l.Present {
			layers = append(layers, l.Name)
			if l.Fix == "" && !strings.HasPrefix(l.Detail, "not tried") {
				t.Errorf("doctor says of %s %q, and no fix", l.Name, l.Detail)
			}
		}
	}
	if report.OK != (o.status == 0) {
		t.Errorf("doctor says ok %v and exits with %d", report.OK, o.status)
	}
	return layers, o.status
}

const cgroups = "/sys/fs/cgroup/"

// controllers are those that have a hierarchy of their own here; a unified host has none.
func controllers() map[string]string {
	all := map[string]string{"memory": "cgroup.memory", "pids": "cgroup.pids", "cpu": "cgroup.cpu"}
	if _, err := os.Stat(cgroups + "cgroup.controllers"); err == nil {
		clear(all)
	}
	return all
}

// lacking are the ways in which a host lacks a layer.
func lacking() []struct {
	name, layer string
	deprivation
} {
	type row = struct {
		name, layer string
		deprivation
	}
	all := []row{
		{"user namespaces by sysctl", "userns", deprivation{Sysctl: "max_user_namespaces"}},
		{"pid namespaces by sysctl", "pidns", deprivation{Sysctl: "max_pid_namespaces"}},
		{"mount namespaces by sysctl", "mountns", deprivation{Sysctl: "max_mnt_namespaces"}},
		{"network namespaces by sysctl", "netns", deprivation{Sysctl: "max_net_namespaces"}},
		{"ipc namespaces by sysctl", "ipcns", deprivation{Sysctl: "max_ipc_namespaces"}},
		{"uts namespaces by sysctl", "utsns", deprivation{Sysctl: "max_uts_namespaces"}},
		{"cgroup namespaces by sysctl", "cgroupns", deprivation{Sysctl: "max_cgroup_namespaces"}},
	}
	for controller, layer := range controllers() {
		all = append(all, row{"no " + controller + " controller", layer, deprivation{Unmount: []string{cgroups + controller}}})
	}
	all = append(all,
		row{"keyctl EPERM", "userns", deprivation{Calls: calls(unix.SYS_KEYCTL), Errno: int(unix.EPERM)}}, // a kernel without keyrings needs no new one
		row{"no control groups", "cgroup.memory", deprivation{Unmount: []string{cgroups}}},
		row{"read-only control groups", "cgroup.memory", deprivation{ReadOnly: []string{cgroups}}})
	outside := os.Geteuid()
	if outside == 0 {
		outside = 0x70000000 // and a pid, of as many digits
	}
	const count = 2
	aMap := refusedCall{Number: unix.SYS_WRITE, Value: uint32(len(fmt.Sprintf("%d %d 1\n", launch.InsideUID, outside))), Arg: true, Index: count}
	all = append(all, row{"id maps that cannot be written", "userns", deprivation{Calls: []refusedCall{aMap}, Errno: int(unix.EPERM)}})
	if os.Geteuid() == 0 { // without root a user namespace has none to drop
		all = append(all, row{"setgroups EPERM", "userns", deprivation{Calls: calls(unix.SYS_SETGROUPS), Errno: int(unix.EPERM)}})
	}
	const setNoNewPrivs, seccompFilter, capbsetDrop = unix.PR_SET_NO_NEW_PRIVS, 1, unix.PR_CAPBSET_DROP
	for _, errno := range []unix.Errno{unix.EPERM, unix.ENOSYS} {
		for _, r := range []struct {
			name, layer string
			calls       []refusedCall
		}{
			{"clone3", "userns", calls(unix.SYS_CLONE3)},
			{"unshare", "mountns", calls(unix.SYS_UNSHARE)},
			{"mount", "mountns", calls(unix.SYS_MOUNT)},
			{"pivot_root", "rootfs", calls(unix.SYS_PIVOT_ROOT)},
			{"umount2", "rootfs", calls(unix.SYS_UMOUNT2)},
			{"sethostname", "utsns", calls(unix.SYS_SETHOSTNAME)},
			{"setsid", "pidns", calls(unix.SYS_SETSID)},
			{"setresuid", "userns", calls(unix.SYS_SETRESUID)},
			{"setresgid", "userns", calls(unix.SYS_SETRESGID)},
			{"capset", "capabilities", calls(unix.SYS_CAPSET)},
			{"the bounding set", "capabilities", []refusedCall{{unix.SYS_PRCTL, capbsetDrop, true, 0}}},
			{"no_new_privs", "no_new_privs", []refusedCall{{unix.SYS_PRCTL, setNoNewPrivs, true, 0}}},
			{"seccomp filters", "seccomp", []refusedCall{{unix.SYS_SECCOMP, seccompFilter, true, 0}}},
			{"seccomp", "seccomp", calls(unix.SYS_SECCOMP)},
			{"landlock_restrict_self", "landlock", calls(unix.SYS_LANDLOCK_RESTRICT_SELF)}, // present, and does not work
			{"mkdir", "cgroup.memory", calls(unix.SYS_MKDIR, unix.SYS_MKDIRAT)},
			{"the parent's death", "pidns", []refusedCall{{unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, true, 0}}},
			{"close_range", "descriptors", calls(unix.SYS_CLOSE_RANGE)},
			{"pidfd_getfd", "descriptors", calls(unix.SYS_PIDFD_GETFD)},
			{"pidfd_open", "pidns", calls(unix.SYS_PIDFD_OPEN)},
			{"pidfd_send_signal", "pidns", calls(unix.SYS_PIDFD_SEND_SIGNAL)},
			{"prlimit64", "rlimits", calls(unix.SYS_PRLIMIT64, unix.SYS_SETRLIMIT)},
		} {
			all = append(all, row{r.name + " " + unix.ErrnoName(errno), r.layer, deprivation{Calls: r.calls, Errno: int(errno)}})
		}
	}
	return all
}

// Covers: T-NS-04
func TestWhatCannotBeEnforcedDoesNotRun(t *testing.T) {
	counts := newEngaged()
	defer counts.report(t, "fail-closed")
	for _, c := range lacking() {
		t.Run(c.name, func(t *testing.T) {
			defer func() { counts.add(c.layer, !t.Failed()) }()
			o := runDeprived(t, c.deprivation)
			if o.status != 11 || o.code != string(supervisor.CodeUnenforceable) || o.layer != c.layer || o.hint == "" {
				t.Errorf("exit %d, code %q, layer %q, hint %q, want %q\n%s%s", o.status, o.code, o.layer, o.hint, c.layer, o.stdout, o.stderr)
			}
			o.nothingHappened(t)
			layers, status := missing(t, c.deprivation)
			if status != 11 || len(layers) == 0 || !slices.Contains(layers, c.layer) {
				t.Errorf("doctor exits with %d and misses %v, want %s", status, layers, c.layer)
			}
		})
	}
}

func (o outcome) nothingHappened(t *testing.T) {
	t.Helper()
	if o.ran {
		t.Errorf("the guest ran\n%s%s", o.stdout, o.stderr)
	}
	for i, r := range o.audit {
		if r.Op != 0 || i == len(o.audit)-1 && i > 0 && r.Outcome == audit.Used {
			t.Errorf("the record says %+v", r)
		}
	}
}

// What a grant or a policy needs, and the host lacks.
//
// Covers: T-NS-04
func TestWhatAGrantOrAPolicyNeedsIsNotDoneWithout(t *testing.T) {
	policyOf := func(layers string) string {
		path := write(t, filepath.Join(openDir(t), "policy.yaml"), "version: 1\nrequiredLayers: ["+layers+"]\nceilings: {filesystem: {write: [/]}}\n")
		return "--policy=" + path
	}
	counts := newEngaged()
	defer counts.report(t, "fail-closed-grants")
	for _, c := range []struct {
		name, layer string
		d           deprivation
		flags       []string
	}{
		{"openat2 for a root", "openat2", deprivation{Calls: calls(unix.SYS_OPENAT2), Errno: int(unix.ENOSYS)}, nil},
		{"openat2 that a container refuses", "openat2", deprivation{Calls: calls(unix.SYS_OPENAT2), Errno: int(unix.EPERM)}, nil},
		{"landlock by policy", "landlock", deprivation{Calls: calls(unix.SYS_LANDLOCK_CREATE_RULESET), Errno: int(unix.ENOSYS)}, []string{policyOf("landlock")}},
		{"landlock that is disabled, by policy", "landlock", deprivation{Calls: calls(unix.SYS_LANDLOCK_CREATE_RULESET), Errno: int(unix.EOPNOTSUPP)}, []string{policyOf("landlock")}},
		{"a policy's word against a flag's", "cgroup.memory", deprivation{ReadOnly: []string{cgroups}}, []string{policyOf("cgroup.memory"), "--allow-missing=cgroup.memory,cgroup.pids,cgroup.cpu"}},
		{"a flag that names one of three", "cgroup.pids", deprivation{ReadOnly: []string{cgroups}}, []string{"--allow-missing=cgroup.memory"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() { counts.add(c.layer, !t.Failed()) }()
			o := runDeprived(t, c.d, c.flags...)
			if o.status != 11 || o.code != string(supervisor.CodeUnenforceable) || o.layer != c.layer || o.hint == "" {
				t.Errorf("exit %d, code %q, layer %q, hint %q, want %q\n%s%s", o.status, o.code, o.layer, o.hint, c.layer, o.stdout, o.stderr)
			}
			o.nothingHappened(t)
			if layers, _ := missing(t, c.d); !slices.Contains(layers, c.layer) {
				t.Errorf("doctor misses %v, want %s", layers, c.layer)
			}
		})
	}
	for name, number := range map[string]uint32{"open_tree": unix.SYS_OPEN_TREE, "move_mount": unix.SYS_MOVE_MOUNT, "mount_setattr": unix.SYS_MOUNT_SETATTR} {
		t.Run(name+" for a command", func(t *testing.T) {
			defer func() { counts.add("commands", !t.Failed()) }()
			d := deprivation{Calls: calls(number), Errno: int(unix.EPERM)}
			dir := openDir(t)
			source := write(t, dir+"/guest.js", `import { spawn } from 'realm:capabilities'; console.log((await spawn('/bin/echo', ['it-ran'])).stdout)`)
			log := filepath.Join(dir, "audit.log")
			o := execute(t, deprived(t, d, "run", "--exec=/bin/echo", "--audit="+log, source))
			if o.status != 1 || !strings.Contains(o.stderr, "cannot confine the command") || strings.Contains(o.stdout, "it-ran") {
				t.Errorf("exit %d\n%s%s", o.status, o.stdout, o.stderr)
			}
			if list := records(t, log); !slices.ContainsFunc(list, func(r audit.Record) bool {
				return r.Outcome == audit.Error && strings.Contains(r.Reason, "UNENFORCEABLE") && strings.Contains(r.Reason, name)
			}) {
				t.Errorf("the record says %+v", list)
			}
			if layers, status := missing(t, d); status != 0 || !slices.Equal(layers, []string{"commands"}) {
				t.Errorf("doctor exits with %d and misses %v", status, layers)
			}
		})
	}
	t.Run("cgroup.kill by policy", func(t *testing.T) {
		if len(controllers()) == 0 {
			return // a unified host with limits has it too
		}
		defer func() { counts.add("cgroup.kill", !t.Failed()) }()
		d := deprivation{Unmount: []string{cgroups + "unified"}}
		o := runDeprived(t, d, policyOf("cgroup.kill"))
		if o.status != 11 || o.layer != "cgroup.kill" {
			t.Errorf("exit %d, layer %q\n%s%s", o.status, o.layer, o.stdout, o.stderr)
		}
		o.nothingHappened(t)
		if o := runDeprived(t, d); o.status != 0 || !o.ran || !strings.Contains(o.stdout, `"cgroup.kill":{"state":"missing"`) {
			t.Errorf("without the policy: exit %d\n%s%s", o.status, o.stdout, o.stderr)
		}
	})
	t.Run("landlock without a policy", func(t *testing.T) {
		defer func() { counts.add("landlock", !t.Failed()) }()
		d := deprivation{Calls: calls(unix.SYS_LANDLOCK_CREATE_RULESET), Errno: int(unix.ENOSYS)}
		if o := runDeprived(t, d); o.status != 0 || !o.ran || !strings.Contains(o.stdout, `"landlock":{"state":"missing"`) {
			t.Errorf("exit %d\n%s%s", o.status, o.stdout, o.stderr)
		}
		if layers, status := missing(t, d); status != 0 || !slices.Equal(layers, []string{"landlock"}) {
			t.Errorf("doctor exits with %d and misses %v", status, layers)
		}
	})
}

// What an operator waives is on the receipt, in the record and on standard error.
//
// Covers: T-NS-04, T-OP-02
func TestWaivedLayersAreToldEverywhere(t *testing.T) {
	waived := []string{"cgroup.memory", "cgroup.pids", "cgroup.cpu"}
	counts := newEngaged()
	defer counts.report(t, "waived")
	check := func(t *testing.T, d deprivation, flag string, want []string) {
		t.Helper()
		defer func() { counts.add(flag, !t.Failed()) }()
		o := runDeprived(t, d, "--allow-missing="+flag)
		if o.status != 0 || !o.ran {
			t.Fatalf("exit %d\n%s%s", o.status, o.stdout, o.stderr)
		}
		var document struct {
			Receipt struct {
				Weakenings []string
				Layers     map[string]struct{ State string }
			}
		}
		if err := json.Unmarshal([]byte(o.stdout), &document); err != nil {
			t.Fatal(err)
		}
		slices.Sort(document.Receipt.Weakenings)
		slices.Sort(want)
		if !slices.Equal(document.Receipt.Weakenings, want) {
			t.Errorf("weakenings %v, want %v", document.Receipt.Weakenings, want)
		}
		for _, name := range waived {
			state := "enforced"
			if slices.Contains(want, name) {
				state = "missing"
				contains(t, o.stderr, name)
				contains(t, o.audit[0].Reason, name)
			}
			if document.Receipt.Layers[name].State != state {
				t.Errorf("%s is %q on the receipt", name, document.Receipt.Layers[name].State)
			}
		}
	}
	t.Run("all", func(t *testing.T) {
		check(t, deprivation{ReadOnly: []string{cgroups}}, strings.Join(waived, ","), slices.Clone(waived))
	})
	for controller, layer := range controllers() {
		t.Run(layer, func(t *testing.T) {
			check(t, deprivation{Unmount: []string{cgroups + controller}}, layer, []string{layer})
		})
	}
	t.Run("none that is there", func(t *testing.T) { check(t, deprivation{}, waived[0], nil) })
	t.Run("before the run", func(t *testing.T) {
		source := write(t, openDir(t)+"/guest.ts", `console.log('guest-was-here')`)
		o := execute(t, deprived(t, deprivation{ReadOnly: []string{cgroups}}, "run", "--allow-missing="+strings.Join(waived, ","), source))
		told, _, ran := strings.Cut(o.stderr, "guest-was-here")
		if !ran {
			t.Fatalf("exit %d\n%s", o.status, o.stderr)
		}
		contains(t, told, "cgroup.memory is not enforced: nothing bounds the memory of a run beside V8's heap")
	})
}

// A record that cannot be written, a binary that is not the realm.
//
// Covers: T-AUD-01, T-NS-04, T-SUP-01
func TestWhatTheSupervisorItselfLacks(t *testing.T) {
	bin := openDir(t)
	text, err := os.ReadFile(realmPath)
	if err != nil {
		t.Fatal(err)
	}
	install := func(name string, content []byte, mode os.FileMode) string {
		path := filepath.Join(bin, name)
		if err := os.WriteFile(path, content, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	counts := newEngaged()
	defer counts.report(t, "fail-closed-supervisor")
	type row struct {
		name    string
		d       deprivation
		flags   []string
		status  int
		message string
	}
	all := []row{
		{"a full disk under the record", deprivation{Full: true}, nil, 70, "nothing ran"},
		{"a record that is no file", deprivation{}, []string{"--audit=/dev/full"}, 2, "not a regular file"},
		{"a record in a directory that is not there", deprivation{}, []string{"--audit=" + bin + "/none/log"}, 2, "none/log"},
		{"a receipt that is no file", deprivation{}, []string{"--receipt=/dev/full"}, 2, "/dev/full"},
		{"no realm", deprivation{Realm: bin + "/none"}, nil, 2, "not found"},
		{"another program", deprivation{Realm: "/bin/true"}, nil, 2, "not a realm binary"},
		{"a script", deprivation{Realm: install("script", []byte("#!/bin/sh\nexec sleep 100\n"), 0o755)}, nil, 2, "not a realm binary"},
		{"a realm that is not executable", deprivation{Realm: install("plain", text, 0o644)}, nil, 2, "not an executable"},
		{"half a realm", deprivation{Realm: install("half", text[:len(text)/2], 0o755)}, nil, 2, "realm binary"},
		{"an empty realm", deprivation{Realm: install("empty", nil, 0o755)}, nil, 2, "realm binary"},
		{"a realm of another build", deprivation{Realm: install("other", bytes.ReplaceAll(text, []byte(build.Version), []byte(strings.Repeat("9", len(build.Version)))), 0o755)}, nil, 2, "of another version"},
	}
	if os.Geteuid() != 0 { // who may write whatever the mode says
		all = append(all, row{"a record that may only be read", deprivation{}, []string{"--audit=" + install("log", nil, 0o400)}, 2, "permission denied"})
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			class := "realm-binary"
			if c.d.Realm == "" {
				class = "audit-sink"
			}
			defer func() { counts.add(class, !t.Failed()) }()
			o := runDeprived(t, c.d, c.flags...)
			if o.status != c.status {
				t.Errorf("exit %d, want %d\n%s%s", o.status, c.status, o.stdout, o.stderr)
			}
			contains(t, o.stdout+o.stderr, c.message, c.d.Realm)
			o.nothingHappened(t)
			if c.d.Realm == "" {
				return
			}
			if o := execute(t, deprived(t, c.d, "doctor", "--json")); o.status != c.status || !strings.Contains(o.stdout, c.message) || !strings.Contains(o.stdout, c.d.Realm) {
				t.Errorf("doctor exits with %d\n%s%s", o.status, o.stdout, o.stderr)
			} else if layers := strings.Contains(o.stdout, `"name":"userns"`); layers != (c.message == "of another version") {
				t.Errorf("doctor tells of layers: %v\n%s", layers, o.stdout) // such a realm has them all
			}
		})
	}
}
