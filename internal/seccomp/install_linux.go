package seccomp

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Install puts every thread of the process under the program, for good. It
// needs no_new_privs on the calling thread, which it checks rather than sets: a
// process without it was not prepared by the launcher.
//
// Errors: ErrNoProgram, ErrNoNewPrivs, *SyncError, ErrProgram, or the kernel's
// errno, wrapped. After an error no thread has the filter.
func Install(program []byte) error {
	if len(program) == 0 {
		return ErrNoProgram
	}
	if _, err := decode(program); err != nil {
		return fmt.Errorf("install filter: %w", err)
	}
	set, _, errno := unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("install filter: read no_new_privs: %w", errno)
	}
	if set != 1 {
		return ErrNoNewPrivs
	}
	fprog := struct {
		length uint16
		_      [6]byte
		filter *byte
	}{length: uint16(len(program) / instructionBytes), filter: &program[0]}
	thread, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&fprog)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return fmt.Errorf("install filter of %d instructions: %w", fprog.length, errno)
	}
	if thread != 0 {
		return &SyncError{Thread: int(thread)}
	}
	return nil
}
