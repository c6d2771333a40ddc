package supervisor

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"realm.internal/supervisor/internal/broker"
	"realm.internal/supervisor/internal/confine"
	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

// stopped is the error of a run that the supervisor ended; f is what the realm
// could still say.
func stopped(why *stop, f *rpc.Failure) *Error {
	e := &Error{Code: why.code, Phase: "run", Message: why.message, wrapped: why.cause}
	if f == nil {
		if why.code == CodeTimeout {
			e.Message += "; the engine did not answer and was killed"
		}
		return e
	}
	if f.Code == string(CodeTimeout) || f.Code == string(CodeAborted) {
		e.Phase, e.Stack, e.Pending = phase(f.Phase), f.Stack, pending(f)
		e.Line, e.Column = int(f.Line), int(f.Column)
	}
	return e
}

// maxCauseBytes is up to which length of a thrown error, on the wire, the text
// of its cause is made. Thrown holds the cause in any case.
const maxCauseBytes = 256 << 10

// guestFailure is the error that the realm reported.
func guestFailure(f *rpc.Failure) *Error {
	e := &Error{
		Code: Code(f.Code), Name: f.Name, Message: f.Message, Stack: f.Stack,
		Line: int(f.Line), Column: int(f.Column), Phase: phase(f.Phase),
		Capability: f.Capability, Target: f.Target, Hint: f.Hint, Pending: pending(f),
	}
	switch e.Code {
	case CodeRuntime, CodeValidation, CodeDenied, CodeOOM, CodeDeadlock:
	default: // a limit or an abort is the supervisor's to declare
		return crashed(fmt.Sprintf("the realm reported a failure of code %.20q", f.Code), nil)
	}
	if len(f.Thrown) == 0 {
		return e
	}
	thrown, err := value.Decode(f.Thrown, value.Limits{})
	if err != nil {
		return crashed("the realm reported a thrown value that is no value", err)
	}
	e.Thrown = thrown
	if t, ok := thrown.(*value.Error); ok && t.Cause != nil && len(f.Thrown) <= maxCauseBytes {
		if text, err := value.MarshalJSON(t.Cause); err == nil {
			e.Cause = text
		}
	}
	return e
}

// maxPending is how many of the operations that a run waited for are named.
const maxPending = 100

func pending(f *rpc.Failure) []string { return f.Pending[:min(len(f.Pending), maxPending)] }

func phase(p string) string {
	switch p {
	case "compile", "run", "serialize":
		return p
	}
	return "run"
}

// brokenRealm is the error of a realm that ended without a result.
func brokenRealm(err error, fig confine.Figures) *Error {
	exit := fig.Exit
	switch {
	case fig.OOMKills > 0 || exit.Code == confine.ExitOOM:
		return &Error{Code: CodeOOM, Phase: "run", Message: "the realm used more memory than its limit",
			Hint: "hold less at once; resources: {memoryMb} raises the limit of V8's heap, {realmMemoryMb} that of the whole realm", wrapped: err}
	case errors.Is(err, broker.ErrProtocol):
		return crashed("the realm broke the protocol and was killed", err)
	case !errors.Is(err, io.EOF):
		return failure(CodeInternal, err, "%v", err)
	case exit.Signal == unix.SIGSYS:
		return crashed("the realm was killed for a forbidden system call", err)
	case exit.Code == confine.ExitFatal:
		return crashed("the engine gave up: "+fig.Stderr, err)
	case exit.Signal == unix.SIGKILL && !exit.Lost: // ours, when it had not ended by itself
		return crashed("the realm closed its pipe and was killed, or was killed from outside", err)
	}
	return crashed("the realm ended unexpectedly ("+fig.Describe()+")", err)
}

func crashed(message string, cause error) *Error {
	e := &Error{Code: CodeCrashed, Phase: "run", Message: message, wrapped: cause}
	if cause != nil && !errors.Is(cause, io.EOF) {
		e.Message += ": " + cause.Error()
	}
	return e
}
