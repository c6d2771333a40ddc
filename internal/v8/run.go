package v8

// #include "realm.h"
import "C"

import (
	"fmt"
	"io"
	"syscall"
	"unsafe"
)

// SetSource names the user's source and answers the name by which the engine knows it.
func (r *Realm) SetSource(name string) string {
	p, n := str(name)
	var b C.rv8_bytes
	C.rv8_set_source(r.ptr, p, n, &b)
	return text(b)
}

// SetMap makes positions in the named script be those that the source map's mappings lead to.
func (r *Realm) SetMap(script, mappings string) {
	s, sn := str(script)
	m, mn := str(mappings)
	C.rv8_set_map(r.ptr, s, sn, m, mn)
}

// SetPrefix says how many columns of the source's first line are not the user's.
func (r *Realm) SetPrefix(columns int) { C.rv8_set_prefix(r.ptr, C.int(columns)) }

// SetArguments sets the main function's arguments (an encoded array) and, when it is not empty, input.
func (r *Realm) SetArguments(args, input []byte) Status {
	a, an := bytesOf(args)
	i, in := bytesOf(input)
	return Status(C.rv8_set_arguments(r.ptr, a, an, i, in))
}

// Warm goes the way of a script that has no effect, and evaluates a part of the prelude: what they need is there then.
func (r *Realm) Warm(part string) {
	p, n := str(part)
	C.rv8_warm(r.ptr, p, n)
}

// RunScript evaluates a script; await is allowed at its top level. Its completion value becomes the main value.
func (r *Realm) RunScript(source string) Status {
	p, n := str(source)
	return Status(C.rv8_run_script(r.ptr, p, n))
}

// RunFunction evaluates the body of an async function, or with wrapped a whole function expression.
func (r *Realm) RunFunction(source string, wrapped bool) Status {
	p, n := str(source)
	return Status(C.rv8_run_function(r.ptr, p, n, C.bool(wrapped)))
}

// RunBinding runs the script of a WebAssembly grant. Its end becomes the main value.
func (r *Realm) RunBinding(name, source string, binary []byte) Status {
	m, mn := str(name)
	p, n := str(source)
	b, bn := bytesOf(binary)
	return Status(C.rv8_run_binding(r.ptr, m, mn, p, n, b, bn))
}

// Forget drops a failure that is not the run's: an attempt at a form that the source does not have.
func (r *Realm) Forget() { C.rv8_forget(r.ptr) }

// DefinePart registers a part of the prelude.
func (r *Realm) DefinePart(name, source string) {
	p, n := str(name)
	s, sn := str(source)
	C.rv8_define_part(r.ptr, p, n, s, sn)
}

// SetLazy makes a global whose first read evaluates a part.
func (r *Realm) SetLazy(global, part string) Status {
	g, gn := str(global)
	p, n := str(part)
	return Status(C.rv8_set_lazy(r.ptr, g, gn, p, n))
}

// SetTool makes a global function that asks the host tool of that name.
func (r *Realm) SetTool(name string) Status {
	p, n := str(name)
	return Status(C.rv8_set_tool(r.ptr, p, n))
}

// End is why Loop came back.
type End int

// Ends of Loop.
const (
	// Settled: the main value has, and every call was answered.
	Settled End = C.RV8_SETTLED
	// Failed: Error tells how.
	Failed End = C.RV8_FAILED
	// Halted: Stopped tells why.
	Halted End = C.RV8_STOPPED
	// Deadlocked: the main value waits and nothing else does.
	Deadlocked End = C.RV8_DEADLOCK
	// Gone: the supervisor closed its end, or wrote what is no reply.
	Gone End = C.RV8_GONE
)

// Loop runs until the main value has settled and every call that was issued has been answered. Timers that are still armed then
// are dropped.
func (r *Realm) Loop() End { return End(C.rv8_loop(r.ptr, true)) }

// LoopMain runs until the main value has settled. Is it fulfilled, then calls and rejections are left to a Loop that follows.
func (r *Realm) LoopMain() End { return End(C.rv8_loop(r.ptr, false)) }

// Connect makes calls and results go out through out and replies come in through in. Both stay the caller's; out does not
// block any more, so that what else goes there must take the way of Write.
func (r *Realm) Connect(in, out int) error {
	if errno := C.rv8_connect(r.ptr, C.int(in), C.int(out)); errno != 0 {
		return fmt.Errorf("connect the realm: %w", syscall.Errno(errno))
	}
	return nil
}

// Write sends bytes where calls and results go. While the supervisor takes none, what it sends is read and kept: two that
// wait for each other to read would wait until the deadline.
func (r *Realm) Write(b []byte) (int, error) {
	if p, n := bytesOf(b); !C.rv8_write(r.ptr, (*C.char)(unsafe.Pointer(p)), n) {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

// Input is what Wait waited for.
type Input int

// Ends of Wait.
const (
	HasInput Input = C.RV8_WAIT_INPUT
	NoInput  Input = C.RV8_WAIT_NOTHING
	InputEnd Input = C.RV8_WAIT_GONE
)

// Wait blocks until there is something to read, the engine was stopped, or the time has passed (negative: none).
func (r *Realm) Wait(milliseconds float64) Input {
	return Input(C.rv8_wait(r.ptr, C.double(milliseconds)))
}

// PendingCalls lists the calls that wait for an answer, such as "network https://…".
func (r *Realm) PendingCalls() []string {
	list := make([]string, int(C.rv8_pending(r.ptr)))
	for i := range list {
		var b C.rv8_bytes
		C.rv8_pending_at(r.ptr, C.int(i), &b)
		list[i] = text(b)
	}
	return list
}

// Timers answers how many timers are armed, and in how many milliseconds the next is due.
func (r *Realm) Timers() (n int, next float64) {
	var ms C.double
	n = int(C.rv8_timers(r.ptr, &ms))
	return n, float64(ms)
}

// WindUp rejects every pending call with a SandboxAbortedError after an abort and lets the guest's handlers run, once.
func (r *Realm) WindUp(message string) {
	p, n := str(message)
	C.rv8_wind_up(r.ptr, p, n)
}
