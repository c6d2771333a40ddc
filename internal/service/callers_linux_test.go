package service

import (
	"os"
	"strings"
	"testing"
)

const (
	lesserUser = 64001 // uids that nobody has
	groupUser  = 64002
	otherUser  = 64003
	someGroup  = 64100
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("taking other uids needs root; make test-kernel runs as root")
	}
}

// Two callers with different profiles at once: the lesser one reaches nothing of the other's.
//
// Covers: T-LOC-01
func TestCallersHaveNothingOfEachOther(t *testing.T) {
	needRoot(t)
	r := serve(t, `version: 1
ceilings: {environment: {WHO: "*"}, tools: {allowed: [ask]}}
profiles:
  great: {environment: {WHO: great}, tools: {allowed: [ask]}}
  small: {environment: {WHO: small}}
  grouped: {environment: {WHO: grouped}}
callers:
  - {uid: ME, profiles: [great], grants: true}
  - {uid: 64001, profiles: [small]}
  - {gid: 64100, profiles: [grouped]}
audit: [{file: DIR/audit.log}]
`)
	who := `import {environment} from "realm:capabilities"; export default () => environment("WHO")`
	live := r.live(js(map[string]any{"requestId": "same", "profile": "great", "source": "await dataProxy.request('ask', 1)"}))
	asked := live.until("data_request")
	for _, c := range []struct {
		claim              string
		uid                uint32
		groups             []uint32
		method, path, body string
		status             int
		want               string
	}{
		{"a run under an id that another caller has", lesserUser, nil, "POST", "/v1/runs", js(map[string]any{"requestId": "same", "source": who}), 200, `"value":"small"`},
		{"another's profile", lesserUser, nil, "POST", "/v1/runs", js(map[string]any{"source": who, "profile": "great"}), 403, "only small"},
		{"grants", lesserUser, nil, "POST", "/v1/runs", js(map[string]any{"source": who, "grants": map[string]any{"environment": map[string]string{"WHO": "x"}}}), 403, "no grants of your own"},
		{"another's runs", lesserUser, nil, "GET", "/v1/runs", "", 200, `{"runs":[]}`},
		{"abort of another's run", lesserUser, nil, "DELETE", "/v1/runs/same", "", 404, "you have no live run"},
		{"an answer to another's run", lesserUser, nil, "POST", "/v1/runs/same/responses", js(map[string]any{"dataRequestId": asked["dataRequestId"], "data": "forged"}), 404, "you have no live run"},
		{"a member of a listed group", groupUser, []uint32{5, someGroup}, "POST", "/v1/runs", js(map[string]any{"source": who}), 200, `"value":"grouped"`},
		{"whom the policy does not list", otherUser, []uint32{5}, "POST", "/v1/runs", js(map[string]any{"source": who}), 403, `"code":"DENIED"`},
		{"figures, for whom it does not list", otherUser, nil, "GET", "/metrics", "", 403, "does not list uid:64003"},
		{"health, for anybody", otherUser, nil, "GET", "/healthz", "", 200, "ok"},
		{"a forged identity", otherUser, nil, "POST", "/v1/runs?uid=0", js(map[string]any{"source": who}), 403, "does not list"},
	} {
		status, text := asUser(t, c.uid, c.groups, r.socket, c.method, c.path, c.body)
		if status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.claim, status, text, c.status, c.want)
		}
	}
	if status, _ := r.send("POST", "/v1/runs/same/responses", js(map[string]any{"dataRequestId": asked["dataRequestId"], "data": "mine"})); status != 204 {
		t.Errorf("the caller's own answer: %d", status)
	}
	if last := live.until("result"); last["payload"] != "mine" {
		t.Errorf("the run ended with %v", last)
	}
	log, err := os.ReadFile(r.dir() + "/audit.log")
	if err != nil || !strings.Contains(string(log), `"run":"uid:64001/same"`) || !strings.Contains(string(log), `"run":"uid:0/same"`) {
		t.Errorf("records do not tell runs apart: %v\n%s", err, log)
	}
	if info, err := os.Stat(r.dir() + "/audit.log"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the audit log: %v %v", info, err)
	}
	if !strings.Contains(r.logs.String(), "auditHead=") {
		t.Error("the log does not tell the audit head")
	}
}

// Covers: T-LOC-02
func TestACallersRunsAreBounded(t *testing.T) {
	r := serve(t, `version: 1
callers: [{uid: ME, grants: true, maxConcurrent: 1}]
`, func(c *Config) { c.Queue = 0 })
	live := r.live(`{"source": "console.log(1); for (;;);"}`)
	live.until("status")
	status, text := r.send("POST", "/v1/runs", `{"source": "1"}`)
	if status != 429 || !strings.Contains(text, `"code":"CAPACITY"`) {
		t.Errorf("%d %s", status, text)
	}
	live.stop()
	eventually(t, "the place is free", func() bool {
		status, _ := r.send("POST", "/v1/runs", `{"source": "1"}`)
		return status == 200
	})
}

// E12 of the cases, and its kind.
//
// Covers: T-LOC-04
func TestNothingOnTheHostIsReadBecauseACallerNamedIt(t *testing.T) {
	r := prepare(t, `version: 1
ceilings:
  filesystem: {read: [DIR/open], write: [DIR]}
  secrets: {"*": {fromFile: DIR/key}, X: {value: any}}
  modules: {"*": DIR}
  resources: {maxReadBytes: 1048576}
callers: [{uid: ME, grants: true}]
audit: [{file: DIR/audit.log}]
`)
	for name, text := range map[string]string{"key": "canary-of-the-host", "m.mjs": "export default 'canary-of-the-host'"} {
		if err := os.WriteFile(r.dir()+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(r.dir()+"/open", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(r.dir(), r.dir()+"/open/out"); err != nil {
		t.Fatal(err)
	}
	r.start(nil)
	source := `import {readText, secret} from "realm:capabilities"; export default async () => [await secret("X").catch(String), await readText(DIR + "/open/out/key").catch(String)]`
	source = strings.ReplaceAll(source, "DIR", js(r.dir()))
	for claim, grants := range map[string]any{
		"a file behind a secret":           map[string]any{"secrets": map[string]any{"X": map[string]string{"fromFile": r.dir() + "/key"}}},
		"a variable behind a secret":       map[string]any{"secrets": map[string]any{"X": map[string]string{"fromEnv": "PATH"}}},
		"a module":                         map[string]any{"modules": map[string]string{"m": r.dir() + "/m.mjs"}},
		"a link out of a ceiling":          map[string]any{"filesystem": map[string]any{"read": []string{r.dir() + "/open/out"}}},
		"a way out of a ceiling":           map[string]any{"filesystem": map[string]any{"read": []string{r.dir() + "/open/../"}}},
		"a write root that holds the log":  map[string]any{"filesystem": map[string]any{"write": []string{r.dir()}}},
		"a root, and a link inside it out": map[string]any{"filesystem": map[string]any{"read": []string{r.dir() + "/open"}}},
	} {
		status, text := r.send("POST", "/v1/runs", js(map[string]any{"source": source, "grants": grants}))
		if strings.Contains(text, "canary") || status == 200 && !strings.Contains(text, "SandboxDeniedError") {
			t.Errorf("%s: %d %s", claim, status, text)
		}
		if strings.HasPrefix(claim, "a root,") != (status == 200) {
			t.Errorf("%s: %d %s", claim, status, text)
		}
	}
}
