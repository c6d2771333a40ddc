//go:build linux

package realm

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/seccomp"
)

// confine loads the filter into every thread, for good, and makes sure that it is in force. It answers the filter's hash.
func confine(jitless bool) (string, error) {
	// Executing the realm made it dumpable again.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return "", fmt.Errorf("prctl PR_SET_DUMPABLE: %w", err)
	}
	program := seccomp.Realm(jitless)
	if err := seccomp.Install(program); err != nil {
		return "", err
	}
	if err := probe(); err != nil {
		return "", err
	}
	return seccomp.SHA256(program), nil
}

// probe makes calls that any process may make and a confined one may not.
func probe() error {
	var name unix.Utsname
	if _, _, errno := unix.RawSyscall(unix.SYS_UNAME, uintptr(unsafe.Pointer(&name)), 0, 0); errno != unix.EPERM {
		return errors.New("uname is not refused: the filter is not in force")
	}
	root := []byte("/\x00")
	if _, _, errno := unix.RawSyscall(unix.SYS_OPEN, uintptr(unsafe.Pointer(&root[0])), unix.O_RDONLY, 0); errno != unix.ENOENT {
		return errors.New("open is not refused: the filter is not in force")
	}
	return nil
}
