package supervisor

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

const (
	frameBefore = 2  // lines shown before the one that a code frame points at
	frameSide   = 80 // characters shown on each side of the column
)

// CodeFrame shows line of source, the lines before it, and a caret under column;
// "" when the line does not exist. Both count from 1, columns in UTF-16 units, as
// JavaScript does. The text is the guest's: escape it for a terminal.
func CodeFrame(source string, line, column int) string {
	lines := sourceLines(source)
	if line < 1 || line > len(lines) {
		return ""
	}
	var b strings.Builder
	width := len(fmt.Sprint(line))
	for n := max(1, line-frameBefore); n <= line; n++ {
		before, after := splitAt(lines[n-1], column)
		fmt.Fprintf(&b, "%*d | %s%s\n", width, n, before, after)
		if n == line && column > 0 {
			fmt.Fprintf(&b, "%*s | %s^\n", width, "", blank(before))
		}
	}
	return b.String()
}

// sourceLines splits where JavaScript does.
func sourceLines(source string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n").Replace(source), "\n")
}

// splitAt cuts a line before a column and shortens both halves, so that a
// minified file shows what is around the column.
func splitAt(line string, column int) (before, after string) {
	units, at := 1, len(line)
	for i, r := range line {
		if units >= column {
			at = i
			break
		}
		units += utf16.RuneLen(r)
	}
	left, right := []rune(line[:at]), []rune(line[at:])
	if over := len(left) - frameSide; over > 0 {
		left = append([]rune{'…'}, left[over:]...)
	}
	if len(right) > frameSide {
		right = append(right[:frameSide:frameSide], '…')
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
