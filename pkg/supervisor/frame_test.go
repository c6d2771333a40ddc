package supervisor

import (
	"strings"
	"testing"
)

func TestFramePositions(t *testing.T) {
	for claim, c := range map[string]struct {
		source       string
		line, column int
		want         string
	}{
		"the first character":              {"abc", 1, 1, "1 | abc\n  | ^\n"},
		"behind the end":                   {"abc", 1, 4, "1 | abc\n  |    ^\n"},
		"far behind the end":               {"abc", 1, 1 << 40, "1 | abc\n  |    ^\n"},
		"columns count UTF-16 units":       {"'😀'x", 1, 5, "1 | '😀'x\n  |    ^\n"},
		"tabs keep the caret in its place": {"\tab", 1, 3, "1 | \tab\n  | \t ^\n"},
		"separators of JavaScript's lines": {"a\rb\u2028c", 3, 1, "1 | a\n2 | b\n3 | c\n  | ^\n"},
		"carriage returns are not shown":   {"a\r\nb\r\n", 2, 1, "1 | a\n2 | b\n  | ^\n"},
		"numbers are aligned":              {strings.Repeat("\n", 9) + "x", 10, 0, " 8 | \n 9 | \n10 | x\n"},
		"a line that does not exist":       {"a", 2, 1, ""},
		"no line":                          {"a", 0, 0, ""},
		"no column":                        {"a", 1, 0, "1 | a\n"},
		"a minified line is cut on both sides": {
			strings.Repeat("x", 500) + "!" + strings.Repeat("y", 500), 1, 501,
			"1 | …" + strings.Repeat("x", 80) + "!" + strings.Repeat("y", 79) + "…\n  | " + strings.Repeat(" ", 81) + "^\n",
		},
	} {
		if got := CodeFrame(c.source, c.line, c.column); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", claim, got, c.want)
		}
	}
}
