//go:build linux

package realm

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

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

// idleBeforeWarming is how long a realm waits for its source before it uses the time to warm up what some sources need.
const idleBeforeWarming = 20 * time.Millisecond

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
	l, err := newLink()
	if err != nil {
		return exitSetup, err
	}
	e := engine.New(engine.Options{HeapBytes: a.heapMb << 20, Jitless: a.jitless, TimeZone: a.timeZone})
	if !e.Realm().Watch(fdControl, l.wake) {
		return exitSetup, errors.New("the control thread does not start")
	}
	hash, err := confine(a.jitless)
	if err != nil {
		return exitSetup, err
	}
	if err := l.Send(0, &rpc.Ready{Protocol: build.Protocol, Build: build.Version, V8: v8.Version(), SeccompSHA256: hash}); err != nil {
		return exitGone, err
	}
	return serve(e, l)
}

// serve waits for the one source, runs it and reports.
func serve(e *engine.Engine, l *link) (int, error) {
	if idle, err := l.idle(idleBeforeWarming); err != nil {
		return exitGone, err
	} else if idle {
		e.Warm()
	}
	for {
		frame, err := l.wait(-1)
		if err != nil {
			return exitGone, err
		}
		if e.Realm().Stopped() != v8.Running {
			return exitGone, nil
		}
		if frame {
			break
		}
	}
	var x rpc.Execute
	if _, err := l.next(rpc.OpExecute, &x); err != nil {
		if errors.Is(err, errGone) {
			return exitGone, nil
		}
		return exitProtocol, err
	}
	end, err := e.Run(&x, l)
	if err != nil {
		return exitGone, err
	}
	if err := l.Send(0, end); err != nil {
		return exitGone, err
	}
	return exitDone, nil
}
