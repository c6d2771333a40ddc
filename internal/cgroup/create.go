//go:build linux

package cgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/containerd/cgroups/v3/cgroup1"
	"github.com/containerd/cgroups/v3/cgroup2"
	"github.com/opencontainers/runtime-spec/specs-go"

	"realm.internal/supervisor/internal/layer"
)

// cpuPeriod is the kernel's default period of a cpu quota, in microseconds.
const cpuPeriod = 100_000

// group is one directory in each hierarchy that it needs.
type group struct {
	v2    bool
	swap  bool // v1 can limit it; else there is none
	name  string
	asked Limits
	dirs  map[string]string // absolute, by controller; one directory may serve several
	v1    cgroup1.Cgroup    // limits of a hybrid host; nil where none was asked for
	dir   *os.File          // the unified directory
	files []*os.File        // v1 tasks
}

func (m *manager) create(name string, l Limits) (*Group, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	wanted, err := m.wanted(l)
	if err != nil {
		return nil, err
	}
	g := &Group{group{v2: m.v2, swap: m.swap, name: m.prefix + name, asked: l, dirs: map[string]string{}}}
	for _, controller := range wanted {
		g.dirs[controller] = filepath.Join(m.parents[controller], g.name)
	}
	if m.v2 {
		err = g.makeUnified(m.parents[unified], l)
	} else {
		err = g.makeLegacy(wanted, l)
	}
	if err == nil {
		err = g.openFiles(wanted)
	}
	if err != nil {
		g.remove()
		return nil, fmt.Errorf("create control group %s: %w", g.name, err)
	}
	return g, nil
}

func checkName(name string) error {
	valid := func(r rune) bool {
		return r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if name == "" || len(name) > 64 || strings.IndexFunc(name, func(r rune) bool { return !valid(r) }) >= 0 {
		return fmt.Errorf("control group name %.80q is not 1 to 64 of letters, digits, - and _", name)
	}
	return nil
}

// wanted lists the hierarchies for these limits. What only helps (the leaf, else
// cpuacct and freezer in its stead) is taken where it is there.
func (m *manager) wanted(l Limits) ([]string, error) {
	var list []string
	for _, need := range []struct {
		controller string
		asked      bool
	}{{memory, l.MemoryBytes > 0}, {pids, l.Pids > 0}, {cpu, l.CPUs > 0}} {
		if !need.asked {
			continue
		}
		if missing := m.absent[need.controller]; missing != nil {
			return nil, missing
		}
		list = append(list, need.controller)
	}
	if m.parents[unified] != "" {
		return append(list, unified), nil
	}
	for _, controller := range []string{cpuacct, freezer} {
		if m.parents[controller] != "" {
			list = append(list, controller)
		}
	}
	return list, nil
}

func (g *group) makeUnified(parent string, l Limits) error {
	if parent == "" {
		return nil
	}
	// Directories the library's way would also toggle controllers on every ancestor.
	if err := os.Mkdir(g.dirs[unified], 0o755); err != nil {
		return err
	}
	c, err := cgroup2.Load(strings.TrimPrefix(g.dirs[unified], mountRoot))
	if err != nil {
		return err
	}
	var r cgroup2.Resources
	if l.MemoryBytes > 0 {
		r.Memory = &cgroup2.Memory{Max: &l.MemoryBytes}
		if _, err := os.Stat(filepath.Join(g.dirs[unified], "memory.swap.max")); err == nil {
			r.Memory.Swap = new(int64)
		} else if !swapIsOff() {
			return &Missing{Layer: layer.CgroupMemory, Detail: "swap is on and cannot be limited", Fix: "turn swap off", Err: err}
		}
	}
	if l.Pids > 0 {
		r.Pids = &cgroup2.Pids{Max: l.Pids}
	}
	if l.CPUs > 0 {
		quota, period := quota(l.CPUs), uint64(cpuPeriod)
		r.CPU = &cgroup2.CPU{Max: cgroup2.NewCPUMax(&quota, &period)}
	}
	return c.Update(&r)
}

func (g *group) makeLegacy(wanted []string, l Limits) error {
	if dir := g.dirs[unified]; dir != "" {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	var err error
	g.v1, err = cgroup1.New(g.legacyPath, g.resources(l), cgroup1.WithHierarchy(func() ([]cgroup1.Subsystem, error) {
		return subsystems(wanted), nil
	}))
	return err
}

// legacyPath tells the library where a v1 directory of this group is.
func (g *group) legacyPath(name cgroup1.Name) (string, error) {
	dir, ok := g.dirs[string(name)]
	if !ok {
		return "", cgroup1.ErrControllerNotActive
	}
	return strings.TrimPrefix(dir, filepath.Join(mountRoot, string(name))), nil
}

func subsystems(wanted []string) []cgroup1.Subsystem {
	var list []cgroup1.Subsystem
	for _, controller := range wanted {
		switch controller {
		case memory:
			list = append(list, cgroup1.NewMemory(mountRoot))
		case pids:
			list = append(list, cgroup1.NewPids(mountRoot))
		case cpu:
			list = append(list, cgroup1.NewCpu(mountRoot))
		case cpuacct:
			list = append(list, cgroup1.NewCpuacct(mountRoot))
		case freezer:
			list = append(list, cgroup1.NewFreezer(mountRoot))
		}
	}
	return list
}

func (g *group) resources(l Limits) *specs.LinuxResources {
	var r specs.LinuxResources
	if l.MemoryBytes > 0 {
		r.Memory = &specs.LinuxMemory{Limit: &l.MemoryBytes}
		if g.swap {
			r.Memory.Swap = &l.MemoryBytes
		}
	}
	if l.Pids > 0 {
		r.Pids = &specs.LinuxPids{Limit: &l.Pids}
	}
	if l.CPUs > 0 {
		quota, period := quota(l.CPUs), uint64(cpuPeriod)
		r.CPU = &specs.LinuxCPU{Quota: &quota, Period: &period}
	}
	return &r
}

// quota is the run time in one period; the kernel's least is a millisecond.
func quota(cpus float64) int64 { return max(1000, int64(cpus*cpuPeriod)) }

// openFiles opens what a child needs to join. The library has no counterpart: it
// moves processes from outside, by path, at the price of milliseconds each.
func (g *group) openFiles(wanted []string) error {
	opened := map[string]bool{}
	for _, controller := range wanted {
		if g.v2 || controller == unified {
			continue
		}
		path, err := filepath.EvalSymlinks(filepath.Join(g.dirs[controller], "tasks"))
		if err != nil {
			return err
		}
		if opened[path] {
			continue // controllers that are mounted together
		}
		opened[path] = true
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		g.files = append(g.files, f)
	}
	if dir := g.dirs[unified]; dir != "" {
		f, err := os.Open(dir)
		if err != nil {
			return err
		}
		g.dir = f
	}
	return nil
}

func (g *group) leaf() *os.File    { return g.dir }
func (g *group) tasks() []*os.File { return g.files }

func (g *group) path() string {
	for _, controller := range []string{unified, memory, pids} {
		if dir, ok := g.dirs[controller]; ok {
			return strings.TrimPrefix(strings.TrimPrefix(dir, mountRoot), "/"+controller)
		}
	}
	return ""
}
