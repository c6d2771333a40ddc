package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Code classifies how a run failed.
type Code string

// The codes of a failed run, and the exit status of the command line.
const (
	CodeRuntime       Code = "RUNTIME"       // 1: uncaught guest error or unhandled rejection
	CodeInvalid       Code = "INVALID"       // 2: the request or its grants are wrong; nothing ran
	CodeValidation    Code = "VALIDATION"    // 3: syntax, import, size or representability of source and result
	CodeDenied        Code = "DENIED"        // 4: an uncaught denial or exhausted limit
	CodeTimeout       Code = "TIMEOUT"       // 5: wall clock or CPU limit
	CodeOOM           Code = "OOM"           // 6: V8 heap, array buffers or the realm's memory limit
	CodeDeadlock      Code = "DEADLOCK"      // 7: waits on a promise that nothing can settle
	CodeCrashed       Code = "CRASHED"       // 8: the realm died otherwise, or broke the protocol
	CodeAborted       Code = "ABORTED"       // 9: the caller aborted; the message has the cause of its context, if that has one
	CodeCapacity      Code = "CAPACITY"      // 10: MaxConcurrent realms are live, or the host is too busy to start one
	CodeUnenforceable Code = "UNENFORCEABLE" // 11: the host cannot enforce a required layer; nothing ran
	CodeInternal      Code = "INTERNAL"      // 70: a fault of the supervisor, or an audit log that cannot be written
)

// Sentinels for errors.Is, one per code.
var (
	ErrRuntime       = sentinel(CodeRuntime)
	ErrInvalid       = sentinel(CodeInvalid)
	ErrValidation    = sentinel(CodeValidation)
	ErrDenied        = sentinel(CodeDenied)
	ErrTimeout       = sentinel(CodeTimeout)
	ErrOOM           = sentinel(CodeOOM)
	ErrDeadlock      = sentinel(CodeDeadlock)
	ErrCrashed       = sentinel(CodeCrashed)
	ErrAborted       = sentinel(CodeAborted)
	ErrCapacity      = sentinel(CodeCapacity)
	ErrUnenforceable = sentinel(CodeUnenforceable)
	ErrInternal      = sentinel(CodeInternal)
)

func sentinel(c Code) error { return &Error{Code: c, Message: strings.ToLower(string(c))} }

// ExitStatus is the status with which the command line ends for this code.
func (c Code) ExitStatus() int {
	switch c {
	case "":
		return 0
	case CodeRuntime:
		return 1
	case CodeInvalid:
		return 2
	case CodeValidation:
		return 3
	case CodeDenied:
		return 4
	case CodeTimeout:
		return 5
	case CodeOOM:
		return 6
	case CodeDeadlock:
		return 7
	case CodeCrashed:
		return 8
	case CodeAborted:
		return 9
	case CodeCapacity:
		return 10
	case CodeUnenforceable:
		return 11
	}
	return 70
}

// Error is why a run failed. Strings that come from the guest are unfiltered
// text: escape them for a terminal.
type Error struct {
	Code Code `json:"code"`
	// Name is the guest error's name, such as TypeError; "" when none was thrown.
	Name    string `json:"name,omitempty"`
	Message string `json:"message"`
	// Stack has the guest's own frames only.
	Stack string `json:"stack,omitempty"`
	// Line and Column are 1-based positions in the source, 0 when unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Phase is launch, compile, run or serialize.
	Phase string `json:"phase,omitempty"`
	// Capability, Target and Hint describe a denial; Capability names the layer
	// of an UNENFORCEABLE one, Hint its fix.
	Capability string `json:"capability,omitempty"`
	Target     string `json:"target,omitempty"`
	Hint       string `json:"hint,omitempty"`
	// Pending lists what was waited for when a wait timed out.
	Pending []string `json:"pending,omitempty"`
	// Cause is the JSON form of the error's cause, if it has one.
	Cause json.RawMessage `json:"cause,omitempty"`
	// Thrown is the decoded value that was thrown, nil when it cannot cross.
	Thrown any `json:"-"`

	wrapped error
}

// Error names the code and the message.
func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.Name != "" {
		text = string(e.Code) + ": " + e.Name + ": " + e.Message
	}
	if e.Hint != "" && e.Code != CodeRuntime {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Is matches the sentinel of the same code.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Unwrap returns the host's own error, if there is one.
func (e *Error) Unwrap() error { return e.wrapped }

// AsError returns err as *Error; any other error is an internal fault.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return failure(CodeInternal, err, "%v", err)
}

// abortion says why ctx was cancelled, where whoever did it gave a cause.
func abortion(ctx context.Context, otherwise string) string {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return "aborted: " + cause.Error()
	}
	return otherwise
}

func failure(c Code, cause error, format string, args ...any) *Error {
	return &Error{Code: c, Phase: "launch", Message: fmt.Sprintf(format, args...), wrapped: cause}
}
