//go:build linux

package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// cpuPeriod is the kernel's default period of a cpu quota, in microseconds.
const cpuPeriod = 100_000

// group is one directory in each hierarchy that it needs.
type group struct {
	v2    bool
	swap  bool // it can be limited; else there is none
	name  string
	asked Limits
	dirs  map[string]string // absolute, by controller; one directory may serve several
	dir   *os.File          // the unified directory
	files []*os.File        // v1 tasks
}

func (m *manager) create(name string, l Limits) (*Group, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if m.cpus > 0 {
		l.CPUs = min(l.CPUs, m.cpus)
	}
	wanted, err := m.wanted(l)
	if err != nil {
		return nil, err
	}
	g := &Group{group{v2: m.v2, swap: m.swap, name: m.prefix + name, asked: l, dirs: map[string]string{}}}
	for _, controller := range wanted {
		g.dirs[controller] = filepath.Join(m.parents[controller], g.name)
	}
	err = g.make(wanted, l)
	if m.top != "" && errors.Is(err, os.ErrNotExist) && m.makeTop() == nil {
		err = g.make(wanted, l)
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

// make makes the directories and writes the limits. The library can (cgroup1.New,
// cgroup2.NewManager), at 0.57 ms of cpu time where these calls take 0.41, three
// quarters of it the kernel's own; on a unified host it also writes to the controls
// of every ancestor, which are not ours.
func (g *group) make(wanted []string, l Limits) error {
	made := map[string]bool{}
	for _, controller := range wanted {
		dir := g.dirs[controller]
		if made[dir] {
			continue // controllers that share a hierarchy
		}
		made[dir] = true
		if err := unix.Mkdir(dir, 0o755); err != nil {
			return refused(controller, &os.PathError{Op: "mkdir", Path: dir, Err: err})
		}
	}
	for _, s := range settings(l, g.v2, g.swap) {
		if err := writeFile(filepath.Join(g.dirs[s.controller], s.file), s.value); err != nil {
			return refused(s.controller, err)
		}
	}
	return nil
}

// refused names the layer that there is none of without a step. A name that is taken already says nothing about it,
// nor does a supervisor that has run out of descriptors or memory.
func refused(controller string, err error) error {
	name := controllerLayer[controller]
	for _, other := range []error{unix.EEXIST, unix.EMFILE, unix.ENFILE, unix.ENOMEM} {
		if name == "" || errors.Is(err, other) {
			return err
		}
	}
	return &Missing{Layer: name, Detail: err.Error(), Fix: "have the group that the supervisor is in delegated to it, with this controller", Err: err}
}

// setting is one control file and what is written to it.
type setting struct{ controller, file, value string }

// settings turns limits into files, in the order in which they must be written: v1
// refuses memory+swap below memory.
func settings(l Limits, v2, swap bool) []setting {
	var list []setting
	add := func(controller, file string, value string) { list = append(list, setting{controller, file, value}) }
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	if l.MemoryBytes > 0 && v2 {
		add(memory, "memory.max", number(l.MemoryBytes))
		if swap {
			add(memory, "memory.swap.max", "0")
		}
	} else if l.MemoryBytes > 0 {
		add(memory, "memory.limit_in_bytes", number(l.MemoryBytes))
		if swap {
			add(memory, "memory.memsw.limit_in_bytes", number(l.MemoryBytes))
		}
	}
	if l.Pids > 0 {
		add(pids, "pids.max", number(l.Pids))
	}
	if l.CPUs > 0 && v2 {
		add(cpu, "cpu.max", number(quota(l.CPUs))+" "+number(cpuPeriod))
	} else if l.CPUs > 0 {
		add(cpu, "cpu.cfs_period_us", number(cpuPeriod))
		add(cpu, "cpu.cfs_quota_us", number(quota(l.CPUs)))
	}
	return list
}

// quota is the run time in one period; the kernel's least is a millisecond.
func quota(cpus float64) int64 { return max(1000, int64(cpus*cpuPeriod)) }

// openFiles opens what a child needs to join. The library has no counterpart: it
// moves processes from outside, by path, at the price of milliseconds each.
func (g *group) openFiles(wanted []string) error {
	opened := map[string]bool{}
	for _, controller := range wanted {
		dir, name, flags := g.dirs[controller], "tasks", unix.O_WRONLY
		if opened[dir] || g.v2 && controller != unified {
			continue
		}
		opened[dir] = true
		if controller == unified {
			name, flags = "", unix.O_RDONLY|unix.O_DIRECTORY
		}
		path := filepath.Join(dir, name)
		fd, err := uninterrupted(func() (int, error) { return unix.Open(path, flags|unix.O_CLOEXEC, 0) })
		if err != nil {
			return &os.PathError{Op: "open", Path: path, Err: err}
		}
		if controller == unified {
			g.dir = os.NewFile(uintptr(fd), path)
			continue
		}
		g.files = append(g.files, os.NewFile(uintptr(fd), path))
	}
	return nil
}

func (g *group) leaf() *os.File    { return g.dir }
func (g *group) tasks() []*os.File { return g.files }

func (g *group) path() string {
	for _, controller := range []string{unified, memory, pids} {
		if dir, ok := g.dirs[controller]; ok && g.v2 {
			return strings.TrimPrefix(dir, mountRoot)
		} else if ok {
			return strings.TrimPrefix(dir, filepath.Join(mountRoot, controller))
		}
	}
	return ""
}
