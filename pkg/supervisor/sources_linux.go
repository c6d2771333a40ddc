package supervisor

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/broker"
	"realm.internal/supervisor/internal/capability/subprocess"
	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/internal/sources"
	"realm.internal/supervisor/pkg/grants"
)

// fileGuard tells the spawner about temporary files.
type fileGuard struct{ spawner *launch.Spawner }

func (g fileGuard) Guard(dir int, name string) (func(), error) {
	fd, err := unix.FcntlInt(uintptr(dir), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "guarded directory")
	defer f.Close()
	return g.spawner.GuardFile(f, name)
}

// openModules reads the sources that grants name.
func (x *execution) openModules() (err error) {
	g := x.req.Grants
	if len(g.Modules) == 0 && len(g.Wasm) == 0 {
		return nil
	}
	var r sources.Reader
	if x.message.Modules, err = r.Modules(g.Modules, x.message.Source); err == nil {
		x.message.Wasm, err = r.Wasm(g.Wasm)
	}
	if err != nil {
		return failure(CodeInvalid, err, "grants: %v", err)
	}
	return nil
}

// openCommands holds the granted executables.
func (x *execution) openCommands(spawner *launch.Spawner) error {
	g := x.req.Grants.Subprocess
	if len(g.Commands) == 0 {
		return nil
	}
	_, roots := x.ceilings()
	c, err := subprocess.Open(subprocess.Config{
		Spawner: spawner, CPU: time.Duration(x.limits.CPUMs) * time.Millisecond, Group: x.commandGroup,
		Ceilings: roots, Protect: x.protected(),
	}, g)
	var missing *launch.Unenforceable
	switch {
	case errors.As(err, &missing):
		return launchError(err)
	case err != nil:
		return failure(CodeInvalid, err, "grants: %v", err)
	}
	x.execs.Commands = commands{c}
	return nil
}

// commandGroup makes the control group that the commands of this run share.
func (x *execution) commandGroup() (*cgroup.Group, error) {
	return x.s.host.confine.CommandGroup(x.limits.RealmMemoryMb<<20, subprocess.Tasks(x.limits.MaxPids))
}

// commands is the broker's Commands.
type commands struct{ *subprocess.Commands }

func (c commands) Run(ctx context.Context, t grants.Spawn, stdin []byte) (broker.CommandResult, error) {
	r, err := c.Commands.Run(ctx, t, stdin)
	return broker.CommandResult{Code: r.Code, Signal: r.Signal, Stdout: r.Stdout, Stderr: r.Stderr}, err
}
