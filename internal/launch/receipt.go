//go:build linux

package launch

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// Receipt reads from the kernel what confines the process and compares it with
// the Spec that started it. The first difference is an *Unenforceable; the caller
// then kills the process. To be called after the realm said that it is ready and
// before it gets a source.
func (p *Process) Receipt() (*Receipt, error) {
	r, err := p.receipt()
	if err != nil {
		return nil, fmt.Errorf("receipt of process %d: %w", p.pid, err)
	}
	return r, nil
}

// Examine reads the part of the receipt that is settled when the process executes
// its program: what it is in (namespaces, root, control group) and the limits that it
// can only lower. It need not be called; it takes half of Receipt's time, which a
// caller that waits for the process has to spare.
func (p *Process) Examine() error {
	r, err := p.examine()
	if err != nil {
		return fmt.Errorf("receipt of process %d: %w", p.pid, err)
	}
	p.examined = r
	return nil
}

func (p *Process) examine() (*Receipt, error) {
	proc, err := openProc(p.pid)
	if err != nil {
		return nil, err
	}
	defer proc.close()
	r := &Receipt{Layers: map[string]LayerState{}, UID: ReceiptUID{Inside: InsideUID, Outside: p.uid}}
	if err := p.checkMaps(proc); err != nil {
		return nil, err
	}
	if r.Namespaces, err = p.checkNamespaces(proc); err != nil {
		return nil, err
	}
	for _, ns := range namespaces {
		r.enforced(r.Namespaces[ns.file], ns.layer)
	}
	if err := p.checkRoot(proc); err != nil {
		return nil, err
	}
	r.enforced("one empty read-only tmpfs", layer.RootFS)
	limits, err := p.checkRlimits()
	if err != nil {
		return nil, err
	}
	r.enforced(limits, layer.Rlimits)
	return r, p.checkGroup(r)
}

func (p *Process) receipt() (*Receipt, error) {
	r := p.examined
	var err error
	if r == nil {
		if r, err = p.examine(); err != nil {
			return nil, err
		}
	}
	proc, err := openProc(p.pid)
	if err != nil {
		return nil, err
	}
	defer proc.close()
	if r.Tasks, err = p.checkTasks(proc); err != nil {
		return nil, err
	}
	every := "every one of " + strconv.Itoa(r.Tasks) + " threads: "
	r.enforced(every+"all five sets empty", layer.Capabilities)
	r.enforced(every+"1", layer.NoNewPrivs)
	r.enforced(every+"mode 2", layer.Seccomp)
	if r.Descriptors, err = p.checkDescriptors(proc); err != nil {
		return nil, err
	}
	r.enforced("the donated ones and the runtime's own", layer.Descriptors)
	r.Layers[layer.Landlock] = LayerState{State: NotEnforced, Detail: "not asked for"}
	if p.spec.Landlock {
		// The kernel shows a process's landlock domain to no one: this is the launcher's
		// word, which exec depended on.
		r.enforced("every access of ABI "+strconv.Itoa(p.landlock)+" denied before exec", layer.Landlock)
	}
	return r, nil
}

func (r *Receipt) enforced(detail, name string) {
	r.Layers[name] = LayerState{State: Enforced, Detail: detail}
}

func (p *Process) checkMaps(proc *procDir) error {
	for _, name := range []string{"uid_map", "gid_map"} {
		content, err := proc.read(name)
		if err != nil {
			return err
		}
		want := []string{strconv.Itoa(InsideUID), strconv.FormatUint(uint64(p.uid), 10), "1"}
		if name == "gid_map" && !p.root {
			want[1] = strconv.Itoa(os.Getegid())
		}
		if got := strings.Fields(string(content)); !slices.Equal(got, want) {
			return &Unenforceable{Layer: layer.UserNS, Detail: fmt.Sprintf("%s is %q, not %q", name, got, want)}
		}
	}
	return nil
}

// namespaces lists the seven by the names of their files.
var namespaces = [...]struct{ file, layer string }{
	{"user", layer.UserNS}, {"pid", layer.PidNS}, {"mnt", layer.MountNS}, {"net", layer.NetNS},
	{"ipc", layer.IPCNS}, {"uts", layer.UTSNS}, {"cgroup", layer.CgroupNS},
}

// ownNamespaces reads those of this process, which does not change them.
func ownNamespaces() (map[string]string, error) {
	all := make(map[string]string, len(namespaces))
	for _, ns := range namespaces {
		link, err := os.Readlink("/proc/self/ns/" + ns.file)
		if err != nil {
			return nil, err
		}
		all[ns.file] = link
	}
	return all, nil
}

func (p *Process) checkNamespaces(proc *procDir) (map[string]string, error) {
	all := make(map[string]string, len(namespaces))
	for _, ns := range namespaces {
		theirs, err := proc.readlink("ns/" + ns.file)
		if err != nil {
			return nil, err
		}
		if theirs == p.outside[ns.file] {
			return nil, &Unenforceable{Layer: ns.layer, Detail: "the process shares " + theirs + " with the supervisor"}
		}
		all[ns.file] = theirs
	}
	return all, nil
}

// checkRoot: one mount, a read-only tmpfs, and nothing in it.
func (p *Process) checkRoot(proc *procDir) error {
	mounts, err := proc.read("mountinfo")
	if err != nil {
		return err
	}
	fields := strings.Fields(string(mounts))
	if bytes.Count(mounts, []byte("\n")) != 1 || len(fields) < 6 || fields[4] != "/" || !bytes.Contains(mounts, []byte(" - tmpfs ")) {
		return &Unenforceable{Layer: layer.RootFS, Detail: fmt.Sprintf("its mounts are not one tmpfs: %.300q", mounts)}
	}
	options := strings.Split(fields[5], ",")
	for _, want := range []string{"ro", "nosuid", "nodev", "noexec"} {
		if !slices.Contains(options, want) {
			return &Unenforceable{Layer: layer.RootFS, Detail: "its root is mounted " + fields[5] + ", without " + want}
		}
	}
	names, err := proc.list("root")
	if err != nil {
		return err
	}
	if len(names) > 0 {
		return &Unenforceable{Layer: layer.RootFS, Detail: fmt.Sprintf("its root holds %q", names[0])}
	}
	return nil
}

// checkRlimits: a limit that was lower already is as good.
func (p *Process) checkRlimits() (string, error) {
	for _, want := range p.spec.Limits.list(p.spec.Kind) {
		var got unix.Rlimit
		if err := unix.Prlimit(p.pid, want.resource, nil, &got); err != nil {
			return "", os.NewSyscallError("prlimit", err)
		}
		if got.Cur > want.value || got.Max > want.value {
			return "", &Unenforceable{Layer: layer.Rlimits, Detail: fmt.Sprintf("resource %d is limited to %d, not %d", want.resource, got.Max, want.value)}
		}
	}
	return "open files, file size, stack, locked memory, core, queues, queued signals, priorities", nil
}

// ReadGroup reads the control group's part of a receipt again, after its limits changed.
func (p *Process) ReadGroup(r *Receipt) error {
	if err := p.checkGroup(r); err != nil {
		return fmt.Errorf("receipt of process %d: %w", p.pid, err)
	}
	return nil
}

// checkGroup fills in the control group's layers. A limit that was not asked for is
// a missing layer here; whether that may be is the caller's question.
func (p *Process) checkGroup(r *Receipt) error {
	for _, name := range []string{layer.CgroupMemory, layer.CgroupPids, layer.CgroupCPU, layer.CgroupKill} {
		r.Layers[name] = LayerState{State: NotEnforced, Detail: "not asked for"}
	}
	g := p.spec.Group
	if g == nil {
		return nil
	}
	l, err := g.Verify(p.pid)
	if err != nil {
		return err
	}
	r.Cgroup = ReceiptCgroup{Path: g.Path(), MemoryBytes: l.MemoryBytes, Pids: l.Pids, CPUs: l.CPUs}
	if l.MemoryBytes > 0 {
		r.enforced(strconv.FormatInt(l.MemoryBytes, 10)+" bytes, swap included", layer.CgroupMemory)
	}
	if l.Pids > 0 {
		r.enforced(strconv.FormatInt(l.Pids, 10)+" tasks", layer.CgroupPids)
	}
	if l.CPUs > 0 {
		r.enforced(strconv.FormatFloat(l.CPUs, 'g', -1, 64)+" processors", layer.CgroupCPU)
	}
	if g.LeafFD() != nil {
		r.enforced("one write kills the whole group", layer.CgroupKill)
	}
	return nil
}
