package supervisor

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Observation is what an agent loop feeds back to its model.
type Observation struct {
	Status          string          `json:"status"` // SUCCESS or FAILURE
	Data            json.RawMessage `json:"data,omitempty"`
	ErrorDiagnostic string          `json:"errorDiagnostic,omitempty"`
	// ReflectionPrompt says in a few lines what failed, where, and what to
	// change. It is bounded, holds no secrets, and fences what the guest wrote.
	ReflectionPrompt string `json:"reflectionPrompt,omitempty"`
}

// Bounds of a reflection prompt, in bytes.
const (
	maxDiagnosticBytes = 1 << 10
	maxLogTailBytes    = 1 << 10
)

// Observation describes the run for an agent loop.
func (r *Result) Observation() Observation {
	if r.err == nil {
		data, err := r.ValueJSON()
		if err != nil {
			data = json.RawMessage("null")
		}
		return Observation{Status: "SUCCESS", Data: data}
	}
	e := r.err
	return Observation{Status: "FAILURE", ErrorDiagnostic: diagnostic(e), ReflectionPrompt: r.reflection(e)}
}

func diagnostic(e *Error) string {
	text := e.Message
	if e.Name != "" {
		text = e.Name + ": " + text
	}
	if e.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	}
	return cut(string(e.Code)+": "+text, maxDiagnosticBytes)
}

func (r *Result) reflection(e *Error) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The code did not finish: %s in phase %s after %d ms.\n", e.Code, e.Phase, r.Stats.WallMs)
	fence(&b, "Error", diagnostic(e))
	if frame := CodeFrame(r.source, e.Line, e.Column); frame != "" {
		fence(&b, "Where", frame)
	}
	if e.Hint != "" {
		fence(&b, "Hint", cut(e.Hint, maxDiagnosticBytes))
	}
	if len(e.Pending) > 0 {
		fence(&b, "Still waiting for", cut(strings.Join(e.Pending, "\n"), maxDiagnosticBytes))
	}
	if n := len(r.Logs); n > 0 {
		fence(&b, "Last output", tailOf(r.Logs))
	}
	fmt.Fprintf(&b, "Operations done before: %d (%d refused). Limits: %d ms, %d MiB heap, %d operations.\n",
		r.Stats.Operations, r.Stats.DeniedOperations, r.limits.WallClockMs, r.limits.MemoryMb, r.limits.MaxOperations)
	b.WriteString(advice(e.Code))
	return b.String()
}

func advice(c Code) string {
	switch c {
	case CodeValidation:
		return "Fix the source or the shape of the result; nothing else will change this."
	case CodeDenied:
		return "Do without this operation, or ask for the grant that the hint names; trying again unchanged is refused again."
	case CodeTimeout:
		return "Do less work, or wait for less; the limit stays."
	case CodeOOM:
		return "Hold less data at a time: process it in parts."
	case CodeDeadlock:
		return "A promise is awaited that nothing settles: resolve it, or do not await it."
	case CodeRuntime:
		return "Correct the error at the place shown and send the whole program again."
	}
	return "This is not a fault of the code's logic; the same code may be tried once more."
}

// fence puts text that the guest may have chosen between marks that it cannot
// forge: each of its lines is indented by a bar.
func fence(b *strings.Builder, title, text string) {
	fmt.Fprintf(b, "%s:\n", title)
	for line := range strings.Lines(text) {
		b.WriteString("  | " + strings.TrimRight(clean(line), "\n") + "\n")
	}
}

// clean replaces control characters.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' {
			return '\ufffd'
		}
		return r
	}, s)
}

func tailOf(logs []Log) string {
	var text string
	for i := len(logs) - 1; i >= 0 && len(text) < maxLogTailBytes; i-- {
		text = "[" + logs[i].Level + "] " + cut(logs[i].Message, maxLogTailBytes-len(text)) + "\n" + text
	}
	return text
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
