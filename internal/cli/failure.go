package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

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
	if e.Line > 0 && source != "" {
		s.frame(name, source, e.Line, e.Column)
	}
	for _, at := range stackLines(e.Stack) {
		s.painted(faint, "    "+at)
	}
	s.detail("capability", e.Capability)
	s.detail("target", e.Target)
	s.detail("cause", causeText(e.Cause))
	for _, p := range e.Pending {
		s.detail("waited for", p)
	}
	s.detail("hint", e.Hint)
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

func (s *screen) detail(name, text string) {
	if text != "" {
		s.write("  " + s.paint(bold, name+": ") + s.text(text) + "\n")
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

const (
	frameBefore = 2  // lines shown before the one that failed
	frameWidth  = 80 // characters shown on each side of the column
)

// frame shows the source around a position, both counted from 1; column in
// UTF-16 units, as JavaScript counts.
func (s *screen) frame(name, source string, line, column int) {
	lines := sourceLines(source)
	if line > len(lines) {
		return
	}
	s.painted(faint, fmt.Sprintf("  --> %s:%d:%d", name, line, max(column, 1)))
	width := len(fmt.Sprint(line))
	for n := max(1, line-frameBefore); n <= line; n++ {
		before, after := splitAt(lines[n-1], column)
		before, after = s.text(before), s.text(after)
		s.write(s.paint(faint, fmt.Sprintf("  %*d | ", width, n)) + before + after + "\n")
		if n == line && column > 0 {
			s.write(s.paint(faint, fmt.Sprintf("  %*s | ", width, "")) + blank(before) + s.paint(red, "^") + "\n")
		}
	}
}

// sourceLines splits where JavaScript does.
func sourceLines(source string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(source), "\n")
}

// splitAt cuts a line before a column and shortens both halves, so that a
// minified file shows what is around the column.
func splitAt(line string, column int) (before, after string) {
	units := 1
	at := len(line)
	for i, r := range line {
		if units >= column {
			at = i
			break
		}
		units += utf16.RuneLen(r)
	}
	left, right := []rune(line[:at]), []rune(line[at:])
	if over := len(left) - frameWidth; over > 0 {
		left = append([]rune{'…'}, left[over:]...)
	}
	if len(right) > frameWidth {
		right = append(right[:frameWidth:frameWidth], '…')
	}
	return string(left), string(right)
}

// blank is as wide as text.
func blank(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, text)
}
