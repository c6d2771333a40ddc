package v8

// #include "realm.h"
import "C"

import "unsafe"

// SetSource names the user's source and answers the name by which the engine knows it.
func (r *Realm) SetSource(name string) string {
	p, n := str(name)
	var b C.rv8_bytes
	C.rv8_set_source(r.ptr, p, n, &b)
	return text(b)
}

// SetMap makes positions in the named script be those that the source map's mappings lead to. prefix is how many columns of
// the map's first source line are not the user's.
func (r *Realm) SetMap(script, mappings string, prefix int) {
	s, sn := str(script)
	m, mn := str(mappings)
	C.rv8_set_map(r.ptr, s, sn, m, mn, C.int(prefix))
}

// SetArguments sets the main function's arguments (an encoded array) and, when it is not empty, input.
func (r *Realm) SetArguments(args, input []byte) Status {
	a, an := bytesOf(args)
	i, in := bytesOf(input)
	return Status(C.rv8_set_arguments(r.ptr, a, an, i, in))
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

// Checkpoint runs microtasks and the engine's own tasks until none is left.
func (r *Realm) Checkpoint() Status { return Status(C.rv8_checkpoint(r.ptr)) }

// Microtasks reports whether microtasks may have been queued since the last Checkpoint, and forgets it.
func (r *Realm) Microtasks() bool { return bool(C.rv8_requeued(r.ptr)) }

// EngineBusy reports whether the engine itself will settle promises (WebAssembly compilation, Atomics.waitAsync).
func (r *Realm) EngineBusy() bool { return bool(C.rv8_engine_busy(r.ptr)) }

// MainState returns the state of the main value.
func (r *Realm) MainState() State { return State(C.rv8_main_state(r.ptr)) }

// Unhandled fails the run with the first rejection that nobody handled and reports whether the run has failed.
func (r *Realm) Unhandled() bool { return bool(C.rv8_unhandled(r.ptr)) }

// Fatal reports an uncaught exception outside the main value.
func (r *Realm) Fatal() bool { return bool(C.rv8_fatal(r.ptr)) }

// NextTimer returns milliseconds until the next timer is due, negative when there is none.
func (r *Realm) NextTimer() float64 { return float64(C.rv8_timer_wait(r.ptr)) }

// FireTimer runs the first timer if it is due.
func (r *Realm) FireTimer() Status { return Status(C.rv8_timers_fire(r.ptr)) }

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

// HasPendingCalls reports whether any call waits for an answer.
func (r *Realm) HasPendingCalls() bool { return C.rv8_pending(r.ptr) > 0 }

// Resolve settles a call with an encoded value.
func (r *Realm) Resolve(id uint64, value []byte) Status {
	p, n := bytesOf(value)
	return Status(C.rv8_resolve(r.ptr, C.uint64_t(id), p, n))
}

// Refusal is what a rejected call tells the guest. Kind is denied, operation, aborted or tool.
type Refusal struct{ Kind, Code, Message, Capability, Target, Hint string }

// Reject settles a call with an error.
func (r *Realm) Reject(id uint64, e Refusal) Status {
	parts := [6]string{e.Kind, e.Code, e.Message, e.Capability, e.Target, e.Hint}
	var lengths [6]C.size_t
	var all []byte
	for i, s := range parts {
		all = append(all, s...)
		lengths[i] = C.size_t(len(s))
	}
	p, _ := bytesOf(all)
	return Status(C.rv8_reject(r.ptr, C.uint64_t(id), (*C.char)(unsafe.Pointer(p)), &lengths[0]))
}

// WindUp rejects every pending call with a SandboxAbortedError after an abort and lets the guest's handlers run, once.
func (r *Realm) WindUp(message string) {
	p, n := str(message)
	C.rv8_wind_up(r.ptr, p, n)
}
