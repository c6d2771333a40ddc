// Package tool calls host tools: functions of the program that embeds the supervisor.
//
// # Trust
//
// Tools are trusted code with the host's privileges; they can still block, panic or outlive the run, and none of that
// may reach further than the one call. Params come from the guest and are hostile: a tool validates them.
//
// # Concurrency
//
// Calls run beside each other, each in a goroutine of its own. A tool that ignores its context keeps that goroutine
// until it returns; its answer is then dropped.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/pkg/grants"
)

// Func is a host tool. Its context ends at the run's deadline and when the run is aborted. An error with a method
// Code() string gives the guest that code.
type Func = func(ctx context.Context, params json.RawMessage) (any, error)

// CodePanic is the code of a tool that panicked or ended its goroutine.
const CodePanic = "EPANIC"

// Error is a failure of the call that is not the tool's own error.
type Error struct {
	code    string
	message string
	Host    error // the cause for the host's log; the guest must not see it
}

func (e *Error) Error() string { return e.message }

// Code is the code that the guest sees.
func (e *Error) Code() string { return e.code }

// Unwrap is the host's cause.
func (e *Error) Unwrap() error { return e.Host }

// Call runs f for the tool that t permits. When ctx ends first the error is ctx.Err(), at once, whatever f does.
// A panic of f is an *Error.
func Call(ctx context.Context, t grants.ToolCall, f Func, params json.RawMessage) (any, error) {
	if !t.Valid() {
		return nil, capability.NoTicket()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	done := make(chan outcome, 1)
	go run(ctx, f, params, done)
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type outcome struct {
	answer any
	err    error
}

// run always sends one outcome, also when f panics or calls runtime.Goexit.
func run(ctx context.Context, f Func, params json.RawMessage, done chan<- outcome) {
	o := outcome{err: &Error{CodePanic, "the tool failed", errors.New("the tool ended its goroutine")}}
	defer func() {
		if p := recover(); p != nil {
			o = outcome{err: &Error{CodePanic, "the tool failed", fmt.Errorf("panic: %v\n%s", p, debug.Stack())}}
		}
		done <- o
	}()
	answer, err := f(ctx, params)
	o = outcome{answer, err}
}
