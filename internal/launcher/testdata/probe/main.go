// Probe stands in for the realm in tests: it does what its second argument says.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	_ "realm.internal/supervisor/internal/launcher"
)

// sight is what a confined process can see of itself.
type sight struct {
	Args, Env, Root     []string
	UID, GID, PID, PPID int
	SID                 int
	Host                string
	Dumpable            int
	WriteRoot           string
	Open                []int
}

func main() {
	if len(os.Args) < 2 {
		os.Exit(2)
	}
	switch os.Args[1] {
	case "look":
		json.NewEncoder(os.NewFile(4, "out")).Encode(look())
		return
	case "exit":
		os.Exit(7)
	case "extra":
		unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		filter()
	case "open":
		// ready, but without a filter
	case "ready":
		filter()
	}
	out, in := os.NewFile(4, "out"), os.NewFile(3, "in")
	fmt.Fprint(out, "ready")
	in.Read(make([]byte, 1))
}

func look() sight {
	s := sight{Args: os.Args, Env: os.Environ(), UID: os.Getuid(), GID: os.Getgid(), PID: os.Getpid(), PPID: os.Getppid()}
	s.SID, _ = unix.Getsid(0)
	s.Host, _ = os.Hostname()
	s.Dumpable, _ = unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if names, err := os.ReadDir("/"); err != nil {
		s.Root = []string{err.Error()}
	} else {
		for _, n := range names {
			s.Root = append(s.Root, n.Name())
		}
	}
	s.WriteRoot = fmt.Sprint(os.WriteFile("/x", nil, 0o600))
	for fd := range 1024 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil {
			s.Open = append(s.Open, fd)
		}
	}
	return s
}

// filter installs one that allows everything, on every thread.
func filter() {
	allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fff0000}
	program := unix.SockFprog{Len: 1, Filter: &allow}
	const setModeFilter, tsync = 1, 1
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, tsync, uintptr(unsafe.Pointer(&program))); errno != 0 {
		panic(errno)
	}
}
