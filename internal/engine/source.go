package engine

import (
	"strings"
	"unicode/utf8"

	"realm.internal/supervisor/internal/engine/erase"
)

// userSource is the text that the user wrote, and where its lines are.
type userSource struct {
	name, text string
}

// badSource says why bytes are no source text, and where.
type badSource struct {
	message      string
	line, column int
}

func newUserSource(name string, b []byte) (userSource, *badSource) {
	text := strings.TrimPrefix(string(b), "\ufeff")
	if strings.HasPrefix(text, "#!") {
		text = "//" + text[2:] // what is put around the text of some forms would come before it
	}
	if utf8.ValidString(text) {
		return userSource{name: name, text: text}, nil
	}
	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	line, begin := lastLine(text[:at])
	return userSource{}, &badSource{"the source is not valid UTF-8", line, 1 + utf8.RuneCountInString(text[begin:at])}
}

// lastLine returns the number of the text's last line and where it begins. Lines end where JavaScript ends them.
func lastLine(text string) (line, begin int) {
	line = 1
	for i := 0; i < len(text); i++ {
		end := 0
		switch text[i] {
		case '\n':
			end = 1
		case '\r':
			if end = 1; strings.HasPrefix(text[i+1:], "\n") {
				end = 2
			}
		case "\u2028"[0]:
			if strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029") {
				end = len("\u2028")
			}
		}
		if end > 0 {
			i += end - 1
			line, begin = line+1, i+1
		}
	}
	return line, begin
}

// clamp moves a position behind the end, as a syntax error at a wrapper's closing brace has it, to the end.
func (s userSource) clamp(line, column int) (int, int) {
	last, begin := lastLine(s.text)
	if line < last || line == 0 {
		return line, max(column, 0)
	}
	length := utf16Length(s.text[begin:])
	if line > last || column > length+1 {
		return last, length + 1
	}
	return line, max(column, 1)
}

// javascript reports whether a file's ending says that it is JavaScript, whatever else its text could mean.
func javascript(ext string) bool { return ext == ".js" || ext == ".mjs" || ext == ".cjs" }

// typescript reports whether a file's ending says that it is TypeScript.
func typescript(ext string) bool { return ext == ".ts" || ext == ".mts" || ext == ".cts" }

// generic reports whether the text may hold type arguments that are also an expression, as in new Set<string>(list): as
// JavaScript that compiles, and means something else. What is likely enough is looked at closely: HTML in templates is none.
func (s userSource) generic() bool {
	for rest := s.text; ; {
		at := strings.IndexByte(rest, '>')
		if at < 0 {
			return false
		}
		before, after := rest[:at], strings.TrimLeft(rest[at+1:], " \t")
		rest = rest[at+1:]
		if after == "" || strings.HasSuffix(before, "=") || !strings.ContainsAny(after[:1], "(`/\r\n") && !strings.HasPrefix(after, "as") &&
			!strings.HasPrefix(after, "satisfies") {
			continue
		}
		if strings.IndexByte(s.text[:len(s.text)-len(rest)], '<') >= 0 {
			return erase.Ambiguous(s.text)
		}
	}
}

// utf16Length counts UTF-16 units, as columns do.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
