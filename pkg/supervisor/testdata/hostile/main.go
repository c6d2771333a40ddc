//go:build linux && amd64 && cgo

// Command hostile stands in the realm's place and breaks the protocol: an
// attacker who has taken the whole process. The source that it is sent names
// what it does; what it does before it is ready is chosen by its heap limit.
package main

import (
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/build"
	_ "realm.internal/supervisor/internal/launcher"
	"realm.internal/supervisor/internal/seccomp"
	"realm.internal/supervisor/pkg/rpc"
)

const (
	in  = fd(3)
	out = fd(4)
)

// fd is a blocking descriptor, without Go's poller.
type fd int

func (f fd) Read(b []byte) (int, error) {
	n, err := unix.Read(int(f), b)
	if n == 0 && err == nil {
		exit(80)
	}
	return n, err
}

func (f fd) Write(b []byte) (int, error) {
	for done := 0; done < len(b); {
		n, err := unix.Write(int(f), b[done:])
		if err != nil && err != unix.EINTR {
			exit(80)
		}
		done += max(n, 0)
	}
	return len(b), nil
}

func exit(status int) { unix.RawSyscall(unix.SYS_EXIT_GROUP, uintptr(status), 0, 0) }

func init() { runtime.LockOSThread() }

func main() {
	early := ""
	for _, a := range os.Args {
		if n, ok := strings.CutPrefix(a, "--heap-mb="); ok {
			early = n
		}
	}
	w := rpc.NewWriter(out)
	filter := seccomp.Realm(false)
	ready := rpc.Ready{Protocol: build.Protocol, Build: build.Version, V8: "none", SeccompSHA256: seccomp.SHA256(filter)}
	switch early {
	case "201": // ends before it is ready
		exit(3)
	case "202": // ready, without a filter
		filter = nil
	case "203": // another protocol
		ready.Protocol++
	case "204": // another build
		ready.Build = "other"
	case "205": // another filter
		ready.SeccompSHA256 = strings.Repeat("0", 64)
	case "206": // noise where Ready was expected
		_, _ = out.Write([]byte("HTTP/1.1 200 OK\r\n\r\n"))
	case "207": // a result before it is ready
		_ = w.Send(0, &rpc.Result{Value: rpc.Raw{0xc0}})
	case "208": // a descriptor too many
		_, _ = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	case "209": // a Ready that is too long
		ready.V8 = strings.Repeat("8", 8192)
	}
	if filter != nil {
		if err := seccomp.Install(filter); err != nil {
			exit(88)
		}
	}
	_ = w.Send(0, &ready)
	switch early {
	case "202", "205", "208": // nothing is said to what is not confined: whoever hears of a source here is no realm any more
		_, _ = in.Read(make([]byte, 1))
		exit(89)
	}
	if early == "210" { // and again
		_ = w.Send(0, &ready)
	}
	if early == "211" { // does not read its source
		wait()
	}
	var x rpc.Execute
	f, err := rpc.NewReader(in).Next(func(rpc.Op) (int, error) { return rpc.MaxFrameBytes, nil })
	if err != nil || f.Decode(&x) != nil {
		exit(83)
	}
	act(w, string(x.Source))
	wait()
}

// wait does nothing for ever, whatever it is told.
func wait() {
	for {
		unix.RawSyscall6(unix.SYS_FUTEX, 0, 0, 0, 0, 0, 0)
	}
}
