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
			Mounts:  slices.Concat(c.roots, e.mounts(c.roots)),
			Seccomp: c.filter,
			Execute: c.executeFor(e),
		},
	}
}

// executeFor adds the command itself to what may be executed, if that is narrowed at all.
func (c *Commands) executeFor(e *executable) []string {
	if c.execute == nil {
		return nil
	}
	all := slices.Concat(c.execute, []string{e.path}, interpreters(e.path))
	slices.Sort(all)
	return slices.Compact(all)
}
