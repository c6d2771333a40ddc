package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

func TestTerminalIsShownControlsAndNeverSentThem(t *testing.T) {
	for claim, c := range map[string]struct{ in, want string }{
		"plain text stays":              {"héllo\tworld\n日本 😀", "héllo\tworld\n日本 😀"},
		"escape sequences are shown":    {"\x1b]52;c;aGk=\x07", `\x1b]52;c;aGk=\x07`},
		"a carriage return is shown":    {"safe\rrm", `safe\x0drm`},
		"eight-bit controls are shown":  {"a\u009b2Jb", `a\u009b2Jb`},
		"direction changes are shown":   {"a\u202eb\u2066", `a\u202eb\u2066`},
		"invisible letters are shown":   {"a\u200bb\U000e0041", `a\u200bb\u{e0041}`},
		"bytes that are no UTF-8 shown": {"a\xffb\xc3", `a\xffb\xc3`},
		"NUL and delete are shown":      {"\x00\x7f", `\x00\x7f`},
		"a replacement character stays": {"\ufffd", "\ufffd"},
	} {
		if got := visible(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", claim, got, c.want)
		}
	}
}

// Covers: E11
func TestRunnerCommandsAreInert(t *testing.T) {
	for claim, c := range map[string]struct{ in, want string }{
		"plain text stays":            {"a :: b\nc # d", "a :: b\nc # d"},
		"a command at the start":      {"::stop-commands::x", "| ::stop-commands::x"},
		"a command on a later line":   {"a\n  ::set-env::x", "a\n|   ::set-env::x"},
		"a command in the middle":     {"a ##[error]x ##vso[task]", "a # #[error]x # #vso[task]"},
		"many hash signs":             {"#####[x]", "# # # # #[x]"},
		"behind unusual white space":  {"\u00a0\u3000::debug::x", "| \u00a0\u3000::debug::x"},
		"a line that is only a colon": {"::", "| ::"},
	} {
		if got := inert(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", claim, got, c.want)
		}
	}
}

func TestJSONIsEscapedAndMeansTheSame(t *testing.T) {
	text := "##[error] ### \u009b \u202e \U000e0041 \x7f \ufffd :: \r\n plain é"
	var out strings.Builder
	s := &screen{w: &out}
	if err := s.json(map[string]string{"k": text}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "##") || strings.ContainsAny(out.String(), "\u009b\u202e\x7f\r") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("%q", out.String())
	}
	var back map[string]string
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil || back["k"] != text {
		t.Errorf("%v: %q", err, back["k"])
	}
}

func TestLinesFromSeveralPlacesStayWhole(t *testing.T) {
	var out bytes.Buffer
	s := &screen{w: &out}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 2000 {
				s.line("line")
				_ = s.failed()
			}
		})
	}
	all.Wait()
	if got := strings.Count(out.String(), "line\n"); got != 16_000 || out.Len() != 16_000*5 {
		t.Errorf("%d lines, %d bytes", got, out.Len())
	}
}

func noEnv(string) (string, bool) { return "", false }

func TestScreenGuardsTerminalsAndCILogsAlone(t *testing.T) {
	for claim, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"a pipe gets the bytes":        {nil, "\x1b[1m::x\n"},
		"a CI log gets harmless lines": {map[string]string{"CI": "true"}, "\\x1b[1m::x\n"},
		"CI switched off":              {map[string]string{"CI": "false"}, "\x1b[1m::x\n"},
		"GitHub":                       {map[string]string{"GITHUB_ACTIONS": "true"}, "\\x1b[1m::x\n"},
	} {
		var out strings.Builder
		env := func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }
		newScreen(Host{LookupEnv: env}, &out).line("\x1b[1m::x")
		if out.String() != c.want {
			t.Errorf("%s: %q", claim, out.String())
		}
	}
}

func FuzzGuestTextIsHarmless(f *testing.F) {
	f.Add("a\r\n::set-env name=x::y\n\t ::z\x1b[2J###[x]\u2028::\xff")
	f.Add("\u200b::x\n\ufeff##vso[")
	f.Fuzz(func(t *testing.T, text string) {
		shown := inert(visible(text))
		for line := range strings.SplitSeq(shown, "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##") {
				t.Fatalf("a runner obeys %q", line)
			}
		}
		for _, r := range shown {
			if r != '\ufffd' && obeyed(r) {
				t.Fatalf("a terminal obeys %q", shown)
			}
		}
		doc, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var before, after string
		if err := json.Unmarshal(doc, &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(escapeJSON(string(doc))), &after); err != nil || before != after {
			t.Fatalf("%v: %q became %q", err, before, after)
		}
	})
}

func TestAGuestWritesNoLineLikeARecord(t *testing.T) {
	var out strings.Builder
	a := &app{Host: Host{LookupEnv: noEnv, Err: &out}, err: newScreen(Host{LookupEnv: noEnv}, &out)}
	if _, err := a.openSink("-"); err != nil {
		t.Fatal(err)
	}
	a.err.line("{\"seq\":1}\n \t{\"seq\":2}\rx\r{\"seq\":3}\nplain {")
	want := "| {\"seq\":1}\n|  \t{\"seq\":2}\\x0dx\\x0d{\"seq\":3}\nplain {\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
