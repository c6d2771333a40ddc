//go:build linux

package launch

import (
	"context"
	"errors"
	"log/slog"
	"os"

	"realm.internal/supervisor/internal/cgroup"
)

// Spec describes one confined process.
type Spec struct {
	Kind     Kind
	Args     []string      // argv, Args[0] included
	Env      []string      // the whole environment
	Files    []*os.File    // Files[i] becomes descriptor i, a nil one /dev/null; borrowed until Spawn returns
	Group    *cgroup.Group // nil: no control group
	Limits   Rlimits
	Landlock bool     // deny by landlock too; an *Unenforceable where the kernel has none
	Program  *Program // Command only
}

var errSkeleton = errors.New("launch: not built yet")

// Spawner is the client of one spawner process.
type Spawner struct{}

// Start opens the realm binary at path once, and starts it as spawner. A path that
// cannot be used is a *BinaryError.
func Start(path string, log *slog.Logger) (*Spawner, error) { return nil, errSkeleton }

// Root tells whether processes get host uids of their own (root mode), or the
// supervisor's own (rootless).
func (s *Spawner) Root() bool { return false }

// Spawn starts a process and returns once it executes its program (a Trial: once
// every step was done). A layer that the kernel refused is an *Unenforceable, a
// replaced executable an *ExecutableChanged. If ctx ends first, the process is killed.
func (s *Spawner) Spawn(ctx context.Context, spec Spec) (*Process, error) { return nil, errSkeleton }

// GuardGroups makes the spawner remove every group of m when this process dies.
func (s *Spawner) GuardGroups(m *cgroup.Manager) error { return errSkeleton }

// GuardFile makes the spawner unlink name in dir when this process dies. release
// takes that back; it must be called once the file was renamed or removed.
func (s *Spawner) GuardFile(dir *os.File, name string) (release func(), err error) {
	return nil, errSkeleton
}

// Dead is closed when the spawner process is gone: by Close, or because it was
// killed, in which case every process that it started was killed with it.
func (s *Spawner) Dead() <-chan struct{} { return nil }

// Close ends the spawner, which kills every process that it started, and waits
// for all of them.
func (s *Spawner) Close() error { return nil }
