//go:build linux

package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/containerd/cgroups/v3"
	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/layer"
)

// mountRoot is where the hierarchies are, as in the library: a v1 one below its
// controller's name, the unified one here or, on a hybrid host, below "unified".
const mountRoot = "/sys/fs/cgroup"

// Keys of a manager's parents: v1 controllers by name, and the unified hierarchy.
const (
	memory  = "memory"
	pids    = "pids"
	cpu     = "cpu"
	cpuacct = "cpuacct"
	freezer = "freezer"
	unified = "unified"
)

var controllerLayer = map[string]string{
	memory: layer.CgroupMemory, pids: layer.CgroupPids, cpu: layer.CgroupCPU, unified: layer.CgroupKill,
}

// manager holds where groups are made. A controller is in parents or in absent.
type manager struct {
	v2      bool              // the unified hierarchy carries the limits
	swap    bool              // can be limited
	cpus    float64           // what v1 lets a group have at most, 0 for any number
	parents map[string]string // absolute directories
	absent  map[string]*Missing
	top     string // our own group at the top of a unified hierarchy, if it is one
	prefix  string
}

func open() (*Manager, error) {
	own, ownUnified, err := cgroups.ParseCgroupFileUnified("/proc/self/cgroup")
	if err != nil {
		return nil, fmt.Errorf("find own control groups: %w", err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("find cgroup mounts: %w", err)
	}
	prefix, err := newPrefix()
	if err != nil {
		return nil, fmt.Errorf("name control groups: %w", err)
	}
	m := &Manager{manager{parents: map[string]string{}, absent: map[string]*Missing{}, prefix: prefix}}
	roots := mountRoots(mounts)
	switch cgroups.Mode() {
	case cgroups.Unified:
		m.v2 = true
		m.openUnified(mountRoot, within(roots[mountRoot], ownUnified))
	case cgroups.Hybrid, cgroups.Legacy:
		m.openLegacy(own, roots)
		m.openLeaf(roots, ownUnified)
	default:
		m.absentAll("no cgroup file system is mounted at " + mountRoot)
	}
	return m, nil
}

// openLegacy finds the parents in the v1 hierarchies: our own groups there.
func (m *manager) openLegacy(own map[string]string, roots map[string]string) {
	for _, controller := range []string{memory, pids, cpu, cpuacct, freezer} {
		mount := filepath.Join(mountRoot, controller)
		// Controllers that are mounted together have links to one directory.
		if link, err := os.Readlink(mount); err == nil {
			mount = filepath.Join(mountRoot, link)
		}
		path, member := own[controller]
		root, mounted := roots[mount]
		if !mounted || !member {
			m.lacks(controller, "the "+controller+" controller is not mounted", "boot with the controller enabled (cgroup_enable="+controller+")", nil)
			continue
		}
		parent := filepath.Join(mount, within(root, path))
		if err := unix.Access(parent, unix.W_OK|unix.X_OK); err != nil {
			m.lacks(controller, parent+" is not writable", "run as root, or have an administrator create a group there, chown it to this user and move the supervisor into it", err)
			continue
		}
		m.parents[controller] = parent
		if controller == cpu {
			m.cpus = cpusOf(parent, mount)
		}
	}
	m.checkSwap("memory.memsw.limit_in_bytes")
}

// cpusOf is the processors' worth of run time of the nearest group with a limit, from
// dir up to mount. A v1 group is refused more than those above it have.
func cpusOf(dir, mount string) float64 {
	for ; strings.HasPrefix(dir, mount); dir = filepath.Dir(dir) {
		quota, qerr := readNumber(filepath.Join(dir, "cpu.cfs_quota_us"))
		period, perr := readNumber(filepath.Join(dir, "cpu.cfs_period_us"))
		if qerr == nil && perr == nil && quota > 0 && period > 0 {
			return float64(quota) / float64(period)
		}
	}
	return 0
}

// checkSwap looks for the file that limits swap. Where there is none, swap must be off.
func (m *manager) checkSwap(file string) {
	parent, ok := m.parents[memory]
	if !ok {
		return
	}
	m.swap = unix.Access(filepath.Join(parent, file), unix.F_OK) == nil
	if !m.swap && !swapIsOff() {
		delete(m.parents, memory)
		m.lacks(memory, "swap is on and cannot be limited", "boot with swapaccount=1, or turn swap off", nil)
	}
}

// swapIsOff: a memory limit that leaves swap alone is none.
func swapIsOff() bool {
	swaps, err := os.ReadFile("/proc/swaps")
	return err == nil && bytes.Count(swaps, []byte("\n")) <= 1 // the heading
}

// openLeaf finds the unified hierarchy of a hybrid host: no limits, but an atomic
// kill, the start right into the group, and cpu time.
func (m *manager) openLeaf(roots map[string]string, own string) {
	mount := filepath.Join(mountRoot, unified)
	parent := filepath.Join(mount, within(roots[mount], own))
	for _, path := range []string{parent, filepath.Join(parent, "cgroup.procs")} {
		if err := unix.Access(path, unix.W_OK); err != nil {
			m.lacks(unified, path+" is not writable", "run as root, or have the group delegated", err)
			return
		}
	}
	if err := killable(); err != nil {
		m.lacks(unified, err.Error(), "use Linux 5.14 or later", err)
		return
	}
	m.parents[unified] = parent
}

// killable: the root group itself has no cgroup.kill to look for.
func killable() error {
	var uts unix.Utsname
	if err := unix.Uname(&uts); err != nil {
		return err
	}
	release := unix.ByteSliceToString(uts.Release[:])
	major, rest, _ := strings.Cut(release, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	if a < 5 || a == 5 && b < 14 {
		return errors.New("Linux " + release + " has no cgroup.kill")
	}
	return nil
}

func (m *manager) lacks(controller, detail, fix string, err error) {
	if err != nil {
		detail += ": " + err.Error()
	}
	m.absent[controller] = &Missing{Layer: controllerLayer[controller], Detail: detail, Fix: fix, Err: err}
}

func (m *manager) absentAll(detail string) {
	for _, controller := range []string{memory, pids, cpu, cpuacct, freezer, unified} {
		m.lacks(controller, detail, "mount the cgroup file systems", nil)
	}
}

func (m *manager) missing(name string) error {
	for controller, missing := range m.absent {
		if controllerLayer[controller] == name {
			return missing
		}
	}
	return nil
}

// mountRoots maps each cgroup mount point to the group that is mounted there: not
// "/" in a container without a cgroup namespace.
func mountRoots(mountinfo []byte) map[string]string {
	roots := map[string]string{}
	for line := range bytes.Lines(mountinfo) {
		fields := strings.Fields(string(line))
		if len(fields) < 9 || !bytes.Contains(line, []byte(" - cgroup")) {
			continue
		}
		roots[fields[4]] = fields[3]
	}
	return roots
}

// within turns a group's path into one below a mount of root.
func within(root, path string) string {
	if root == "" || root == "/" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, root); ok && (rest == "" || rest[0] == '/') {
		return rest
	}
	return path
}
