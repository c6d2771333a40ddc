package engine

import (
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// supervisor plays the other end: it answers calls by a function and notes the rest.
type supervisor struct {
	// answer gives the reply to a call, nil for none.
	answer func(f rpc.Frame) *rpc.Reply
	// unanswered is called after a call that got no reply.
	unanswered func()

	logs, status []string
	calls        []rpc.Op
	end          rpc.Message
}

func (s *supervisor) serve(r io.Reader, w io.Writer) {
	frames, replies := rpc.NewReader(r), rpc.NewWriter(w)
	for {
		f, err := frames.Next(func(rpc.Op) (int, error) { return rpc.MaxFrameBytes, nil })
		if err != nil {
			return
		}
		switch f.Op {
		case rpc.OpConsole:
			var m rpc.Console
			_ = f.Decode(&m)
			s.logs = append(s.logs, m.Level+": "+m.Message)
		case rpc.OpStatus:
			var m rpc.Status
			_ = f.Decode(&m)
			s.status = append(s.status, m.Stage+": "+m.Message)
		case rpc.OpResult:
			s.end = &rpc.Result{}
			_ = f.Decode(s.end)
		case rpc.OpFailure:
			s.end = &rpc.Failure{}
			_ = f.Decode(s.end)
		default:
			s.calls = append(s.calls, f.Op)
			var reply *rpc.Reply
			if s.answer != nil {
				reply = s.answer(f)
			}
			if reply != nil {
				_ = replies.Send(f.ID, reply)
			} else if s.unanswered != nil {
				s.unanswered()
			}
		}
	}
}

var testLimits = rpc.Limits{
	MemoryMb: 64, MaxResultBytes: 5 << 20, MaxWriteBytes: 1 << 10, MaxDataBytes: 1 << 20,
	MaxLogBytes: 1 << 10, MaxConsoleCalls: 10, MaxStatusEvents: 3,
}

type outcome struct {
	// value is the result as JSON, empty when the run failed.
	value   string
	failure *rpc.Failure
	*supervisor
}

// runSource runs one source in an engine of its own, in this process and without confinement.
func runSource(t *testing.T, source string, change func(*rpc.Execute, *supervisor, *v8.Realm)) outcome {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	inR, inW, err := os.Pipe()
	outR, outW, err2 := os.Pipe()
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	e := New(Options{HeapBytes: 64 << 20, TimeZone: "UTC"})
	defer e.Close()
	if err := e.Realm().Connect(int(inR.Fd()), int(outW.Fd())); err != nil {
		t.Fatal(err)
	}
	s := &supervisor{}
	x := &rpc.Execute{Source: []byte(source), Name: "main.ts", Mode: "auto", TimeZone: "UTC", Limits: testLimits}
	if change != nil {
		change(x, s, e.Realm())
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve(outR, inW)
	}()
	watchdog := time.AfterFunc(20*time.Second, func() { e.Realm().Stop(v8.Deadline) })
	err = e.Run(x, rpc.NewWriter(outW))
	watchdog.Stop()
	outW.Close()
	inR.Close() // an answer may be under way that nobody reads any more
	<-done
	for _, f := range []*os.File{inW, outR} {
		f.Close()
	}
	if err != nil {
		t.Fatalf("%q: %v", source, err)
	}
	o := outcome{supervisor: s}
	switch m := s.end.(type) {
	case *rpc.Result:
		o.value = show(t, m.Value)
	case *rpc.Failure:
		o.failure = m
	default:
		t.Fatalf("%q: no end", source)
	}
	return o
}
