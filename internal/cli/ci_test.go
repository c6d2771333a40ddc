package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"realm.internal/supervisor/pkg/supervisor"
)

// obeys lists what runners take for commands in a log: GitHub's of either kind,
// also Azure's and TeamCity's, and GitLab's sections.
func obeys(log string) (commands []string) {
	for line := range strings.FieldsFuncSeq(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		trimmed := strings.TrimFunc(line, unicode.IsSpace)
		if strings.HasPrefix(trimmed, "::") && strings.Contains(trimmed[2:], "::") {
			name, _, _ := strings.Cut(trimmed[2:], "::")
			name, _, _ = strings.Cut(name, " ")
			commands = append(commands, name)
		} else if at := strings.Index(line, "##"); at >= 0 {
			commands = append(commands, line[at:])
		}
	}
	return append(commands, regexp.MustCompile(`section_(start|end):\d+:[a-zA-Z0-9_.-]+(\[[^\]]*\])?\r\x1b\[0K`).FindAllString(log, -1)...)
}

// hostile is said by every part of a guest that can speak, in pieces too.
const hostile = `
const lines = ["::error::x", "  ::add-mask::y", "\u3000::stop-commands::z", "x\r::error::cr", "\r\n::error::crlf", "\u2028::error::ls", "\x85::error::nel", "##[error]v1", "###vso[task.setvariable variable=x]y",
	"##teamcity[buildStop]", "\x1b[0Ksection_end:1:x\r\x1b[0K", "section_start:1:y[collapsed=true]\r\x1b[0Kz", "\ufeff::error::bom", "\0::error::nul", "a\n::error::later"];
for (const line of lines) for (const say of [console.log, console.error, console.warn, console.debug]) say(line);
for (const line of lines) { console.log(line.slice(0, 1)); console.log(line.slice(1)); reportStatus(line.slice(0, 2), line.slice(2)); reportStatus("", line); }
`

// ciRun runs a source as a step of a job with these variables.
func ciRun(t *testing.T, source string, env map[string]string, flags ...string) (out, err string, code int) {
	t.Helper()
	realm, lookup := os.Getenv("SUPERVISOR_REALM"), os.LookupEnv
	if realm == "" {
		t.Setenv("SUPERVISOR_REALM", "../../bin/realm")
	}
	file := filepath.Join(t.TempDir(), "guest.ts")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr strings.Builder
	code = Main(append([]string{"run", "--ci", "--timeout", "20s", file}, flags...), Host{
		In: strings.NewReader(""), Out: &stdout, Err: &stderr, Exit: func(int) { t.Error("exited") },
		LookupEnv: func(name string) (string, bool) {
			if v, ok := env[name]; ok || strings.HasPrefix(name, "G") || strings.HasPrefix(name, "CI") {
				return v, ok
			}
			return lookup(name)
		},
	})
	return stdout.String(), stderr.String(), code
}

// Covers: T-CI-01, E11
func TestAGuestGivesNoCommandToARunner(t *testing.T) {
	github := map[string]string{"GITHUB_ACTIONS": "true"}
	gitlab := map[string]string{"GITLAB_CI": "true"}
	for claim, c := range map[string]struct {
		env   map[string]string
		end   string // of the source
		flags []string
		want  []string // commands of our own
		code  int
	}{
		"a value, on GitHub":         {github, `export default () => lines.join("\n")`, nil, []string{"group", "endgroup"}, 0},
		"an error, on GitHub":        {github, `throw new Error(lines.join("\n"), {cause: lines})`, nil, []string{"group", "endgroup", "error"}, 1},
		"an error's name, on GitHub": {github, `throw Object.assign(new Error("x"), {name: lines.join("\n"), more: lines})`, nil, []string{"group", "endgroup", "error"}, 1},
		"what is thrown, on GitHub":  {github, `throw lines`, nil, []string{"group", "endgroup", "error"}, 1},
		"a denied path, on GitHub":   {github, `import {readText} from "realm:capabilities"; export default () => readText("/" + lines.join("\n"))`, nil, []string{"group", "endgroup", "error"}, 4},
		"records, on GitHub":         {github, `import {readText} from "realm:capabilities"; export default () => readText("/" + lines.join("\n"))`, []string{"--audit", "-"}, []string{"group", "endgroup", "error"}, 4},
		"a document, on GitHub":      {github, `throw new Error(lines.join("\n"))`, []string{"--json"}, []string{"group", "endgroup", "error"}, 1},
		"events, on GitHub":          {github, `export default () => lines`, []string{"--events"}, []string{"group", "endgroup"}, 0},
		"a value, on GitLab":         {gitlab, `export default () => lines.join("\n")`, nil, []string{"section_start", "section_end"}, 0},
		"an error, on GitLab":        {gitlab, `throw new Error(lines.join("\n"))`, nil, []string{"section_start", "section_end"}, 1},
		"an error, elsewhere":        {nil, `throw new Error(lines.join("\n"))`, nil, nil, 1},
	} {
		t.Run(claim, func(t *testing.T) {
			out, err, code := ciRun(t, hostile+c.end, c.env, c.flags...)
			var got []string
			for _, stream := range []string{out, err} { // a runner reads them apart
				for _, command := range obeys(stream) {
					name, _, _ := strings.Cut(command, ":")
					got = append(got, name)
				}
			}
			if code != c.code || !slices.Equal(got, c.want) {
				t.Errorf("exit %d, want %d; commands %q, want %q\n%s\n%s", code, c.code, got, c.want, out, err)
			}
			sections := 0
			if c.env["GITLAB_CI"] != "" {
				sections = 2
			}
			if strings.Count(out+err, "\r") != sections {
				t.Errorf("%q", out+err)
			}
		})
	}
}

func TestAFailureIsAnnotatedWhereItHappened(t *testing.T) {
	dir := t.TempDir()
	summary := filepath.Join(dir, "summary.md")
	_, log, code := ciRun(t, "// 1\nthrow new Error('50%, a: b')", map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary})
	if code != 1 || !regexp.MustCompile(`(?m)^::error file=\S*guest\.ts,line=2,col=7,title=RUNTIME::Error: 50%25, a: b$`).MatchString(log) {
		t.Errorf("%d %s", code, log)
	}
	text, err := os.ReadFile(summary)
	if err != nil || !strings.Contains(string(text), "guest&#46;ts: RUNTIME") || !strings.Contains(string(text), "| exit status | 1 |") || !strings.Contains(string(text), "layers enforced") || !strings.Contains(string(text), "2 | throw new Error") {
		t.Errorf("%v %s", err, text)
	}
	if _, log, code := ciRun(t, "1", map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": dir}); code != exitInternal || !strings.Contains(log, "summary") {
		t.Errorf("a summary that cannot be written: %d %s", code, log)
	}
	report := filepath.Join(dir, "quality.json")
	for source, want := range map[string]int{"1": 0, "\n\nnull.x": 1} {
		ciRun(t, source, map[string]string{"GITLAB_CI": "true"}, "--ci-report", report)
		var findings []finding
		if text, err = os.ReadFile(report); err == nil {
			err = json.Unmarshal(text, &findings)
		}
		if err != nil || len(findings) != want || want == 1 && (findings[0].Location.Lines.Begin != 3 || findings[0].Fingerprint == "") {
			t.Errorf("%q: %v %s", source, err, text)
		}
	}
}

// Covers: T-CI-01
func TestARunnersFilesAreNoGuests(t *testing.T) {
	dir := t.TempDir()
	env := filepath.Join(dir, "set_env")
	if err := os.WriteFile(env, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, log, code := ciRun(t, "1", map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_ENV": env}, "--write", dir)
	if code != exitInvalid || !strings.Contains(log, "set_env") {
		t.Errorf("%d %s", code, log)
	}
}

func TestThatARunnerCannotEnforceIsOneLine(t *testing.T) {
	missing := &supervisor.Error{Code: supervisor.CodeUnenforceable, Phase: "launch", Message: "isolation layer userns cannot be enforced: clone: operation not permitted", Capability: "userns", Hint: "sysctl\nx=1"}
	for claim, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"GitHub":    {map[string]string{"GITHUB_ACTIONS": "true"}, "::error title=UNENFORCEABLE::this runner cannot enforce userns: clone: operation not permitted; to enable it: sysctl x=1; see docs/CI.md\n"},
		"elsewhere": {nil, "error UNENFORCEABLE this runner cannot enforce userns: clone: operation not permitted; to enable it: sysctl x=1; see docs/CI.md\n"},
	} {
		var log strings.Builder
		h := Host{LookupEnv: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }}
		a := &app{Host: h, out: newScreen(h, &log), err: newScreen(h, &log)}
		err := a.reporter(&runFlags{ci: true, file: "x.js"}).refused(missing)
		if err != status(11) || log.String() != c.want {
			t.Errorf("%s: %v %q", claim, err, log.String())
		}
	}
}

func FuzzAnnotationsAreOneCommand(f *testing.F) {
	f.Add("a\r\n::x::", "b,c:d%")
	f.Fuzz(func(t *testing.T, message, file string) {
		g := &github{}
		line := g.annotate(annotation{level: "error", title: "T", file: file, line: 1, message: message})
		if strings.Count(line, "\n") != 1 || len(obeys(line)) != 1 || strings.Count(line, ",") > 2+strings.Count(message, ",") {
			t.Errorf("%q", line)
		}
		shown := block(message)
		fence := shown[:strings.Index(shown, "\n")]
		if strings.Count(shown, fence) != 2 || strings.ContainsAny(literal(file), "<>|`*_&[]\n") && !strings.Contains(literal(file), "&#") {
			t.Errorf("%q %q", shown, literal(file))
		}
	})
}
