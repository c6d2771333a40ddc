package v8

// #include "realm.h"
import "C"

// Error is what the guest threw or the compiler refused, with positions in the user's own source.
type Error struct {
	// IsError is false for `throw 'x'`.
	IsError bool
	// Denied is true for a refusal that the realm itself made of a supervisor's answer.
	Denied bool
	// Unhandled is true for a rejection that nobody had handled when nothing was left to wait for.
	Unhandled                      bool
	Name, Message, Stack           string
	Capability, Target, Hint, Code string
	// Line and Column are 1-based, 0 when unknown.
	Line, Column int
	// Thrown is the encoded value, nil when it cannot cross.
	Thrown []byte
}

// Error returns how the run failed.
func (r *Realm) Error() Error {
	var e C.rv8_error_info
	C.rv8_error(r.ptr, &e)
	return Error{
		IsError: bool(e.is_error), Denied: bool(e.denied), Unhandled: bool(e.unhandled),
		Name: text(e.name), Message: text(e.message), Stack: text(e.stack),
		Capability: text(e.capability), Target: text(e.target), Hint: text(e.hint), Code: text(e.code),
		Line: int(e.line), Column: int(e.column), Thrown: copied(e.thrown),
	}
}

// InterruptStack is where the guest was when it was stopped.
func (r *Realm) InterruptStack() (stack string, line, column int) {
	var b C.rv8_bytes
	var l, c C.int
	C.rv8_interrupt_stack(r.ptr, &b, &l, &c)
	return text(b), int(l), int(c)
}

// Unrepresentable says that a value cannot cross, and which.
type Unrepresentable struct {
	// Path leads to the value, as in "result.items[3].callback".
	Path, Reason string
}

// EncodeMain encodes the main value into at most limit bytes. With Syntax, the second answer says what cannot cross.
func (r *Realm) EncodeMain(limit int64) ([]byte, Unrepresentable, Status) {
	var out, path, why C.rv8_bytes
	status := Status(C.rv8_encode_main(r.ptr, C.size_t(limit), &out, &path, &why))
	return copied(out), Unrepresentable{text(path), text(why)}, status
}

// SendMain encodes the main value into at most limit bytes and sends it. With Syntax, the first answer says what cannot cross.
// The last is false when the supervisor is gone.
func (r *Realm) SendMain(limit int64) (Unrepresentable, Status, bool) {
	var path, why C.rv8_bytes
	var sent C.bool
	status := Status(C.rv8_send_main(r.ptr, C.size_t(limit), &path, &why, &sent))
	return Unrepresentable{text(path), text(why)}, status, bool(sent)
}
