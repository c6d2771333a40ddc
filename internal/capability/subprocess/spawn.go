//go:build linux

package subprocess

import (
	"maps"
	"slices"

	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/pkg/grants"
)

// spec describes the command to the spawner. Its name is the granted path, so that a program with several names knows
// which one it was called by; what is executed is the file that was held.
func (c *Commands) spec(t grants.Spawn, e *executable, group *cgroup.Group, p *pipes) launch.Spec {
	environment := t.Environment()
	env := make([]string, 0, len(environment))
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		env = append(env, name+"="+environment[name])
	}
	mounts := slices.Concat(c.roots, e.mounts(c.roots))
	return launch.Spec{
		Kind:  launch.Command,
		Args:  append([]string{t.Path()}, t.Args()...),
		Env:   env,
		Files: p.theirs(),
		Group: group,
		Limits: launch.Rlimits{
			CPU:       c.config.CPU,
			Processes: uint64(t.MaxPids()) + 1, // the jail's init has the same user
		},
		Landlock: c.config.Spawner.LandlockABI() > 0,
		Program: &launch.Program{
			Path:    e.path,
			Device:  e.stat.Dev,
			Inode:   e.stat.Ino,
			Mounts:  mounts,
			Seccomp: c.filter,
			Execute: c.executeFor(e, mounts),
		},
	}
}

// executeFor adds the command itself to what may be executed, if that is narrowed at all, and leaves out what is in
// the jails of other commands alone.
func (c *Commands) executeFor(e *executable, mounts []launch.Mount) []string {
	if c.execute == nil {
		return nil
	}
	all := append(interpreters(e.path, mounts), e.path)
	for _, path := range c.execute {
		if shown(path, mounts) {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
