package engine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// script is a supervisor made of a function: it answers each call at once.
type fakeLink struct {
	answer func(op rpc.Op, body []byte) *rpc.Reply // nil: never
	queue  []*Reply
	logs   []string
	status []string
	calls  []rpc.Op
	stop   func() // called when there is nothing to wait for
}

func (l *fakeLink) Send(_ uint64, m rpc.Message) error {
	switch m := m.(type) {
	case *rpc.Console:
		l.logs = append(l.logs, m.Level+": "+m.Message)
	case *rpc.Status:
		l.status = append(l.status, m.Stage+": "+m.Message)
	}
	return nil
}

func (l *fakeLink) SendBody(op rpc.Op, id uint64, body []byte) error {
	l.calls = append(l.calls, op)
	if l.answer == nil {
		return nil
	}
	if r := l.answer(op, body); r != nil {
		l.queue = append(l.queue, &Reply{ID: id, Reply: *r})
	}
	return nil
}

func (l *fakeLink) Wait(ms float64) (*Reply, error) {
	if len(l.queue) > 0 {
		r := l.queue[0]
		l.queue = l.queue[1:]
		return r, nil
	}
	if ms < 0 {
		if l.stop == nil {
			return nil, errors.New("waited for ever")
		}
		l.stop()
		return nil, nil
	}
	time.Sleep(time.Duration(ms * float64(time.Millisecond)))
	return nil, nil
}

var testLimits = rpc.Limits{MemoryMb: 64, MaxResultBytes: 5 << 20, MaxWriteBytes: 1 << 20, MaxDataBytes: 1 << 20, MaxLogBytes: 1 << 10, MaxConsoleCalls: 10, MaxStatusEvents: 3}

type outcome struct {
	value   string
	failure *rpc.Failure
	link    *fakeLink
}

func runSource(t *testing.T, source string, change func(*rpc.Execute, *fakeLink)) outcome {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e := New(Options{HeapBytes: 64 << 20, TimeZone: "UTC"})
	defer e.Close()
	link := &fakeLink{}
	x := &rpc.Execute{Source: []byte(source), Name: "main.ts", Mode: "auto", TimeZone: "UTC", Limits: testLimits}
	if change != nil {
		change(x, link)
	}
	watchdog := time.AfterFunc(10*time.Second, func() { e.Realm().Stop(v8.Deadline) })
	defer watchdog.Stop()
	m, err := e.Run(x, link)
	if err != nil {
		t.Fatalf("%q: %v", source, err)
	}
	o := outcome{link: link}
	switch m := m.(type) {
	case *rpc.Result:
		o.value = show(t, m.Value)
	case *rpc.Failure:
		o.failure = m
	}
	return o
}

func TestScratch(t *testing.T) {
	b, err := os.ReadFile(os.Getenv("SCRATCH"))
	if err != nil {
		t.Skip()
	}
	for _, src := range strings.Split(string(b), "\n====\n") {
		o := runSource(t, src, func(x *rpc.Execute, l *fakeLink) {})
		fmt.Printf("--- %s\n", src)
		if o.failure != nil {
			f := o.failure
			fmt.Printf("  %s/%s %s: %s @%d:%d hint=%q cap=%q\n%s\n", f.Code, f.Phase, f.Name, f.Message, f.Line, f.Column, f.Hint, f.Capability, f.Stack)
		} else {
			fmt.Printf("  = %s\n", o.value)
		}
		if len(o.link.logs) > 0 {
			fmt.Printf("  logs %q\n", o.link.logs)
		}
	}
}
