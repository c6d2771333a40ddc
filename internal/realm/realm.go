//go:build linux

package realm

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/internal/engine"
	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// Exit statuses. V8's own are 86 (out of memory) and 87 (fatal error).
const (
	exitDone     = 0
	exitGone     = 80 // the supervisor closed its end
	exitUsage    = 81
	exitSetup    = 82
	exitProtocol = 83
)

// errGone means that the supervisor closed its end.
var errGone = errors.New("the supervisor is gone")

// idleBeforeWarming is how long, in milliseconds, a realm waits for its source before it warms up what some sources need.
const idleBeforeWarming = 20.0

// Main runs the realm's life and does not return. The calling goroutine must be locked to the main thread.
func Main(argv []string) {
	status, err := live(argv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "realm:", err)
	}
	// No teardown: the process is V8's, and whatever the guest did to it.
	unix.RawSyscall(unix.SYS_EXIT_GROUP, uintptr(status), 0, 0)
}

func live(argv []string) (int, error) {
	// A run is short; what it leaves is small. Frames of many megabytes still get collected.
	debug.SetGCPercent(400)
	runtime.GOMAXPROCS(min(2, runtime.GOMAXPROCS(0)))
	a, err := parse(argv)
	if err != nil {
		return exitUsage, err
	}
	if a.protocol != build.Protocol || a.build != build.Version {
		return exitUsage, fmt.Errorf("this realm is build %s, protocol %d; the supervisor is build %s, protocol %d", build.Version, build.Protocol, a.build, a.protocol)
	}
	e := engine.New(engine.Options{HeapBytes: a.heapMb << 20, Jitless: a.jitless, TimeZone: a.timeZone})
	if err := e.Realm().Connect(fdIn, fdOut); err != nil {
		return exitSetup, err
	}
	if !e.Realm().Watch(fdControl) {
		return exitSetup, errors.New("the control thread does not start")
	}
	hash, err := confine(a.jitless)
	if err != nil {
		return exitSetup, err
	}
	w := rpc.NewWriter(e.Realm())
	if err := w.Send(0, &rpc.Ready{Protocol: build.Protocol, Build: build.Version, V8: v8.Version(), SeccompSHA256: hash}); err != nil {
		return exitGone, err
	}
	return serve(e, w)
}

// serve waits for the one source and runs it.
func serve(e *engine.Engine, w *rpc.Writer) (int, error) {
	for wait := idleBeforeWarming; ; wait = -1 {
		input := e.Realm().Wait(wait)
		if input == v8.InputEnd || e.Realm().Stopped() != v8.Running {
			return exitGone, nil
		}
		if input == v8.HasInput {
			break
		}
		e.Warm()
	}
	x, err := execute(rpc.NewReader(fd(fdIn)))
	if errors.Is(err, errGone) {
		return exitGone, nil
	}
	if err != nil {
		return exitProtocol, err
	}
	if err := e.Run(x, w); err != nil {
		return exitGone, err
	}
	return exitDone, nil
}

// execute reads the one source. Nothing is read ahead: the engine reads what follows.
func execute(r *rpc.Reader) (*rpc.Execute, error) {
	f, err := r.Next(func(op rpc.Op) (int, error) {
		if op != rpc.OpExecute {
			return 0, fmt.Errorf("%s where %s was expected", op, rpc.OpExecute)
		}
		return rpc.MaxFrameBytes, nil
	})
	if err != nil {
		return nil, err
	}
	x := &rpc.Execute{}
	return x, f.Decode(x)
}
