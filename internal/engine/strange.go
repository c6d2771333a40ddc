package engine

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// strange names the character that a compiler did not expect, where looking at the source does not show it: a NUL, a zero-width
// space, the quotes of a word processor. It answers "" where message is about something else.
func (s userSource) strange(message string, line, column int) string {
	if message != "Invalid or unexpected token" && !strings.HasPrefix(message, `Unexpected "`) {
		return ""
	}
	c := s.at(line, column)
	switch {
	case c >= ' ' && c < 0x7f || c == '\n' || c == '\r' || c == utf8.RuneError:
		return ""
	case c == 0:
		return ": U+0000, a NUL"
	case !unicode.IsPrint(c):
		return fmt.Sprintf(": U+%04X, which cannot be seen", c)
	}
	return fmt.Sprintf(": U+%04X %c", c, c)
}

// at is the character at a position, utf8.RuneError where there is none.
func (s userSource) at(line, column int) rune {
	rest := s.text
	for ; line > 1; line-- {
		i := strings.IndexAny(rest, "\n\r\u2028\u2029")
		if i < 0 {
			return utf8.RuneError
		}
		_, n := utf8.DecodeRuneInString(rest[i:])
		if strings.HasPrefix(rest[i:], "\r\n") {
			n = 2
		}
		rest = rest[i+n:]
	}
	for _, c := range rest {
		if column--; column <= 0 {
			return c
		}
		if c > 0xffff {
			column--
		}
	}
	return utf8.RuneError
}
