package seccomp

import (
	"errors"
	"fmt"
)

// Errors of Install beside those of the kernel.
var (
	ErrNoProgram  = errors.New("no system call filter for this architecture")
	ErrNoNewPrivs = errors.New("install filter: no_new_privs is not set")
	// ErrProgram is wrapped by every error about a malformed program.
	ErrProgram = errors.New("malformed filter program")
)

// SyncError reports a thread that could not take the filter over, because it
// already runs under one that is not an ancestor. No thread has it then.
type SyncError struct {
	Thread int // thread id in the caller's pid namespace
}

func (e *SyncError) Error() string {
	return fmt.Sprintf("install filter: thread %d cannot take it over", e.Thread)
}
