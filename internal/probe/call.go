//go:build probe && linux

package probe

import (
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"unsafe"
)

// bad is a pointer, descriptor or id that belongs to nothing.
const bad = ^uintptr(0)

// call makes one system call and never blocks the Go scheduler on it.
func call(number uintptr, args ...uintptr) (uintptr, syscall.Errno) {
	var a [6]uintptr
	copy(a[:], args)
	result, _, errno := syscall.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	return result, errno
}

// kept holds what the kernel is shown, for the life of the process.
var kept runtime.Pinner

// text is the address of a NUL-terminated string.
func text(s string) uintptr {
	b := append([]byte(s), 0)
	return address(&b[0])
}

func address[T any](v *T) uintptr {
	kept.Pin(v)
	return uintptr(unsafe.Pointer(v))
}

// buffer is the address of n zero bytes.
func buffer(n int) uintptr {
	b := make([]byte, n)
	return address(&b[0])
}

// succeeds is an attack that consists of one call.
func succeeds(number uintptr, args func() []uintptr) func(Target) (bool, string) {
	return func(Target) (bool, string) {
		result, errno := call(number, args()...)
		return errno == 0, describe(result, errno)
	}
}

// passes is an attack of one call whose arguments are such that the kernel refuses
// them once it has found that the caller may: these errors mean that it worked.
func passes(number uintptr, args func() []uintptr, after ...syscall.Errno) func(Target) (bool, string) {
	return func(Target) (bool, string) {
		result, errno := call(number, args()...)
		return errno == 0 || slices.Contains(after, errno), describe(result, errno)
	}
}

// with is a fixed list of arguments.
func with(args ...uintptr) func() []uintptr {
	return func() []uintptr { return args }
}

func describe(result uintptr, errno syscall.Errno) string {
	if errno != 0 {
		return "errno " + fmt.Sprint(uintptr(errno)) + " " + errno.Error()
	}
	return fmt.Sprintf("result %#x", result)
}
