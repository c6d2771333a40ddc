package engine

import (
	"fmt"
	"strings"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// Codes and phases of a Failure.
const (
	codeRuntime    = "RUNTIME"
	codeValidation = "VALIDATION"
	codeDenied     = "DENIED"
	codeTimeout    = "TIMEOUT"
	codeMemory     = "OOM"
	codeDeadlock   = "DEADLOCK"
	codeAborted    = "ABORTED"

	phaseCompile   = "compile"
	phaseRun       = "run"
	phaseSerialize = "serialize"
)

// failure shapes what the engine caught.
func (r *run) failure(e v8.Error, code, phase string) *rpc.Failure {
	line, column := r.source.clamp(e.Line, e.Column)
	f := &rpc.Failure{
		Code: code, Phase: phase,
		Name: e.Name, Message: e.Message, Stack: e.Stack,
		Line: int64(line), Column: int64(column),
		Capability: e.Capability, Target: e.Target, Hint: e.Hint,
		Thrown: e.Thrown, HeapBytes: r.engine.realm.HeapUsed(),
	}
	if code == codeRuntime {
		switch {
		case e.Denied:
			f.Code = codeDenied
		case allocationFailed(e):
			f.Code = codeMemory
		}
	}
	if f.Hint == "" {
		f.Hint = hint(e)
	}
	if f.Hint == "" && e.Unhandled {
		f.Hint = unhandled
	}
	return f
}

// allocationFailed knows the errors by which V8 says that memory outside its heap is exhausted.
func allocationFailed(e v8.Error) bool {
	return e.IsError && e.Name == "RangeError" &&
		(strings.HasPrefix(e.Message, "Array buffer allocation failed") || strings.Contains(e.Message, "could not allocate memory"))
}

// thrown is the failure of what the running guest threw.
func (r *run) thrown() *rpc.Failure { return r.threw(phaseRun) }

func (r *run) threw(phase string) *rpc.Failure {
	e := r.engine.realm.Error()
	if r.engine.realm.Stopped() != v8.Running { // in a getter of what was thrown
		return r.stopped(phase)
	}
	if e.Line == 0 && !e.IsError && r.alone {
		e.Line, e.Column = r.source.throwPlace(e)
	}
	return r.failure(e, codeRuntime, phase)
}

// stopped is the failure of a run that was stopped from outside, or by its heap.
func (r *run) stopped(phase string) *rpc.Failure {
	realm := r.engine.realm
	f := &rpc.Failure{Phase: phase, HeapBytes: realm.HeapUsed(), Pending: realm.PendingCalls()}
	stack, line, column := realm.InterruptStack()
	line, column = r.source.clamp(line, column)
	f.Line, f.Column = int64(line), int64(column)
	if stack == "" {
		f.Pending = append(f.Pending, r.timers()...)
	}
	switch realm.Stopped() {
	case v8.HeapFull:
		f.Code, f.Name, f.Message = codeMemory, "RangeError", fmt.Sprintf("the heap's limit of %d MB is exhausted", r.heapMb)
	case v8.Deadline:
		f.Code, f.Name, f.Message = codeTimeout, "TimeoutError", "the time limit is exceeded"
		if stack == "" && len(f.Pending) > 0 {
			f.Message += " while waiting for " + strings.Join(f.Pending, ", ")
		}
	default:
		f.Code, f.Name, f.Message = codeAborted, "SandboxAbortedError", "the run was aborted"
		if stack == "" {
			realm.WindUp(f.Message)
		}
	}
	if stack != "" {
		f.Stack = f.Name + ": " + f.Message + "\n" + stack
	}
	return f
}

// timers tells what is armed, if anything: a run that waits may wait for it.
func (r *run) timers() []string {
	switch n, next := r.engine.realm.Timers(); n {
	case 0:
		return nil
	case 1:
		return []string{fmt.Sprintf("a timer due in %.0f ms", next)}
	default:
		return []string{fmt.Sprintf("%d timers, the next due in %.0f ms", n, next)}
	}
}

func (r *run) deadlock() *rpc.Failure {
	return &rpc.Failure{
		Code: codeDeadlock, Phase: phaseRun, Name: "DeadlockError",
		Message:   "the program waits for a promise that nothing can settle: no operation, timer or engine task is pending",
		HeapBytes: r.engine.realm.HeapUsed(),
	}
}

func (r *run) unrepresentable(u v8.Unrepresentable) *rpc.Failure {
	message, hint := fmt.Sprintf("%s cannot cross: %s", u.Path, u.Reason), ""
	if strings.HasPrefix(u.Reason, "larger than") {
		message = fmt.Sprintf("the result is %s, the limit maxResultBytes, which it reaches at %s", u.Reason, u.Path)
		hint = "return less, such as a summary, or write it to a file; resources: {maxResultBytes} raises the limit"
	}
	if u.Path == "result" && strings.HasPrefix(u.Reason, "a function") {
		hint = "the program's value is a function that nobody called: call it, or export it as the default"
	}
	return &rpc.Failure{
		Hint: hint,
		Code: codeValidation, Phase: phaseSerialize, Name: "TypeError",
		Message:   message,
		HeapBytes: r.engine.realm.HeapUsed(),
	}
}
