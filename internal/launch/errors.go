package launch

import (
	"errors"
	"fmt"
	"time"
)

// ErrSpawnerDead is wrapped by calls on a Spawner whose process is gone. A new
// Spawner can be started.
var ErrSpawnerDead = errors.New("the spawner has died")

// ErrSpecTooLarge is wrapped when arguments, environment and mounts together do
// not fit a message to the spawner.
var ErrSpecTooLarge = errors.New("arguments and environment are too long")

// NotReady says which step of a start was still under way when its time was over. Nothing
// that confines was refused: the host did not get to it.
type NotReady struct {
	Step  string
	After time.Duration
	Err   error // may be nil
}

func (e *NotReady) Error() string {
	return fmt.Sprintf("no realm was ready within %v: %s took too long", e.After, e.Step)
}

func (e *NotReady) Unwrap() error { return e.Err }

// BinaryProblem says what is wrong with a realm binary.
type BinaryProblem uint8

const (
	BinaryMissing       BinaryProblem = iota + 1 // no such file
	BinaryNotExecutable                          // not a regular file, or no execute permission
	BinaryNotRealm                               // runs, but is no realm binary (or cannot be loaded)
	BinaryWrongVersion                           // a realm binary of another version
)

// BinaryError says why the realm binary cannot be used.
type BinaryError struct {
	Path    string
	Problem BinaryProblem
	Detail  string
	Err     error // may be nil
}

func (e *BinaryError) Error() string {
	text := "realm binary " + e.Path + ": "
	switch e.Problem {
	case BinaryMissing:
		text += "not found"
	case BinaryNotExecutable:
		text += "not an executable file"
	case BinaryNotRealm:
		text += "not a realm binary of this supervisor"
	case BinaryWrongVersion:
		text += "of another version"
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

func (e *BinaryError) Unwrap() error { return e.Err }

// ExecutableChanged says that the file at a command's path is no longer the one
// that was granted.
type ExecutableChanged struct{ Path string }

func (e *ExecutableChanged) Error() string {
	return "executable " + e.Path + " was replaced after it was granted"
}

// MountError says why a mount of a command's root cannot be made: it is the
// cause of an *Unenforceable of layer rootfs, for that grant.
type MountError struct {
	Source string
	Detail string
	Err    error
}

func (e *MountError) Error() string { return "mount of " + e.Source + ": " + e.Detail }

func (e *MountError) Unwrap() error { return e.Err }
