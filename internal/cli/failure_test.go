package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/supervisor"
)

func failureText(e supervisor.Error, source string) string {
	var out strings.Builder
	newScreen(Host{LookupEnv: noEnv}, &out).failure(&e, "guest.ts", source)
	return out.String()
}

func TestFailureShowsWhereAndWhatHelps(t *testing.T) {
	got := failureText(supervisor.Error{
		Code: supervisor.CodeDenied, Name: "SandboxDeniedError", Message: "read is not granted",
		Stack: "SandboxDeniedError: read is not granted\n    at f (guest.ts:3:7)\n    at guest.ts:5:1",
		Line:  3, Column: 7, Capability: "filesystem.read", Target: "/etc/passwd", Hint: "grant it",
		Pending: []string{"network https://a.example"}, Cause: json.RawMessage(`{"$type":"error","value":{"name":"TypeError","message":"inner"}}`),
	}, "one\r\ntwo\r\n\tlet é = 1\r\nfour")
	want := `error DENIED SandboxDeniedError: read is not granted
  --> guest.ts:3:7
  1 | one
  2 | two
  3 | 	let é = 1
    | 	     ^
    at f (guest.ts:3:7)
    at guest.ts:5:1
  capability: filesystem.read
  target: /etc/passwd
  cause: TypeError: inner
  waited for: network https://a.example
  hint: grant it
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFramePositions(t *testing.T) {
	for claim, c := range map[string]struct {
		source       string
		line, column int
		want         string // the last two lines of the frame
	}{
		"the first character":              {"abc", 1, 1, "  1 | abc\n    | ^\n"},
		"behind the end":                   {"abc", 1, 4, "  1 | abc\n    |    ^\n"},
		"far behind the end":               {"abc", 1, 40, "  1 | abc\n    |    ^\n"},
		"columns count UTF-16 units":       {"'😀'x", 1, 5, "  1 | '😀'x\n    |    ^\n"},
		"separators of JavaScript's lines": {"a\rb\u2028c", 3, 1, "  3 | c\n    | ^\n"},
		"a line that does not exist":       {"a", 2, 1, ""},
		"no column":                        {"a", 1, 0, "  1 | a\n"},
		"a minified line is cut on both sides": {
			strings.Repeat("x", 500) + "!" + strings.Repeat("y", 500), 1, 501,
			"  1 | …" + strings.Repeat("x", 80) + "!" + strings.Repeat("y", 79) + "…\n    | " + strings.Repeat(" ", 81) + "^\n",
		},
	} {
		got := failureText(supervisor.Error{Code: supervisor.CodeRuntime, Message: "m", Line: c.line, Column: c.column}, c.source)
		if c.want == "" && strings.Contains(got, "-->") || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s: got\n%s", claim, got)
		}
	}
}
