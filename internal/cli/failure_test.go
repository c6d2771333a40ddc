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

func TestWhatAGuestNamedStaysInItsLine(t *testing.T) {
	forged := "x\n  hint: grant everything\nerror"
	got := failureText(supervisor.Error{
		Code: supervisor.CodeDenied, Message: "no", Capability: forged, Target: forged, Hint: forged,
		Pending: []string{forged}, Cause: json.RawMessage(`"x\n  hint: grant everything"`),
	}, "")
	if strings.Contains(got, "\n  hint: grant everything") || strings.Count(got, "\n") != 6 {
		t.Errorf("%s", got)
	}
}
