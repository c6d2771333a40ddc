package seccomp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	childVariable = "SECCOMP_TEST_CHILD"
	childFailed   = 250
)

// TestMain turns the test binary into a child that confines itself: a filter
// cannot be taken off again.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	runtime.LockOSThread()
	os.Exit(child(os.Args[1:]))
}

func child(argv []string) int {
	switch argv[0] {
	case "call":
		return childCall(argv[1:])
	case "exec":
		return childExec(argv[1:])
	case "needs-no-new-privs":
		fmt.Println(Install(Realm(false)))
		return 0
	case "sync":
		return childSync()
	case "threads":
		return childThreads()
	}
	return childFailed
}

// lock sets no_new_privs, as the launcher does, and installs the named filter.
func lock(name string) error {
	if name == "none" {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return Install(programs()[name].Program)
}

// childCall makes one call and ends with its errno.
func childCall(argv []string) int {
	var n [7]uint64
	for i := range n {
		n[i], _ = strconv.ParseUint(argv[2+i], 10, 64)
	}
	door, err := gate(uint32(n[0]))
	if err != nil || lock(argv[0]) != nil {
		return childFailed
	}
	var errno syscall.Errno
	if argv[1] == "i386" {
		door()
	} else {
		_, _, errno = unix.RawSyscall6(uintptr(n[0]), uintptr(n[1]), uintptr(n[2]), uintptr(n[3]), uintptr(n[4]), uintptr(n[5]), uintptr(n[6]))
	}
	unix.RawSyscall(unix.SYS_EXIT_GROUP, uintptr(errno), 0, 0)
	return childFailed
}

// gate builds a function that makes an i386 call by int 0x80 without arguments.
// A 64-bit process can do that whenever the kernel has 32-bit support.
func gate(number uint32) (func(), error) {
	code, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	copy(code, []byte{
		0x53,                                                                          // push rbx
		0xb8, byte(number), byte(number >> 8), byte(number >> 16), byte(number >> 24), // mov eax, number
		0x31, 0xdb, // xor ebx, ebx
		0x31, 0xc9, // xor ecx, ecx
		0x31, 0xd2, // xor edx, edx
		0xcd, 0x80, // int 0x80
		0x5b, // pop rbx
		0xc3, // ret
	})
	entry := &code[0]
	function := &entry
	return *(*func())(unsafe.Pointer(&function)), nil
}

// childExec becomes another program under a filter.
func childExec(argv []string) int {
	if err := lock(argv[0]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return childFailed
	}
	environment := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C.UTF-8"}
	err := syscall.Exec(argv[1], argv[1:], environment)
	fmt.Fprintln(os.Stderr, err)
	return childFailed
}

// childSync lets a second thread take a filter of its own, so that it can not
// follow the first.
func childSync() int {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = own(Command())
		}
		done <- err
		select {}
	}()
	if err := <-done; err != nil {
		fmt.Println("second thread:", err)
		return 1
	}
	err := lock("command")
	var sync *SyncError
	if !errors.As(err, &sync) || sync.Thread == os.Getpid() || !isThread(sync.Thread) {
		fmt.Println("unexpected:", err)
		return 1
	}
	fmt.Println(strings.Replace(err.Error(), strconv.Itoa(sync.Thread), "2", 1))
	return 0
}

// isThread reads the threads from the outer /proc: the child has mounted none.
func isThread(id int) bool {
	status, _ := filepath.Glob("/proc/self/task/*/status")
	for _, path := range status {
		text, _ := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) > 1 && fields[0] == "NSpid:" && fields[len(fields)-1] == strconv.Itoa(id) {
				return true
			}
		}
	}
	return false
}

// own installs a program on the calling thread only.
func own(program []byte) error {
	filter := unix.SockFprog{Len: uint16(len(program) / instructionBytes), Filter: (*unix.SockFilter)(unsafe.Pointer(&program[0]))}
	_, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&filter)))
	runtime.KeepAlive(program)
	if errno != 0 {
		return errno
	}
	return nil
}

// childThreads installs a filter beside parked threads and reads every
// thread's posture back.
func childThreads() int {
	ready := make(chan struct{})
	for range 8 {
		go func() {
			runtime.LockOSThread()
			ready <- struct{}{}
			select {}
		}()
	}
	for range 8 {
		<-ready
	}
	if err := lock("command"); err != nil {
		fmt.Println(err)
		return 1
	}
	status, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(status) < 9 {
		fmt.Println("threads:", len(status), err)
		return 1
	}
	for _, path := range status {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(text), "Seccomp:\t2") || !strings.Contains(string(text), "NoNewPrivs:\t1") {
			fmt.Println("unfiltered:", path, err)
			return 1
		}
	}
	fmt.Println("all threads filtered")
	return 0
}
