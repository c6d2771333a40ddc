package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"realm.internal/supervisor/pkg/supervisor"
)

// failure writes why a run failed: what, where in the source (the text that name
// stands for), and what would help.
func (s *screen) failure(e *supervisor.Error, name, source string) {
	what := e.Message
	if e.Name != "" {
		what = e.Name + ": " + what
	}
	s.write(s.paint(red, "error "+string(e.Code)) + " " + s.text(what) + "\n")
	if frame := supervisor.CodeFrame(source, e.Line, e.Column); frame != "" {
		s.painted(faint, fmt.Sprintf("  --> %s:%d:%d", name, e.Line, max(e.Column, 1)))
		for line := range strings.Lines(frame) {
			s.line("  " + strings.TrimSuffix(line, "\n"))
		}
	}
	for _, at := range stackLines(e.Stack) {
		s.painted(faint, "    "+at)
	}
	s.detail("capability", e.Capability)
	s.detail("target", e.Target)
	s.details(e)
	for _, p := range e.Pending {
		s.detail("waited for", p)
	}
	s.detail("hint", e.Hint)
}

// details writes what a thrown error says beside its message.
func (s *screen) details(e *supervisor.Error) {
	lines := e.Details()
	if lines == nil { // another process's error, whose value is not here
		s.detail("cause", causeText(e.Cause))
	}
	for _, line := range lines {
		name, text, _ := strings.Cut(line, ": ")
		s.detail(name, text)
	}
}

// causeText says an error's cause in a line: its name and message when it is an
// error itself, else its JSON.
func causeText(cause json.RawMessage) string {
	var thrown struct {
		Type  string `json:"$type"`
		Value struct{ Name, Message string }
	}
	if json.Unmarshal(cause, &thrown) == nil && thrown.Type == "error" {
		return thrown.Value.Name + ": " + thrown.Value.Message
	}
	var text string
	if json.Unmarshal(cause, &text) == nil {
		return text
	}
	return string(cause)
}

// detail writes one line: what a guest named must not look like a line of ours.
func (s *screen) detail(name, text string) {
	if text != "" {
		s.write("  " + s.paint(bold, name+": ") + s.text(strings.ReplaceAll(text, "\n", `\n`)) + "\n")
	}
}

// stackLines returns the frames of a stack, without the message before them.
func stackLines(stack string) []string {
	var frames []string
	for line := range strings.Lines(stack) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "at ") {
			frames = append(frames, line)
		}
	}
	return frames
}
