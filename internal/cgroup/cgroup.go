//go:build linux

// Package cgroup gives every realm and command a control group of its own, with
// its limits written before the process exists.
//
// Two layouts are known: a unified (v2) hierarchy that was delegated to us, and
// the hybrid one, where limits live in v1 hierarchies and a v2 leaf beside them
// gives an atomic kill. As root the groups are made below the supervisor's own
// cgroup; without root below a subtree that was delegated to the user.
//
// github.com/containerd/cgroups finds the layout. Everything else is done by plain
// calls (see make): its packages for either version link protobuf and eBPF, which
// cost every start half a millisecond, a hundred pages and a sixth of the binary.
//
// # Trust
//
// Callers are the supervisor's own packages. Files of a group are the kernel's;
// nothing that a realm writes is read here.
//
// # Concurrency
//
// A Manager may be used by several goroutines. A Group belongs to one run; Kill and
// Stats may be called concurrently, SetMemory and Verify by one goroutine, Remove once,
// last.
package cgroup

import (
	"os"
	"time"

	"realm.internal/supervisor/internal/layer"
)

// Missing says that a controller is not there to be used.
type Missing = layer.Unenforceable

// Limits of one group. A zero field asks for no limit of that kind and needs no
// controller: the way to go without a layer that the caller may do without.
type Limits struct {
	MemoryBytes int64   // memory and swap together
	Pids        int64   // tasks, threads included
	CPUs        float64 // processors' worth of run time, e.g. 1.5
}

// Stats of a group, measured by the kernel.
type Stats struct {
	CPU             time.Duration // user and system time of all its tasks so far
	PeakMemoryBytes int64         // 0 where the kernel does not tell
	OOMKills        int64         // processes that its memory limit killed
}

// Manager makes groups below one parent.
type Manager struct{ manager }

// Open finds the hierarchies of this host and where this process may make groups.
// It fails only if /proc or the cgroup mounts are unreadable; a controller that is
// missing is reported by Layer and by Create.
func Open() (*Manager, error) { return open() }

// Layer is nil if the layer (layer.CgroupMemory, CgroupPids, CgroupCPU or
// CgroupKill) can be used, else a *Missing that says why not.
func (m *Manager) Layer(name string) error { return m.missing(name) }

// Create makes a group and writes its limits, before any process is in it. A limit
// that cannot be enforced is a *Missing. name must be unique among the live groups
// of this process and consist of letters, digits, "-" and "_".
func (m *Manager) Create(name string, l Limits) (*Group, error) { return m.create(name, l) }

// Owned tells which directories belong to this process: those in parents whose
// name begins with prefix. The spawner removes them if this process dies.
func (m *Manager) Owned() (parents []string, prefix string) { return m.owned() }

// Sweep kills and removes the groups of supervisors that are dead, and returns how
// many there were.
func (m *Manager) Sweep() (int, error) { return m.sweep() }

// Close gives up what the manager itself has made; it is called after the last
// group's Remove.
func (m *Manager) Close() error { return m.close() }

// Group is one control group: one directory in each hierarchy that it uses.
type Group struct{ group }

// Path is the group's path below the mount point of its main hierarchy (the
// unified one, else memory, else pids).
func (g *Group) Path() string { return g.path() }

// LeafFD is the v2 directory for CLONE_INTO_CGROUP; nil where there is none. It
// stays owned by the group.
func (g *Group) LeafFD() *os.File { return g.leaf() }

// TaskFiles are open v1 "tasks" files: a single-threaded child that writes "0" to
// each joins the group. They stay owned by the group.
func (g *Group) TaskFiles() []*os.File { return g.tasks() }

// Limits reads the limits back from the kernel.
func (g *Group) Limits() (Limits, error) { return g.limits() }

// Verify reads back that pid is in every directory of the group and that the limits
// are those asked for. A difference is a *Missing of that layer.
func (g *Group) Verify(pid int) (Limits, error) { return g.verify(pid) }

// PidsRefused is how often a task could not begin because of the group's limit.
func (g *Group) PidsRefused() (int64, error) { return g.pidsRefused() }

// Threads lists the ids of all threads in the group.
func (g *Group) Threads() ([]string, error) { return g.threads() }

// Stats reads the group's figures. It must be called before Remove.
func (g *Group) Stats() (Stats, error) { return g.stats() }

// SetMemory changes the memory limit of a live group.
func (g *Group) SetMemory(bytes int64) error { return g.setMemory(bytes) }

// Kill sends SIGKILL to every process of the group and does not return before the
// kernel has accepted it for all of them.
func (g *Group) Kill() error { return g.kill() }

// Remove deletes the directories, killing what is left in them, and closes the
// group's descriptors. It retries for a moment: tasks leave a group late.
func (g *Group) Remove() error { return g.remove() }
