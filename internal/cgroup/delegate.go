//go:build linux

package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// In a unified hierarchy a group has processes or limits for its children, never
// both: the supervisor has to stand in a leaf beside its realms.
const (
	ownLeaf  = "supervisor"       // made in a delegated group
	topLevel = "realm-supervisor" // made at the top, as root where nothing was delegated
)

const delegationFix = "run it under `systemd-run --user --scope -p Delegate=yes`, or as a service with Delegate=yes"

// openUnified finds or makes the parent of all groups on a unified host.
func (m *manager) openUnified(mount, own string) {
	parent, err := m.unifiedParent(mount, own)
	if err == nil {
		err = killable()
	}
	if err != nil {
		for _, controller := range []string{memory, pids, cpu, unified} {
			m.lacks(controller, "no delegated control group", delegationFix, err)
		}
		return
	}
	m.parents[unified] = parent
	enabled := enabledControllers(parent)
	for _, controller := range []string{memory, pids, cpu} {
		if slices.Contains(enabled, controller) {
			m.parents[controller] = parent
			continue
		}
		m.lacks(controller, "the "+controller+" controller is not delegated to "+parent, delegationFix+" (Delegate=cpu memory pids)", nil)
	}
	m.checkSwap("memory.swap.max")
}

func (m *manager) unifiedParent(mount, own string) (string, error) {
	dir := filepath.Join(mount, own)
	// Started by a supervisor, or again in its leaf: the parent is ready.
	if filepath.Base(own) == ownLeaf && writable(filepath.Dir(dir)) == nil {
		enable(mount, filepath.Dir(own))
		return filepath.Dir(dir), nil
	}
	err := writable(dir)
	if err == nil && alone(dir) {
		if err = moveSelf(mount, filepath.Join(own, ownLeaf)); err == nil {
			err = enable(mount, own)
		}
		if err == nil {
			return dir, nil
		}
	}
	if os.Geteuid() != 0 {
		if err == nil {
			err = errors.New(dir + " has other processes")
		}
		return "", err
	}
	// Not delegated, but root may make a group of its own at the top.
	m.top = filepath.Join(mount, topLevel)
	return m.top, m.makeTop()
}

// makeTop makes the group at the top. Its last user removes it (see close), which may
// be between another's open and create: that one makes it again.
func (m *manager) makeTop() error {
	if err := os.Mkdir(m.top, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	mount, name := filepath.Split(m.top)
	if err := enable(mount, ""); err != nil {
		return err
	}
	if err := enable(mount, name); err != nil {
		return err
	}
	return writable(m.top) // it may be another's, and all of it read-only here
}

func (m *manager) close() error {
	if m.top != "" {
		unix.Rmdir(m.top) // refused while it has groups: theirs to remove
	}
	return nil
}

func writable(dir string) error {
	for _, name := range []string{"", "cgroup.procs", "cgroup.subtree_control"} {
		path := filepath.Join(dir, name)
		if err := unix.Access(path, unix.W_OK); err != nil {
			return &os.PathError{Op: "write", Path: path, Err: err}
		}
	}
	return nil
}

// alone tells whether this process is the only one of a group, so that moving it
// leaves the group empty.
func alone(dir string) bool {
	procs, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	return err == nil && strings.TrimSpace(string(procs)) == strconv.Itoa(os.Getpid())
}

func moveSelf(mount, leaf string) error {
	if err := os.Mkdir(filepath.Join(mount, leaf), 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	return writeFile(filepath.Join(mount, leaf, "cgroup.procs"), strconv.Itoa(os.Getpid()))
}

// enable turns each controller on for the children of a group, one by one: what is
// not there must not keep the others off. Enabling none at all is the error.
func enable(mount, group string) error {
	path := filepath.Join(mount, group, "cgroup.subtree_control")
	var first error
	for _, controller := range []string{memory, pids, cpu} {
		// Direct, since the library also writes to every ancestor, which are not ours.
		if err := writeFile(path, "+"+controller); err != nil && first == nil {
			first = err
		}
	}
	if len(enabledControllers(filepath.Join(mount, group))) > 0 {
		return nil
	}
	return first
}

func enabledControllers(dir string) []string {
	list, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
	if err != nil {
		return nil
	}
	return strings.Fields(string(list))
}
