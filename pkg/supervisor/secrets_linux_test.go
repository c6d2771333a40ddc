package supervisor_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

const canary = "canary-7f3a91-value"

// Case E1
func TestTheSupervisorsEnvironmentIsNowhere(t *testing.T) {
	t.Setenv("E2E_CANARY", canary)
	s := supervise(t, supervisor.Config{MaxConcurrent: 2}) // its spawner is started with the variable set
	g := granted(grants.Grants{Subprocess: grants.Subprocess{Commands: []string{"/usr/bin/env", "/bin/cat", "/bin/sh"}, Environment: map[string]string{"LANG": "C"}}})
	for _, c := range []struct{ path, args, want string }{
		{"/usr/bin/env", `[]`, "LANG=C\n"},
		{"/bin/cat", `['/proc/1/environ']`, ""},
		{"/bin/sh", `['-c', 'cat /proc/*/environ 2>/dev/null; ls /proc/1/fd; env']`, ""},
	} {
		res, err := runIn(t, s, `const { spawn } = await import('realm:capabilities'); const r = await spawn('`+c.path+`', `+c.args+`); r.stdout + r.stderr`, g)
		text := fmt.Sprint(res.Value)
		if err != nil || strings.Contains(text, "canary") || strings.Contains(text, "E2E_") || c.want != "" && text != c.want {
			t.Errorf("%s: %q, %v", c.path, text, err)
		}
	}
	_, err := runIn(t, s, `const { environment } = await import('realm:capabilities'); await environment('E2E_CANARY')`)
	failed(t, supervisor.ErrDenied, err)
	if _, err := runIn(t, s, `JSON.stringify([...Object.getOwnPropertyNames(globalThis)]).includes('canary') && undefinedThing`); err != nil {
		t.Error(err)
	}
	// The realm's own environment, as the kernel shows it.
	session, err := s.Submit(t.Context(), supervisor.Request{Source: `reportStatus('a', 'b'); for (;;);`})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for e := range session.Events() {
		if e.Type != supervisor.EventStatus {
			break
		}
		for _, p := range called(descendants(t, os.Getpid()), "realm") {
			environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.pid))
			if err == nil {
				seen++
			}
			if bytes.Contains(environ, []byte("canary")) {
				t.Errorf("the realm's environment is %q", environ)
			}
		}
		session.Abort()
	}
	if os.Geteuid() == 0 && seen == 0 { // nobody else may look
		t.Error("no realm's environment was seen")
	}
}

// Case E2
func TestSecretsLeaveByNoDoor(t *testing.T) {
	var log bytes.Buffer
	var lines bytes.Buffer
	s := supervise(t, supervisor.Config{Audit: audit.NewWriter(&lines), Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	t.Setenv("E2E_SECRET", canary)
	g := granted(grants.Grants{
		Secrets:    map[string]grants.Secret{"S": {FromEnv: "E2E_SECRET"}, "N": {Value: "12345678"}},
		Filesystem: grants.Filesystem{Read: []string{t.TempDir()}},
		Resources:  grants.Resources{WallClockMs: 2000},
	})
	read := `const { secret, readText, request, reportStatus } = await import('realm:capabilities'); const s = await secret('S'); `
	for _, source := range []string{
		`throw new Error('leaks ' + s)`,
		`throw s`,
		`throw {deep: [s], [s]: 1}`,
		`throw new Error('x', {cause: new Error(s)})`,
		`throw new Error(s, {cause: {account: 9123456780}})`,
		`const e = new Error('x'); e.name = s; e.stack = 'at ' + s; e.field = s; throw e`,
		`console.log(s, {s}, btoa(s)); console.error([...s].join('')); throw 1`,
		`await readText('/' + s)`,
		`await import(s)`,
		`await secret(s)`,
		`await request(s, {s})`,
		`new Function(s + '!')()`,
		`reportStatus(s, s); globalThis[s]()`,
		`console.log(s); for (;;);`,
	} {
		res, err := runIn(t, s, read+source, g)
		if err == nil {
			t.Errorf("%s: no error", source)
			continue
		}
		e := supervisor.AsError(err)
		whole, merr := json.Marshal([]any{e, res.Logs, res.Audit, res.Observation(), res.Receipt})
		if merr != nil {
			t.Fatal(merr)
		}
		text := string(whole) + fmt.Sprintf("%v %+v %v", err, e, e.Thrown)
		for name, form := range map[string]string{"raw": canary, "base64": base64.StdEncoding.EncodeToString([]byte(canary)), "hex": hex.EncodeToString([]byte(canary))} {
			if strings.Contains(text, form) {
				t.Errorf("%s: the secret (%s) is in %s", source, name, around(text, form))
			}
		}
	}
	for name, text := range map[string]string{"audit": lines.String(), "log": log.String()} {
		if strings.Contains(text, canary) {
			t.Errorf("the secret is in the %s: %s", name, around(text, canary))
		}
	}
	// What the guest may read, it may return.
	if res, err := runIn(t, s, read+`s`, g); err != nil || res.Value != canary {
		t.Errorf("%v, %v", res.Value, err)
	}
}

// Whoever has taken a realm can make a secret the engine's last words, which are part of the error.
//
// Case E2
func TestTheLastWordsOfARealmHoldNoSecret(t *testing.T) {
	var records, log bytes.Buffer
	s := supervise(t, supervisor.Config{
		RealmPath: hostileRealm(t), MaxConcurrent: 2, Audit: audit.NewWriter(&records),
		Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	res, err := runIn(t, s, "a secret for last words", granted(grants.Grants{Secrets: map[string]grants.Secret{"S": {Value: canary}}}))
	e := failed(t, supervisor.ErrCrashed, err)
	contains(t, e.Message, "the engine gave up: my last words")
	whole, err := json.Marshal([]any{e, res.Logs, res.Audit, res.Observation()})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"error": fmt.Sprintf("%s %+v", whole, e), "audit": records.String(), "log": log.String()} {
		if strings.Contains(text, canary) {
			t.Errorf("the secret is in the %s: %s", name, around(text, canary))
		}
	}
}

func around(text, part string) string {
	i := strings.Index(text, part)
	return text[max(0, i-60):min(len(text), i+len(part)+20)]
}

func TestAnInjectedSecretReachesItsOriginOnly(t *testing.T) {
	t.Parallel()
	var got, other string
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) { other = r.Header.Get("Authorization") })
	long := "/" + strings.Repeat("p", 230-len(elsewhere.URL))
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		w.Header().Set("X-Echo", got)
		if r.URL.Path == "/away" {
			http.Redirect(w, r, elsewhere.URL, http.StatusFound)
			return
		}
		if r.URL.Path == "/telling" { // the text of a denial is cut in the middle of what was sent
			http.Redirect(w, r, "http://127.0.0.1:1"+long+strings.TrimPrefix(got, "Bearer ")+strings.Repeat("p", 3000), http.StatusFound)
			return
		}
		_, _ = io.WriteString(w, "you sent "+got+" "+base64.StdEncoding.EncodeToString([]byte(canary)))
	})
	g := granted(grants.Grants{
		Secrets: map[string]grants.Secret{"TOKEN": {Value: canary}},
		Network: grants.Network{Origins: []string{s.URL, elsewhere.URL}, Inject: []grants.Injection{{Origin: s.URL, Header: "Authorization", Secret: "TOKEN", Prefix: "Bearer "}}},
	})
	fails(t, supervisor.ErrDenied, fetching+`export default url => fetchText(url, {headers: {authorization: 'mine'}})`, g, args(s.URL))
	res := succeed(t, fetching+`export default async url => { const r = await fetchText(url); console.log(r.body); return JSON.stringify(r) }`, g, args(s.URL))
	if got != "Bearer "+canary {
		t.Errorf("the origin got %q", got)
	}
	whole := fmt.Sprint(res.Value, res.Logs)
	if strings.Contains(whole, canary) || strings.Contains(whole, base64.StdEncoding.EncodeToString([]byte(canary))) {
		t.Errorf("the guest saw %s", whole)
	}
	res = succeed(t, fetching+`export default url => fetchText(url)`, g, args(s.URL+"/away"))
	if other != "" {
		t.Errorf("another origin got %q", other)
	}
	if used := res.Audit[2]; used.Outcome != audit.Used || used.Reason != "answered by "+elsewhere.URL {
		t.Errorf("who answered is not recorded: %+v", used)
	}
	res, e := fails(t, supervisor.ErrDenied, fetching+`export default url => fetchText(url)`, g, args(s.URL+"/telling"))
	if told := fmt.Sprint(e, res.Audit); strings.Contains(told, canary[:8]) || !strings.Contains(told, "[redacted:TOKEN]") {
		t.Errorf("a refused redirect tells %s", told)
	}
	if r := res.Audit[2]; r.Outcome != audit.Denied || !strings.Contains(r.Reason, "http://127.0.0.1:1/p") || !strings.Contains(r.Reason, "the origin is not granted") {
		t.Errorf("where it led is not recorded: %+v", r)
	}
	_, e = fails(t, supervisor.ErrDenied, `const { secret } = await import('realm:capabilities'); await secret('TOKEN')`, g)
	if e.Capability != "secret" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
}

// Case E3
func TestLoaderVariablesAreRefusedWhenTheyAreGranted(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GLIBC_TUNABLES", "BASH_ENV", "PYTHONPATH"} {
		_, err := run(t, `1`, granted(grants.Grants{Subprocess: grants.Subprocess{Commands: []string{"/bin/true"}, Environment: map[string]string{name: "/tmp/x.so"}}}))
		if name == "BASH_ENV" || name == "PYTHONPATH" {
			continue // the command's own business unless the list says otherwise
		}
		contains(t, failed(t, supervisor.ErrInvalid, err).Message, name)
	}
}

func TestCommandsRunInTheirJail(t *testing.T) {
	t.Parallel()
	g := granted(grants.Grants{Subprocess: grants.Subprocess{Commands: []string{"/bin/sh", "/usr/bin/sort", "/bin/cat"}}})
	spawn := "import { spawn } from 'realm:capabilities';\n"
	yields(t, `[0,null,"a\nb\n",""]`, spawn+`export default async () => { const r = await spawn('/usr/bin/sort', [], {stdin: 'b\na\n'}); return [r.code, r.signal, r.stdout, r.stderr] }`, g)
	yields(t, `[3,"out\n","err\n"]`, spawn+`export default async () => { const r = await spawn('/bin/sh', ['-c', 'echo out; echo err >&2; exit 3']); return [r.code, r.stdout, r.stderr] }`, g)
	yields(t, `"SIGKILL"`, spawn+`export default async () => (await spawn('/bin/sh', ['-c', 'kill -9 $$'])).signal`, g)
	// Case E6
	yields(t, `[false,"",false]`, spawn+`export default async () => {
		const r = await spawn('/bin/cat', ['/etc/shadow', '/root/.profile']), p = await spawn('/bin/cat', ['/etc/passwd']);
		return [r.code === 0, r.stdout, p.stdout.includes('root:')];
	}`, g)
	// Case E4
	res := succeed(t, spawn+`export default async () => (await spawn('/bin/sh', ['-c', '(sleep 100 &) ; exit 0'])).code`, g)
	if res.Value != 0.0 {
		t.Errorf("code %v", res.Value)
	}
	_, e := fails(t, supervisor.ErrDenied, spawn+`export default () => spawn('/bin/ls', [])`, g)
	if e.Capability != "subprocess" || e.Target != "/bin/ls" {
		t.Errorf("%+v", e)
	}
	_, e = fails(t, supervisor.ErrDenied, spawn+`export default () => spawn('/bin/sh', ['-c', 'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done'])`, g, limited(supervisor.Limits{MaxProcessOutputBytes: 4096}))
	if e.Capability != "resource.bytes" {
		t.Errorf("%+v", e)
	}
	fails(t, supervisor.ErrTimeout, spawn+`export default () => spawn('/bin/sh', ['-c', 'sleep 100'])`, g, limited(supervisor.Limits{WallClockMs: 500}))
	// Case E5
	succeed(t, spawn+`export default async () => (await spawn('/bin/sh', ['-c', 'f() { f | f & }; f; sleep 0.2'])).code`, g, limited(supervisor.Limits{MaxPids: 16}))
}
