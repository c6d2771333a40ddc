package supervisor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"realm.internal/supervisor/pkg/grants"
)

// Observation is what an agent loop feeds back to its model.
type Observation struct {
	Status          string          `json:"status"` // SUCCESS or FAILURE
	Data            json.RawMessage `json:"data,omitempty"`
	ErrorDiagnostic string          `json:"errorDiagnostic,omitempty"`
	// ReflectionPrompt says in a few lines what failed, where, under which limits
	// and grants, and what to change. It is bounded to MaxPromptBytes, holds no
	// secrets, and fences what the guest wrote.
	ReflectionPrompt string `json:"reflectionPrompt,omitempty"`
}

// MaxPromptBytes bounds a reflection prompt. Its parts are bounded so that it is
// never cut in the middle.
const MaxPromptBytes = 12 << 10

// Bounds of the parts.
const (
	maxDiagnosticBytes = 1 << 10
	maxPartBytes       = 1 << 10
	maxPartLines       = 16
	maxOutputLines     = 8
	maxFrames          = 5
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
	return Observation{
		Status:           "FAILURE",
		ErrorDiagnostic:  cut(clean(r.concealed(diagnostic(r.err))), maxDiagnosticBytes),
		ReflectionPrompt: r.reflection(r.err),
	}
}

// concealed replaces secrets; what is cut afterwards has no half of one.
func (r *Result) concealed(text string) string {
	if r.conceal == nil {
		return text
	}
	return r.conceal(text)
}

func diagnostic(e *Error) string {
	text := e.Message
	if e.Name != "" {
		text = e.Name + ": " + text
	}
	if e.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	}
	return string(e.Code) + ": " + text
}

func (r *Result) reflection(e *Error) string {
	var b strings.Builder
	part := func(title, text string) { fence(&b, title, r.concealed(text)) }
	fmt.Fprintf(&b, "The code did not finish: %s in phase %s after %d ms.\n", e.Code, e.Phase, r.Stats.WallMs)
	part("Error", diagnostic(e))
	part("Where", CodeFrame(r.source, e.Line, e.Column))
	part("Called from", frames(e.Stack))
	part("It says too", strings.Join(e.Details(), "\n"))
	part("Hint", e.Hint)
	part("Still waiting for", strings.Join(e.Pending, "\n"))
	part("Last output", r.lastOutput())
	fmt.Fprintf(&b, "Operations done before: %d (%d refused). Limits: %d ms, %d MiB heap, %d operations.\n",
		r.Stats.Operations, r.Stats.DeniedOperations, r.limits.WallClockMs, r.limits.MemoryMb, r.limits.MaxOperations)
	fmt.Fprintf(&b, "Granted: %s.\n", cut(clean(granted(r.grants)), maxPartBytes))
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
// forge: each of its lines is indented by a bar. No text leaves no mark.
func fence(b *strings.Builder, title, text string) {
	if text == "" {
		return
	}
	fmt.Fprintf(b, "%s:\n", title)
	lines := 0
	for line := range strings.Lines(cut(clean(text), maxPartBytes)) {
		if lines++; lines > maxPartLines {
			b.WriteString("  | …\n")
			return
		}
		b.WriteString("  | " + strings.TrimRight(line, "\n") + "\n")
	}
}

// clean replaces what a reader does not see and a model may obey: control
// characters, and those that turn or hide text.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == zeroWidthJoiner:
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return '\ufffd'
		}
		return r
	}, s)
}

const zeroWidthJoiner = '\u200d' // of emoji

// granted names what the program was granted, without a value of anything.
func granted(g grants.Grants) string {
	var all []string
	add := func(what string, names []string) {
		if len(names) > 0 {
			all = append(all, what+" "+strings.Join(names, ", "))
		}
	}
	add("read below", g.Filesystem.Read)
	add("write below", g.Filesystem.Write)
	add("requests to", g.Network.Origins)
	add("run", g.Subprocess.Commands)
	add("environment", slices.Sorted(maps.Keys(g.Environment)))
	add("secrets", slices.Sorted(maps.Keys(g.Secrets)))
	add("tools", g.Tools.Allowed)
	add("modules", slices.Sorted(maps.Keys(g.Modules)))
	if len(all) == 0 {
		return "nothing but to compute"
	}
	return strings.Join(all, "; ")
}

// lastOutput is the end of what was printed.
func (r *Result) lastOutput() string {
	var text string
	first := max(0, len(r.Logs)-maxOutputLines)
	for _, l := range r.Logs[first:] {
		text += "[" + l.Level + "] " + cut(r.concealed(l.Message), maxPartBytes/maxOutputLines) + "\n"
	}
	return text
}

// frames are the innermost frames of a stack.
func frames(stack string) string {
	var inner []string
	for line := range strings.Lines(stack) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "at ") && len(inner) < maxFrames {
			inner = append(inner, line)
		}
	}
	return strings.Join(inner, "\n")
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
