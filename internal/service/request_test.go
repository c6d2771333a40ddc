package service

import (
	"slices"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/policy"
	"realm.internal/supervisor/pkg/value"
)

func TestMalformedRequestsAreRefusedNamingWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ claim, body, want string }{
		{"nothing", "", "is no JSON object"},
		{"a list", "[]", "is no JSON object"},
		{"half a document", `{"source": "1"`, "malformed JSON"},
		{"two documents", `{"source": "1"} {}`, "something after"},
		{"no UTF-8", "{\"source\": \"\xff\"}", "not UTF-8"},
		{"no source", `{}`, "source is missing"},
		{"an unknown key", `{"source": "1", "code": "2"}`, `unknown key "code"; use some of requestId, source,`},
		{"a key in another case", `{"Source": "1"}`, `unknown key "Source"`},
		{"a key twice", `{"source": "1", "source": "2"}`, `the key "source" twice`},
		{"a source that is no string", `{"source": 1}`, "source is no string"},
		{"an id with a slash", `{"source": "1", "requestId": "a/b"}`, "requestId is not 1 to 128 of letters"},
		{"an id that is a path", `{"source": "1", "requestId": ".."}`, "requestId is not"},
		{"an empty id", `{"source": "1", "requestId": ""}`, "requestId is not"},
		{"an id that is too long", `{"source": "1", "requestId": "` + strings.Repeat("a", 129) + `"}`, "requestId is not"},
		{"args that are no list", `{"source": "1", "args": {}}`, "args is no array"},
		{"null for args", `{"source": "1", "args": null}`, "args is no array"},
		{"grants that are no object", `{"source": "1", "grants": "filesystem: {read: [/]}"}`, "grants is no object"},
		{"an unknown grant", `{"source": "1", "grants": {"files": {}}}`, "grants: line 1:2: files: unknown key"},
		{"a limit of zero", `{"source": "1", "limits": {"memoryMb": 0}}`, "limits: line 1:14: memoryMb: 0 is below the minimum of 1"},
		{"limits that are no object", `{"source": "1", "limits": []}`, "limits is no object"},
		{"tools that are no list", `{"source": "1", "tools": {}}`, "tools is no array"},
		{"a tool without a name", `{"source": "1", "tools": [{}]}`, "has no name"},
		{"another message", `{"type": "result"}`, `type "result" is not taken`},
		{"execute without code", `{"type": "execute"}`, "code is missing"},
		{"execute with a source", `{"type": "execute", "source": "1"}`, `unknown key "source"`},
		{"an unknown limit of execute", `{"type": "execute", "code": "1", "isolateLimits": {"wallClockMs": 1}}`, "isolateLimits: line 1:2: wallClockMs: unknown key; use one of maxCodeBytes, memoryMb, timeoutMs"},
		{"a limit of execute among the others", `{"type": "execute", "code": "1", "bridgeLimits": {"memoryMb": 64}}`, "bridgeLimits: line 1:2: memoryMb: unknown key; use one of maxDataBytes,"},
		{"a limit of execute that is zero", `{"type": "execute", "code": "1", "isolateLimits": {"timeoutMs": 0}}`, "isolateLimits: line 1:15: timeoutMs: 0 is below the minimum of 1"},
		{"a limit of execute that is too large", `{"type": "execute", "code": "1", "bridgeLimits": {"maxDataRequests": 1000001}}`, "maxDataRequests: 1000001 is above the maximum of 1000000"},
		{"limits of execute that are no object", `{"type": "execute", "code": "1", "bridgeLimits": []}`, "bridgeLimits is no object"},
		{"half a character in the source", `{"source": "'\ud83d'"}`, "source holds half of a surrogate pair"},
		{"half a character in the name", `{"source": "1", "name": "\udc00.ts"}`, "name holds half of a surrogate pair"},
		{"half a character in the code", `{"type": "execute", "code": "'\uD83D\u0041'"}`, "code holds half of a surrogate pair"},
		{"half a character in a tool", `{"source": "1", "tools": ["\ud83d"]}`, "an item of tools holds half of a surrogate pair"},
		{"half a character in a tool's name", `{"source": "1", "tools": [{"name": "\ud83d"}]}`, "name holds half of a surrogate pair"},
		{"half a character in a tool of execute", `{"type": "execute", "code": "1", "toolPolicy": {"allowedTools": ["\ud83d"]}}`, "an item of toolPolicy.allowedTools holds half of a surrogate pair"},
		{"half a character in a grant", `{"source": "1", "grants": {"environment": {"MODE": "\ud83d"}}}`, "grants: line 1:26: the text holds half of a surrogate pair"},
		{"tools of execute that are no strings", `{"type": "execute", "code": "1", "toolPolicy": {"allowedTools": [1]}}`, "no string"},
		{"too many tools", `{"source": "1", "tools": [` + strings.Repeat(`"a",`, 1000) + `"a"]}`, "tools has 1001 items, 1000 are the most"},
		{"far too many tools", `{"source": "1", "tools": [` + strings.Repeat(`"",`, 1<<20) + `"a"]}`, "tools has more than 1048576 bytes"},
		{"too many tools of execute", `{"type": "execute", "code": "1", "toolPolicy": {"allowedTools": [` + strings.Repeat(`"a",`, 1000) + `"a"]}}`, "toolPolicy.allowedTools has 1001 items"},
		{"null for readOnly", `{"type": "execute", "code": "1", "toolPolicy": {"allowedTools": ["a"], "readOnly": null}}`, "readOnly is neither true nor false"},
		{"null for writes", `{"source": "1", "tools": [{"name": "t", "writes": null}]}`, `writes of the tool "t" is neither true nor false`},
		{"too many values", `{"source": "1", "input": [` + strings.Repeat("{},", 1<<20) + `{}]}`, "input holds more than 1048576 values"},
		{"too many values in a list", `{"source": "1", "args": [` + strings.Repeat("[[]],", 1<<19) + `0]}`, "args holds more than"},
	} {
		_, err := parseOrder([]byte(c.body))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.claim, err, c.want)
		} else if p := asProblem(err); p.Status != 400 || p.Code != "INVALID" {
			t.Errorf("%s: %+v", c.claim, p)
		}
	}
}

func TestWholeCharactersAreTaken(t *testing.T) {
	o, err := parseOrder([]byte(`{"source": "'\ud83d\ude00\\ud83d\ufffd'", "input": "\ud83d", "grants": {"environment": {"MODE": "\uD83D\uDE00"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if o.run.Source != "'😀\\ud83d\ufffd'" || o.grants.Environment["MODE"] != "😀" {
		t.Errorf("%q, %q", o.run.Source, o.grants.Environment)
	}
	if units, ok := o.run.Input.(value.String16); !ok || len(units) != 1 || units[0] != 0xd83d {
		t.Errorf("the input is %#v", o.run.Input)
	}
}

func TestProblemsAreNamedAsTheMessageDoes(t *testing.T) {
	_, err := parseOrder([]byte(`{"type": "execute", "code": "1", "isolateLimits": {"timeoutMs": 0}}`))
	if p := asProblem(err); len(p.Errors) != 1 || p.Errors[0].Path != "isolateLimits.timeoutMs" {
		t.Errorf("%+v", p.Errors)
	}
	o, err := parseOrder([]byte(`{"type": "execute", "code": "1", "isolateLimits": {"timeoutMs": 60001}, "toolPolicy": {"allowedTools": ["a"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	p := asProblem(o.authorize(&policy.Policy{Version: policy.Version}, policy.Caller{Grants: true}))
	var paths []string
	for _, each := range p.Errors {
		paths = append(paths, each.Path)
	}
	if want := []string{"toolPolicy.allowedTools[0]", "isolateLimits.timeoutMs", "resources.cpuMs"}; !slices.Equal(paths, want) {
		t.Errorf("%q, want %q", paths, want)
	}
}

func TestValuesAreCountedAndTextIsNot(t *testing.T) {
	for text, want := range map[string]int{
		`1`: 1, `"a,b"`: 1, `[1,2]`: 3, `{"a":1,"b":[2]}`: 4, `"\",[{"`: 1, `["\\",1]`: 3, `{"[,":"\"["}`: 2,
		`[]`: 1, `{ }`: 1, `[[],{},[ ]]`: 4, `["[",[]]`: 3,
	} {
		if n := items([]byte(text)); n != want {
			t.Errorf("%s: %d, want %d", text, n, want)
		}
	}
	long := strings.Repeat(`,[{\"`, 1<<20)
	if o, err := parseOrder([]byte(`{"source": "1", "input": "` + long + `"}`)); err != nil || len(o.run.Input.(string)) != len(long)-1<<20 {
		t.Errorf("a long text: %v", err)
	}
}

func TestAMessageOfTheTypeExecuteIsARequest(t *testing.T) {
	o, err := parseOrder([]byte(`{"type": "execute", "requestId": "r1", "code": "return 1", "isolateLimits": {"memoryMb": 64, "timeoutMs": 500, "maxCodeBytes": 1000},
		"bridgeLimits": {"maxDataRequests": 3, "maxDataBytes": 4, "maxResultBytes": 5, "maxStatusEvents": 6}, "toolPolicy": {"allowedTools": ["a"], "readOnly": true}}`))
	if err != nil {
		t.Fatal(err)
	}
	l := o.run.Limits
	if o.run.ID != "r1" || o.run.Source != "return 1" || l.MemoryMb != 64 || l.WallClockMs != 500 || l.MaxCodeBytes != 1000 ||
		l.MaxDataRequests != 3 || l.MaxDataBytes != 4 || l.MaxResultBytes != 5 || l.MaxStatusEvents != 6 {
		t.Errorf("%+v", o.run)
	}
	if o.policy == nil || len(o.policy.Allowed) != 1 || !o.policy.ReadOnly {
		t.Errorf("%+v", o.policy)
	}
}

func TestCallersGetWhatTheirEntryAllows(t *testing.T) {
	_, err := policy.Load(strings.NewReader(`version: 1
ceilings:
  filesystem: {read: [/srv]}
  secrets: {FREE: {value: any}, KEY: {fromFile: /etc/key}}
  tools: {allowed: [ask]}
  resources: {wallClockMs: 60000, cpuMs: 60000}
profiles:
  small: {filesystem: {read: [/srv/in]}, resources: {wallClockMs: 1000}}
  signed: {secrets: {KEY: {fromFile: /etc/key}}}
  asking: {tools: {allowed: [ask, tell]}}
`))
	if err == nil {
		t.Fatal("a profile may pass the ceilings")
	}
	p, err := policy.Load(strings.NewReader(`version: 1
ceilings:
  filesystem: {read: [/srv]}
  secrets: {FREE: {value: any}, KEY: {fromFile: /etc/key}}
  tools: {allowed: [ask, tell]}
  resources: {wallClockMs: 60000, cpuMs: 60000}
profiles:
  small: {filesystem: {read: [/srv/in]}, resources: {wallClockMs: 1000}}
  signed: {secrets: {KEY: {fromFile: /etc/key}}}
  asking: {tools: {allowed: [ask]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	both := policy.Caller{Profiles: []string{"small", "signed"}, Grants: true}
	lesser := policy.Caller{Profiles: []string{"small", "asking"}}
	for _, c := range []struct {
		claim  string
		caller policy.Caller
		body   string
		status int // 0: allowed
		want   string
	}{
		{"the first profile is the default", lesser, `{"source": "1"}`, 0, ""},
		{"a profile by name", both, `{"source": "1", "profile": "signed"}`, 0, ""},
		{"a profile of others", lesser, `{"source": "1", "profile": "signed"}`, 403, `gives you no profile "signed", only small, asking`},
		{"a profile that does not exist", both, `{"source": "1", "profile": "large"}`, 403, "gives you no profile"},
		{"grants within the ceilings", both, `{"source": "1", "grants": {"filesystem": {"read": ["/srv/x"]}}}`, 0, ""},
		{"grants beyond them", both, `{"source": "1", "grants": {"filesystem": {"read": ["/etc"]}}}`, 403, "/etc is beyond the policy"},
		{"grants of whom may bring none", lesser, `{"source": "1", "grants": {}}`, 403, "bring no grants of your own"},
		{"both", both, `{"source": "1", "profile": "small", "grants": {}}`, 400, "are alternatives"},
		{"a file behind a secret", both, `{"source": "1", "grants": {"secrets": {"KEY": {"fromFile": "/etc/key"}}}}`, 403, "is read on the host, which only the policy may ask for"},
		{"a variable behind a secret", both, `{"source": "1", "grants": {"secrets": {"KEY": {"fromEnv": "PATH"}}}}`, 403, "is read on the host"},
		{"a module", both, `{"source": "1", "grants": {"modules": {"x": "/srv/x.mjs"}}}`, 403, "is read on the host"},
		{"wasm", both, `{"source": "1", "grants": {"wasm": [{"name": "x", "wasmPath": "/srv/x.wasm"}]}}`, 403, "is read on the host"},
		{"a secret by value", both, `{"source": "1", "grants": {"secrets": {"FREE": "v"}}}`, 0, ""},
		{"a limit above the profile's, with grants", both, `{"source": "1", "limits": {"wallClockMs": 60000}}`, 0, ""},
		{"a limit above the ceiling", both, `{"source": "1", "limits": {"wallClockMs": 60001}}`, 403, "60001 is above the policy's 60000"},
		{"a limit above the profile's, without", lesser, `{"source": "1", "limits": {"wallClockMs": 1001}}`, 403, "1001 is above the policy's 1000"},
		{"a limit below the profile's", lesser, `{"source": "1", "limits": {"wallClockMs": 10}}`, 0, ""},
		{"a tool within the ceilings", both, `{"source": "1", "grants": {}, "tools": ["ask", {"name": "tell", "writes": true}]}`, 0, ""},
		{"a tool beyond them", both, `{"source": "1", "grants": {}, "tools": ["delete"]}`, 403, "the tool delete is beyond the policy"},
		{"a tool of the profile", lesser, `{"source": "1", "profile": "asking", "tools": ["ask"]}`, 0, ""},
		{"a tool that a profile lacks", lesser, `{"source": "1", "tools": ["ask"]}`, 403, "the tool ask is beyond the policy"},
		{"execute under a profile", lesser, `{"type": "execute", "code": "1"}`, 0, ""},
		{"execute with a tool", both, `{"type": "execute", "code": "1", "toolPolicy": {"allowedTools": ["ask"]}}`, 0, ""},
		{"execute with a tool beyond the ceilings", both, `{"type": "execute", "code": "1", "toolPolicy": {"allowedTools": ["ask", "delete"]}}`, 403, "the tool delete is beyond the policy"},
		{"execute with the profile's tool", policy.Caller{Profiles: []string{"asking"}}, `{"type": "execute", "code": "1", "toolPolicy": {"allowedTools": ["ask"], "readOnly": true}}`, 0, ""},
		{"execute with a tool beyond the profile", policy.Caller{Profiles: []string{"asking"}}, `{"type": "execute", "code": "1", "toolPolicy": {"allowedTools": ["ask", "tell"]}}`, 403, "the tool tell is beyond the policy"},
		{"neither a profile nor grants", policy.Caller{}, `{"source": "1"}`, 403, "neither a profile nor grants"},
		{"computing alone", policy.Caller{Grants: true}, `{"source": "1"}`, 0, ""},
	} {
		o, err := parseOrder([]byte(c.body))
		if err == nil {
			err = o.authorize(p, c.caller)
		}
		switch {
		case c.status == 0 && err != nil:
			t.Errorf("%s: %v", c.claim, err)
		case c.status != 0 && (err == nil || !strings.Contains(err.Error(), c.want) || asProblem(err).Status != c.status):
			t.Errorf("%s: %v, want %d %q", c.claim, err, c.status, c.want)
		}
	}
}

// Covers: T-LOC-01
func TestTokensAreFoundByNameAndNothingElse(t *testing.T) {
	tokens, err := parseTokens(strings.NewReader("# comment\n\nci  0123456789abcdef0123456789abcdef\r\nops fedcba9876543210fedcba9876543210\n"))
	if err != nil || tokens.weak {
		t.Fatal(err, tokens)
	}
	for token, want := range map[string]string{
		"0123456789abcdef0123456789abcdef": "ci", "fedcba9876543210fedcba9876543210": "ops",
		"": "", "ci": "", "0123456789abcdef0123456789abcde": "", "0123456789abcdef0123456789abcdef ": "",
	} {
		if got, ok := tokens.name(token); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v", token, got, ok)
		}
	}
	if one, err := parseTokens(strings.NewReader("s3cret\n")); err != nil || !one.weak || one.names[0] != "default" {
		t.Errorf("a token alone: %+v, %v", one, err)
	}
	long := strings.Repeat("# a comment\n", maxTokensBytes/12+1) + "ci 0123456789abcdef0123456789abcdef\n"
	if _, err := parseTokens(strings.NewReader(long)); err == nil || !strings.Contains(err.Error(), "longer than 1048576 bytes") {
		t.Errorf("a file of which the end would be cut off: %v", err)
	}
	for text, want := range map[string]string{
		"":                     "there is no token",
		"a b c":                "line 1: write a name, a space and the token",
		"a 12345\n\nb 12345":   "line 3: the name or the token stands in another line too",
		"a 12345\na 123456789": "line 2: the name or the token",
	} {
		if _, err := parseTokens(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
