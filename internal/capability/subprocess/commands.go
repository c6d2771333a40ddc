//go:build linux

package subprocess

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/internal/layer"
	"realm.internal/supervisor/internal/seccomp"
	"realm.internal/supervisor/pkg/grants"
)

// Parallel is how many commands of one run may be alive at a time.
const Parallel = 4

// Tasks is the limit on tasks that the control group of a run's commands needs if each may have maxPids of them: the
// init of each jail is one more.
func Tasks(maxPids int64) int64 { return Parallel * (maxPids + 1) }

// Config is what commands need from their run.
type Config struct {
	Spawner *launch.Spawner
	// Group makes the control group that all commands of the run share, so that together they have one budget. It
	// is called at the first command, at most once; Close removes the group. Nil: none.
	Group func() (*cgroup.Group, error)
	// CPU bounds the processor time of each process; 0 does not.
	CPU time.Duration
	// Ceilings are the roots of a policy that every root of the jail must be reached beneath, also through symbolic
	// links. Nil: whoever grants may grant every path.
	Ceilings *grants.Sandbox
	// Protect are host paths that no write root may hold.
	Protect []string
}

// Commands runs the commands of one run.
type Commands struct {
	config      Config
	executables map[string]*executable // by granted path
	roots       []launch.Mount         // system directories, then the grant's roots
	execute     []string               // nil: everything in the jail
	filter      []byte
	group       func() (*cgroup.Group, error) // the one of the run, made once

	// A running command holds a slot, Close holds all: what follows is read with one and written with all of them.
	slots  chan struct{}
	closed bool
	made   *cgroup.Group // by group
}

// Open resolves what g grants. Errors are complete sentences for the operator; one of type *launch.Unenforceable says
// that this host cannot confine a command as the grant wants. The caller closes the commands at the end of the run.
func Open(config Config, g grants.Subprocess) (*Commands, error) {
	c := &Commands{
		config: config,
		filter: seccomp.Command(),
		slots:  make(chan struct{}, Parallel),
	}
	c.group = sync.OnceValues(c.makeGroup)
	if err := c.open(g); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Check says of each path of g why Open would refuse it.
func Check(g grants.Subprocess, protect []string) error {
	if len(g.Commands) == 0 {
		return nil
	}
	opened, commands := openCommands(g.Commands)
	for _, e := range opened {
		e.file.Close()
	}
	mounts, roots := Config{Protect: protect}.openRoots(g.Sandbox)
	_, execute := executables(g.Sandbox.Execute, visible(append(launch.SystemMounts(), mounts...), opened))
	return errors.Join(commands, roots, execute)
}

// openCommands returns those that can be opened, by their paths, and says why the others cannot.
func openCommands(paths []string) (map[string]*executable, error) {
	opened := map[string]*executable{}
	var errs []error
	for i, path := range paths {
		e, err := openExecutable(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("subprocess.commands[%d]: %w", i, err))
			continue
		}
		opened[path] = e
	}
	return opened, errors.Join(errs...)
}

func (c *Commands) open(g grants.Subprocess) error {
	var commands error
	c.executables, commands = openCommands(g.Commands)
	roots, err := c.config.openRoots(g.Sandbox)
	if err := errors.Join(commands, err); err != nil {
		return err
	}
	c.roots = append(launch.SystemMounts(), roots...)
	if len(g.Sandbox.Execute) == 0 {
		return nil
	}
	if c.config.Spawner.LandlockABI() == 0 {
		return fmt.Errorf("subprocess.sandbox.execute: %w", &launch.Unenforceable{
			Layer:  layer.Landlock,
			Detail: "this kernel has no landlock, which the grant needs",
			Fix:    "leave sandbox.execute out, or boot a kernel with landlock enabled",
		})
	}
	c.execute, err = executables(g.Sandbox.Execute, visible(c.roots, c.executables))
	return err
}

// makeGroup makes the group of the run.
func (c *Commands) makeGroup() (*cgroup.Group, error) {
	if c.config.Group == nil {
		return nil, nil
	}
	var err error
	c.made, err = c.config.Group()
	return c.made, err
}

var errClosed = errors.New("the run is over")

// Close waits for the commands that are still alive, which end with the contexts of their calls, and removes their
// group. A group that cannot be removed is left to the sweep of a later start.
func (c *Commands) Close() {
	for range Parallel {
		c.slots <- struct{}{}
	}
	defer func() {
		for range Parallel {
			<-c.slots
		}
	}()
	if c.closed {
		return
	}
	c.closed = true
	for _, e := range c.executables {
		e.file.Close()
	}
	if c.made != nil {
		_ = c.made.Kill()
		_ = c.made.Remove()
	}
}

// Result is how a command ended.
type Result struct {
	Code           int    // exit status; 128 and the signal's number when a signal ended it
	Signal         string // "SIGKILL"; "" when it ended by itself
	Stdout, Stderr []byte
}

// Run runs the command that t permits until its end. The error is a *grants.Denial when the executable is no longer
// the granted one or a limit on output or memory is exhausted, a *capability.Failure when the command ran too long or
// could not be started (over a *launch.Unenforceable if the host cannot confine it), and ctx.Err() when ctx ended it.
func (c *Commands) Run(ctx context.Context, t grants.Spawn, stdin []byte) (Result, error) {
	if !t.Valid() {
		return Result{}, capability.NoTicket()
	}
	if int64(len(stdin)) > t.MaxInputBytes() {
		return Result{}, grants.ExceededBytes(t.Path(), "maxWriteBytes", t.MaxInputBytes(), int64(len(stdin)))
	}
	if !sendable(t.Args()) {
		return Result{}, startFailure(t, launch.ErrSpecTooLarge) // at once: they would be held while the call waits
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	return c.run(ctx, t, stdin)
}

// sendable reports whether arguments could be taken by a launcher.
func sendable(args []string) bool {
	left := launch.MaxMessageBytes
	for _, a := range args {
		left -= len(a) + 1
	}
	return left >= 0
}

func (c *Commands) run(ctx context.Context, t grants.Spawn, stdin []byte) (Result, error) {
	e := c.executables[t.Path()]
	if e == nil {
		return Result{}, capability.NoTicket()
	}
	if c.closed {
		return Result{}, capability.Failed(errClosed)
	}
	if err := e.unchanged(); err != nil {
		return Result{}, replaced(t)
	}
	group, err := c.group()
	if err != nil {
		return Result{}, startFailure(t, err)
	}
	pipes, err := openPipes()
	if err != nil {
		return Result{}, startFailure(t, err)
	}
	defer pipes.close()
	limited, cancel := context.WithTimeoutCause(ctx, t.Timeout(), errTimeout)
	defer cancel()
	process, err := c.config.Spawner.Spawn(limited, c.spec(t, e, group, pipes))
	pipes.donated()
	switch {
	case err == nil: // it runs, and exchange kills it if its time is over already
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case limited.Err() != nil:
		return Result{}, tooLong(t)
	default:
		return Result{}, startFailure(t, err)
	}
	oom := outOfMemory(group)
	output := pipes.exchange(limited, process, stdin, t.MaxOutputBytes())
	switch {
	case ctx.Err() != nil:
		return Result{}, ctx.Err()
	case output.exceeded:
		return Result{}, grants.ExceededBytes(t.Path(), "maxProcessOutputBytes", t.MaxOutputBytes(), 0)
	case limited.Err() != nil:
		return Result{}, tooLong(t)
	}
	exit := process.Wait()
	if exit.Signal == unix.SIGKILL && outOfMemory(group) > oom {
		return Result{}, tooMuchMemory(t, group)
	}
	return result(exit, output), nil
}

// outOfMemory counts the processes that the group's memory limit has killed.
func outOfMemory(group *cgroup.Group) int64 {
	if group == nil {
		return 0
	}
	stats, err := group.Stats()
	if err != nil {
		return 0 // then a command that was killed is just that
	}
	return stats.OOMKills
}
