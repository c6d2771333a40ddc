package document

import (
	"fmt"
	"strconv"
	"strings"
)

// Problem is one thing that is wrong with a document.
type Problem struct {
	Line    int    // from 1; 0 when the value did not come from a document
	Column  int    // from 1, in characters
	Path    string // where in the document: network.inject[0].header; "" is the whole
	Message string // what is wrong, lower case
	Fix     string // the smallest change that mends it; may be ""
}

// String is the problem on one line.
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "line %d:%d: ", p.Line, p.Column)
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Message)
	if p.Fix != "" {
		b.WriteString("; " + p.Fix)
	}
	return b.String()
}

// Error lists every problem that was found, in the order of the document.
type Error struct{ Problems []Problem }

// Error is one problem a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func single(line, column int, message, fix string) error {
	return &Error{Problems: []Problem{{Line: line, Column: column, Message: message, Fix: fix}}}
}

// Join is the path of key in the mapping at path.
func Join(path, key string) string {
	switch {
	case !plainKey(key):
		return path + "[" + strconv.Quote(shorten(key)) + "]"
	case path == "":
		return key
	}
	return path + "." + key
}

// Index is the path of item i in the list at path.
func Index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// parent is the path of what holds the value at path.
func parent(path string) string {
	if strings.HasSuffix(path, `"]`) {
		if i := strings.LastIndex(path, `["`); i >= 0 {
			return path[:i]
		}
	}
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}

func plainKey(key string) bool {
	for _, c := range []byte(key) {
		if c != '_' && c != '-' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return key != "" && len(key) <= 64
}

func shorten(s string) string {
	if len(s) <= 64 {
		return s
	}
	return strings.ToValidUTF8(s[:64], "") + "…"
}
