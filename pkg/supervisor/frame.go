package supervisor

import (
	"fmt"
	"strings"
)

// frameLines stand before and after the line that a code frame points at.
const frameLines = 2

// maxFrameColumns is where a code frame cuts long lines.
const maxFrameColumns = 160

// CodeFrame shows line (1-based) of source with its neighbours and a caret
// under column; "" when the line does not exist. The text is the guest's:
// escape it for a terminal.
func CodeFrame(source string, line, column int) string {
	lines := strings.Split(source, "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	var b strings.Builder
	for n := max(1, line-frameLines); n <= min(len(lines), line+frameLines); n++ {
		text := strings.ReplaceAll(strings.TrimSuffix(lines[n-1], "\r"), "\t", " ")
		skip := 0
		if n == line && column > maxFrameColumns {
			skip = column - maxFrameColumns/2
		}
		text = window(text, skip)
		mark := " "
		if n == line {
			mark = ">"
		}
		fmt.Fprintf(&b, "%s %4d | %s\n", mark, n, text)
		if n == line && column > 0 {
			fmt.Fprintf(&b, "       | %s^\n", strings.Repeat(" ", column-1-skip))
		}
	}
	return b.String()
}

// window is the part of a line that fits, from the rune skip on.
func window(text string, skip int) string {
	runes := []rune(text)
	runes = runes[min(skip, len(runes)):]
	if len(runes) > maxFrameColumns {
		return string(runes[:maxFrameColumns]) + "…"
	}
	return string(runes)
}
