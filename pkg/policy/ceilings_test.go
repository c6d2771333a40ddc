package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

func TestGrantsWithinTheCeilingsPass(t *testing.T) {
	for claim, document := range map[string]string{
		"nothing":                        "",
		"a root and one below a root":    "filesystem: {read: [/srv, /data/x/y], write: [/srv/out/a]}",
		"a name below a pattern":         "network: {origins: ['https://api.example.com', 'https://a.b.example.com:443']}",
		"an exact origin":                "network: {origins: ['https://exact.example.org:8443'], methods: [POST]}",
		"any port of localhost":          "network: {origins: ['http://localhost:1234']}",
		"a listed injection":             "{network: {origins: ['https://api.example.com'], inject: [{origin: 'https://api.example.com', header: authorization, secret: API_TOKEN, prefix: 'Bearer '}]}, secrets: {API_TOKEN: {fromEnv: API_TOKEN}}}",
		"a private host below a pattern": "network: {privateHosts: [db.internal]}",
		"a command with its environment": "subprocess: {commands: [/usr/bin/jq], environment: {LANG: C, TERM: dumb}, sandbox: {read: [/usr/share/x]}, timeoutMs: 60000}",
		"variables":                      "environment: {MODE: analysis, LEVEL: 'whatever'}",
		"a secret by value":              "secrets: {FREE: v}",
		"a read-only tool":               "tools: {allowed: [get_account], readOnly: true}",
		"a module below the listed path": "modules: {lodash: /opt/js/lodash.mjs}",
		"a wasm module":                  "wasm: [{name: calc, wasmPath: /opt/wasm/calc.wasm, jsBindingPath: /opt/wasm/calc.js}]",
		"limits at the ceilings":         "resources: {memoryMb: 512, wallClockMs: 60000, maxOperations: 1000}",
	} {
		p, g := hardened(t, document)
		if err := p.Check(g); err != nil {
			t.Errorf("%s: %v", claim, err)
		}
	}
}

// In ceilings "*" is a name that stands for every name; in grants, profiles among them, it would stand for none.
func TestAWildcardNameIsForCeilings(t *testing.T) {
	const any = "{network: {methods: ['*']}, subprocess: {environment: {'*': '*'}}, environment: {'*': '*'}, secrets: {'*': '*'}, tools: {allowed: ['*']}, modules: {'*': /opt}, " +
		"wasm: [{name: '*', wasmPath: /opt, jsBindingPath: /opt}]}"
	load(t, "version: 1\nceilings: "+any)
	_, err := Load(strings.NewReader("version: 1\nprofiles: {a: " + any + "}"))
	for _, path := range []string{"network.methods[0]", `subprocess.environment["*"]`, `environment["*"]`, `secrets["*"]`, "tools.allowed[0]", `modules["*"]`, "wasm[0].name"} {
		if err == nil || !strings.Contains(err.Error(), "profiles.a."+path+": ") {
			t.Errorf("%s of a profile: %v", path, err)
		}
	}
}

func TestGrantsBeyondACeilingAreRefusedNamingBothSides(t *testing.T) {
	p := load(t, full)
	for _, c := range []struct{ claim, document, want string }{
		{"a root beside", "filesystem: {read: [/etc]}", `filesystem.read[0]: /etc is beyond the policy, which allows the roots /srv, /data/; ask for a directory within one of them`},
		{"a root with the same beginning", "filesystem: {read: [/srv2]}", `/srv2 is beyond the policy`},
		{"the parent of a root", "filesystem: {write: [/srv]}", `filesystem.write[0]: /srv is beyond the policy, which allows the roots /srv/out`},
		{"the host of a * itself", "network: {origins: ['https://example.com']}", `network.origins[0]: https://example.com is beyond the policy, which allows the origins https://*.example.com, https://exact.example.org:8443, http://localhost:*`},
		{"another scheme", "network: {origins: ['http://api.example.com']}", `http://api.example.com is beyond the policy`},
		{"another port", "network: {origins: ['https://api.example.com:8443']}", `https://api.example.com:8443 is beyond the policy`},
		{"a suffix without a dot", "network: {origins: ['https://evilexample.com']}", `is beyond the policy`},
		{"another method", "network: {origins: ['https://a.example.com'], methods: [GET, PUT]}", `network.methods[1]: PUT is beyond the policy, which allows the methods GET, POST; use one of them, or remove it`},
		{"another injection", "{network: {origins: ['https://a.example.com'], inject: [{origin: 'https://a.example.com', header: X-Key, secret: FREE}]}, secrets: {FREE: v}}", `network.inject[0]: the header X-Key of https://a.example.com with the secret FREE is beyond the policy, which lists no such injection; remove it`},
		{"another private host", "network: {privateHosts: [internal]}", `internal is beyond the policy, which allows the private hosts *.internal`},
		{"another command", "subprocess: {commands: [/bin/sh]}", `/bin/sh is beyond the policy, which allows the commands /usr/bin/jq; use one of them, or remove it`},
		{"another variable of commands", "subprocess: {environment: {HOME: /}}", `the variable HOME is beyond the policy`},
		{"another sandbox root", "subprocess: {commands: [/usr/bin/jq], sandbox: {write: [/srv/in]}}", `subprocess.sandbox.write[0]: /srv/in is beyond the policy, which allows the roots /srv/out`},
		{"a longer timeout", "subprocess: {commands: [/usr/bin/jq], timeoutMs: 60001}", `subprocess.timeoutMs: 60001 is above the policy's 60000; ask for 60000 at most`},
		{"another variable", "environment: {PATH: /}", `the variable PATH is beyond the policy, which allows the variables LEVEL, MODE`},
		{"another value", "environment: {MODE: write}", `environment.MODE: the variable MODE has another value than the policy allows; use the policy's value, or remove it`},
		{"another secret", "secrets: {OTHER: v}", `secrets.OTHER: the secret OTHER (secret given by value) is beyond the policy, which allows the secrets API_TOKEN, FREE`},
		{"another source", "secrets: {FREE: {fromFile: /etc/shadow}}", `the secret FREE (secret from the file /etc/shadow) is beyond the policy, which allows another source; give the secret by value`},
		{"a secret that the guest may not read", "secrets: {API_TOKEN: {fromEnv: API_TOKEN}}", `may be read by the guest, which the policy does not allow; write guest: false`},
		{"another tool", "tools: {allowed: [delete], readOnly: true}", `the tool delete is beyond the policy, which allows the tools get_account, list_accounts`},
		{"tools that write", "tools: {allowed: [get_account]}", `tools.readOnly: tools that write are not allowed by the policy; write tools: {readOnly: true}`},
		{"another module", "modules: {x: /opt/js2/x.mjs}", `modules.x: the module x (/opt/js2/x.mjs) is beyond the policy`},
		{"another wasm module", "wasm: [{name: a, wasmPath: /opt/other.wasm, jsBindingPath: /opt/wasm/a.js}]", `wasm[0]: the WebAssembly module a (/opt/other.wasm) is beyond the policy`},
		{"a limit above", "resources: {memoryMb: 513, realmMemoryMb: 704}", `resources.memoryMb: 513 is above the policy's 512; ask for 512 at most`},
		{"a limit above the default that is the ceiling", "resources: {maxReadBytes: 1048577}", `resources.maxReadBytes: 1048577 is above the policy's 1048576`},
	} {
		p, g := hardened(t, c.document)
		err := p.Check(g)
		var list *grants.Error
		if !errors.As(err, &list) || !strings.Contains(err.Error(), c.want) || len(list.Problems) != 1 {
			t.Errorf("%s:\ngot  %v\nwant %s", c.claim, err, c.want)
		}
	}
	if err := p.Check(grants.Grants{}); err == nil || !strings.Contains(err.Error(), "engine.jit: the just-in-time compiler is not allowed by the policy; write engine: {jit: false}") {
		t.Errorf("the compiler: %v", err)
	}
	if err := p.Check(grants.Grants{Filesystem: grants.Filesystem{Read: []string{"relative"}}}); err == nil || !strings.Contains(err.Error(), "is not absolute") {
		t.Errorf("invalid grants: %v", err)
	}
}

func TestWhateverIsRefusedHasAFixThatHolds(t *testing.T) {
	g := grantsOf(t, "{filesystem: {read: [/etc]}, network: {origins: ['https://a.example'], methods: [PUT], privateHosts: [b], inject: [{origin: 'https://a.example', header: X, secret: S}]}, "+
		"subprocess: {commands: [/bin/sh], environment: {A: x}}, environment: {A: x}, secrets: {S: {fromEnv: S}}, tools: {allowed: [a]}, modules: {m: /m.mjs}}")
	for claim, p := range map[string]*Policy{"beyond what is listed": load(t, full), "where nothing is listed": load(t, "version: 1")} {
		for _, l := range p.ExplainBrought(g) {
			if !l.Allowed && (l.Fix == "" || strings.HasPrefix(l.Path, "secrets.") && strings.Contains(l.Fix, "by value")) {
				t.Errorf("%s: %+v", claim, l)
			}
			if !l.Allowed && p.Ceilings == nil && l.Value != "PUT" && strings.Contains(l.Fix, "one of them") {
				t.Errorf("%s: there are none but GET: %+v", claim, l)
			}
		}
	}
}

// What a caller hears of is bounded, however long the list that it sent.
func TestNotEveryProblemOfALongListIsReported(t *testing.T) {
	for claim, path := range map[string]string{"roots that are none": "no/root%d", "roots beyond the policy": "/root%d"} {
		g := grants.Grants{}
		for i := range 1000 {
			g.Filesystem.Read = append(g.Filesystem.Read, fmt.Sprintf(path, i))
		}
		var e *grants.Error
		if err := (&Policy{Version: Version}).Check(g); !errors.As(err, &e) || len(e.Problems) != 50 {
			t.Errorf("%s: %.200v", claim, err)
		}
	}
}

func TestADefaultAboveACeilingIsRefused(t *testing.T) {
	p := load(t, "version: 1\nceilings: {resources: {memoryMb: 128}}")
	if err := p.Check(grants.Grants{}); err == nil || !strings.Contains(err.Error(), "resources.memoryMb: 256 (the default) is above the policy's 128; ask for 128 at most") {
		t.Errorf("got %v", err)
	}
	if err := p.Check(grants.Grants{Resources: grants.Resources{MemoryMb: 128}}); err != nil {
		t.Error(err)
	}
}

func TestAPolicyWithoutCeilingsAllowsComputing(t *testing.T) {
	p := load(t, "version: 1")
	if err := p.Check(grants.Grants{}); err != nil {
		t.Error(err)
	}
	if err := p.Check(grants.Grants{Environment: map[string]string{"A": "b"}}); err == nil || !strings.Contains(err.Error(), "which allows no variables") {
		t.Errorf("got %v", err)
	}
}

// A * never stands for an address: an origin that names one grants it, whatever kind it is of.
func TestAWildcardHostIsNoAddress(t *testing.T) {
	p := load(t, "version: 1\nceilings: {network: {origins: ['https://*', 'http://*:*', 'http://10.0.0.1']}}")
	for origin, allowed := range map[string]bool{
		"https://anything.example": true, "http://anything.example:8080": true, "http://10.0.0.1": true,
		"https://169.254.169.254": false, "http://127.0.0.1:8080": false, "http://[::1]": false, "https://localhost": false, "http://localhost:80": false, "http://x.localhost:80": false,
	} {
		err := p.Check(grants.Grants{Network: grants.Network{Origins: []string{origin}}})
		if (err == nil) != allowed {
			t.Errorf("%s: %v", origin, err)
		}
	}
}
