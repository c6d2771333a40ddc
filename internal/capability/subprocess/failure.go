//go:build linux

package subprocess

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/internal/cgroup"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/pkg/grants"
)

// replaced is the refusal of an executable that is not the granted one any more.
func replaced(t grants.Spawn) error {
	return &grants.Denial{
		Capability: grants.CapabilitySubprocess,
		Target:     grants.Target(t.Path()),
		Rule:       "the executable was replaced after it was granted",
		Hint:       "start a new run to grant the file that is there now",
	}
}

func tooLong(t grants.Spawn) error {
	return &capability.Failure{
		Code:    "ETIMEDOUT",
		Message: fmt.Sprintf("the command was killed after subprocess.timeoutMs of %d", t.Timeout().Milliseconds()),
		Host:    errTimeout,
	}
}

// resourceMemory is the capability of a denial for want of memory.
const resourceMemory = "resource.memory"

func tooMuchMemory(t grants.Spawn, group *cgroup.Group) error {
	d := &grants.Denial{
		Capability: resourceMemory,
		Target:     grants.Target(t.Path()),
		Rule:       "the run's commands used more memory than realmMemoryMb",
	}
	if limits, err := group.Limits(); err == nil && limits.MemoryBytes > 0 {
		d.Hint = fmt.Sprintf("resources: {realmMemoryMb: %d}", 2*limits.MemoryBytes>>20)
	}
	return d
}

// startFailure gives a command that did not start its type.
func startFailure(t grants.Spawn, err error) error {
	var changed *launch.ExecutableChanged
	var mount *launch.MountError
	var missing *launch.Unenforceable
	switch {
	case errors.As(err, &changed):
		return replaced(t)
	case errors.As(err, &mount) && errors.Is(err, unix.ESTALE):
		return replaced(t)
	case errors.As(err, &missing):
		return &capability.Failure{
			Code:    "UNENFORCEABLE",
			Message: "the host cannot confine the command (" + missing.Layer + "); the audit record says why",
			Host:    err,
		}
	case errors.Is(err, launch.ErrSpecTooLarge), errors.Is(err, unix.E2BIG):
		return &capability.Failure{Code: "E2BIG", Message: "the arguments and the environment are too long", Host: err}
	case errors.Is(err, unix.ENOEXEC):
		return &capability.Failure{Code: "ENOEXEC", Message: "the file is not a program", Host: err}
	}
	return capability.Failed(err)
}

// result tells how the command ended.
func result(exit launch.Exit, out output) Result {
	r := Result{Code: exit.Code, Stdout: out.stdout, Stderr: out.stderr}
	if exit.Signal != 0 {
		r.Code, r.Signal = 128+int(exit.Signal), unix.SignalName(exit.Signal)
	}
	return r
}
