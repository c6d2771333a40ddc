package cli

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// visible shows what a terminal would obey: escapes, carriage returns, C1
// controls, direction changes, invisible characters, bytes that are not UTF-8.
// Line ends and tabs stay.
func visible(t string) string {
	if !strings.ContainsFunc(t, obeyed) {
		return t
	}
	var b strings.Builder
	for i := 0; i < len(t); {
		r, size := utf8.DecodeRuneInString(t[i:])
		switch {
		case r == utf8.RuneError && size == 1, obeyed(r) && r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, t[i])
		case obeyed(r) && r > 0xffff:
			fmt.Fprintf(&b, `\u{%x}`, r)
		case obeyed(r) && r != utf8.RuneError:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(t[i : i+size])
		}
		i += size
	}
	return b.String()
}

// obeyed names the characters that change how others are shown. U+FFFD is among
// them because it stands for bytes that are not UTF-8.
func obeyed(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', 0x7f <= r && r <= 0x9f,
		r == 0xad, r == 0x61c, r == 0x180e, r == 0xfeff, r == utf8.RuneError,
		0x200b <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202e,
		0x2060 <= r && r <= 0x206f, 0xfff9 <= r && r <= 0xfffb,
		0xe0000 <= r && r <= 0xe007f:
		return true
	}
	return false
}

// inert keeps a text's lines from being commands of a CI runner: GitHub obeys a
// line that begins with "::", and it, Azure and TeamCity one with "##[" or the
// like anywhere in it.
func inert(t string) string {
	if !strings.Contains(t, "::") && !strings.Contains(t, "##") {
		return t
	}
	lines := strings.Split(t, "\n")
	for i, line := range lines {
		// Runners trim white space of every alphabet; so does TrimSpace.
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			lines[i] = "| " + line
		}
	}
	t = strings.Join(lines, "\n")
	for strings.Contains(t, "##") { // twice for ###
		t = strings.ReplaceAll(t, "##", "# #")
	}
	return t
}

// unlikeRecords keeps a text's lines from being taken for audit records, which are JSON objects.
func unlikeRecords(t string) string {
	if !strings.Contains(t, "{") {
		return t
	}
	lines := strings.Split(t, "\n")
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "{") {
			lines[i] = "| " + line
		}
	}
	return strings.Join(lines, "\n")
}

// escapeJSON does the same to JSON, where all of it can only stand in strings.
func escapeJSON(t string) string {
	if !strings.Contains(t, "##") && !strings.ContainsFunc(t, obeyed) {
		return t
	}
	var b strings.Builder
	for i, r := range t {
		switch {
		case r == '#' && i > 0 && t[i-1] == '#':
			b.WriteString(`\u0023`)
		case r != utf8.RuneError && obeyed(r):
			escapeRune(&b, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func escapeRune(b *strings.Builder, r rune) {
	if r > 0xffff {
		r -= 0x10000
		escapeRune(b, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
