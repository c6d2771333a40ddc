package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

const full = `
version: 1
requiredLayers: [landlock, cgroup.memory]
ceilings:
  filesystem: {read: [/srv, /data/], write: [/srv/out]}
  network:
    origins: ["https://*.example.com", "https://exact.example.org:8443", "http://localhost:*"]
    methods: [GET, POST]
    inject: [{origin: "https://*.example.com", header: Authorization, secret: API_TOKEN, prefix: "Bearer "}]
    privateHosts: ["*.internal"]
  subprocess:
    commands: [/usr/bin/jq]
    environment: {LANG: C, TERM: "*"}
    sandbox: {read: [/usr/share], write: [/srv/out]}
    timeoutMs: 60000
  environment: {MODE: analysis, LEVEL: "*"}
  secrets: {API_TOKEN: {fromEnv: API_TOKEN, guest: false}, FREE: "*"}
  tools: {allowed: [get_account, list_accounts], readOnly: true}
  modules: {"*": /opt/js}
  wasm: [{name: "*", wasmPath: /opt/wasm, jsBindingPath: /opt/wasm}]
  engine: {jit: false}
  resources: {memoryMb: 512, wallClockMs: 60000, maxOperations: 1000}
profiles:
  small:
    filesystem: {read: [/srv/in]}
    engine: {jit: false}
  signed:
    secrets: {SIGNING: {fromFile: /etc/keys/signing}}
    modules: {sign: /usr/share/sign.mjs}
    engine: {jit: false}
callers:
  - {uid: 1000, profiles: [small], grants: true, maxConcurrent: 2}
  - {gid: 100, profiles: [small, signed]}
  - {token: ci}
audit: [{file: /var/log/supervisor/audit.log}, {stderr: true}]
pool: {maxConcurrent: 8, warmPoolSize: 2}
`

func TestTheDocumentedPolicyIsSound(t *testing.T) {
	text, err := os.ReadFile("../../docs/SERVICE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "```yaml\n")
	document, _, _ := strings.Cut(after, "```")
	if _, err := Load(strings.NewReader(document)); err != nil || !found {
		t.Error(err)
	}
}

func load(t *testing.T, document string) *Policy {
	t.Helper()
	p, err := Load(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func grantsOf(t *testing.T, document string) grants.Grants {
	t.Helper()
	g, err := grants.Load(strings.NewReader(document))
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return g
}

const jitless = "\nengine: {jit: false}"

// hardened adds to a document what the ceilings ask of the engine. What needs WebAssembly is held to ceilings that do not.
func hardened(t *testing.T, document string) (*Policy, grants.Grants) {
	p := load(t, full)
	switch {
	case strings.HasPrefix(document, "wasm:"):
		p.Ceilings.Engine.JIT = nil
	case strings.HasPrefix(document, "{"):
		document = "{engine: {jit: false}, " + document[1:]
	default:
		document += jitless
	}
	return p, grantsOf(t, document)
}

func TestAPoolMayBeWrittenOutAsNone(t *testing.T) {
	if p := load(t, "version: 1\npool: {warmPoolSize: 0}"); p.Pool.WarmPoolSize != 0 {
		t.Errorf("%+v", p.Pool)
	}
}

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

// E12 of the cases.
//
// Covers: T-LOC-04
func TestCallersNameNoSourcesOnTheHost(t *testing.T) {
	p := load(t, full)
	for _, document := range []string{
		"secrets: {API_TOKEN: {fromEnv: API_TOKEN, guest: false}}", "secrets: {X: {fromFile: /etc/shadow}}", "modules: {lodash: /opt/js/lodash.mjs}", "wasm: [{name: calc, wasmPath: /opt/wasm/calc.wasm, jsBindingPath: /opt/wasm/calc.js}]",
	} {
		p, g := hardened(t, document)
		err := p.CheckBrought(g)
		if err == nil || !strings.Contains(err.Error(), "is read on the host, which only the policy may ask for") {
			t.Errorf("%s: %v", document, err)
		}
	}
	if err := p.CheckBrought(grantsOf(t, "secrets: {FREE: v}\nfilesystem: {read: [/srv]}"+jitless)); err != nil {
		t.Error(err)
	}
}

func TestCallersAreFound(t *testing.T) {
	p := load(t, full)
	for _, c := range []struct {
		uid   uint32
		gids  []uint32
		token string
		found bool
		use   string
	}{
		{uid: 1000, gids: []uint32{100}, found: true, use: "small"}, {uid: 7, gids: []uint32{5, 100}, found: true, use: "signed"}, {uid: 7, gids: []uint32{1000}}, {uid: 0},
		{token: "ci", found: true}, {token: "other"}, {token: ""},
	} {
		var caller Caller
		var ok bool
		if c.uid == 0 && c.gids == nil && !c.found || c.token != "" {
			caller, ok = p.ForToken(c.token)
		} else {
			caller, ok = p.ForPeer(c.uid, c.gids)
		}
		if ok != c.found || c.use != "" && !caller.MayUse(c.use) {
			t.Errorf("%+v: %+v, %v", c, caller, ok)
		}
	}
	if caller, ok := p.ForPeer(0, []uint32{0}); ok {
		t.Errorf("root is a caller that nobody listed: %+v", caller)
	}
	if caller, _ := p.ForPeer(1000, nil); caller.MayUse("signed") || !caller.Grants || caller.MaxConcurrent != 2 {
		t.Errorf("uid 1000 is %+v", caller)
	}
	if _, err := p.Profile("missing"); err == nil {
		t.Error("a missing profile is found")
	}
	if got := p.Protected(); len(got) != 1 || got[0] != "/var/log/supervisor/audit.log" {
		t.Errorf("protected %q", got)
	}
}

// Covers: T-OP-01
func TestBrokenPoliciesAreRefused(t *testing.T) {
	for _, c := range []struct{ claim, document, want string }{
		{"nothing", "", `the document is empty; the least policy is version: 1`},
		{"a comment alone", "# version: 1\n", `the document is empty`},
		{"no version", "profiles: {}", `version: is 0 or not given; write version: 1`},
		{"another version", "version: 2", `line 1:10: version: is 2, and this build reads 1`},
		{"an unknown key", "version: 1\nceiling: {}", `line 2:1: ceiling: unknown key; did you mean ceilings?`},
		{"an unknown layer", "version: 1\nrequiredLayers: [apparmor]", `requiredLayers[0]: "apparmor" is no layer; use one of userns,`},
		{"a broken pattern", "version: 1\nceilings: {network: {origins: ['https://a.*.example']}}", `ceilings.network.origins[0]: "https://a.*.example"`},
		{"a * before an address", "version: 1\nceilings: {network: {origins: ['http://*.10.0.0.1']}}", `has a * before an address`},
		{"a relative ceiling", "version: 1\nceilings: {filesystem: {read: [srv]}}", `ceilings.filesystem.read[0]: "srv" is not absolute`},
		{"a ceiling above the maximum", "version: 1\nceilings: {resources: {memoryMb: 4001}}", `ceilings.resources.memoryMb: 4001 is above the maximum of 4000`},
		{"a ceiling that is a pattern of names", "version: 1\nceilings: {tools: {allowed: ['get_*']}}", `ceilings.tools.allowed[0]: the tool name "get_*" holds a "*"`},
		{"a ceiling of nothing to be executed", "version: 1\nceilings: {subprocess: {sandbox: {execute: []}}}", `ceilings.subprocess.sandbox.execute: is an empty list`},
		{"a broken profile", "version: 1\nprofiles: {a: {filesystem: {read: [srv]}}}", `line 2:36: profiles.a.filesystem.read[0]: "srv" is not absolute`},
		{"a profile beyond the ceilings", "version: 1\nceilings: {filesystem: {read: [/srv]}}\nprofiles: {a: {filesystem: {read: [/etc]}}}", `line 3:36: profiles.a.filesystem.read[0]: /etc is beyond the policy, which allows the roots /srv`},
		{"a caller without a name", "version: 1\ncallers: [{grants: true}]", `callers[0]: is named in 0 ways; give one of uid, gid and token`},
		{"a caller with two names", "version: 1\ncallers: [{uid: 0, token: a}]", `callers[0]: is named in 2 ways`},
		{"a caller with an unknown profile", "version: 1\ncallers: [{uid: 0, profiles: [a]}]", `callers[0].profiles[0]: "a" is not in profiles`},
		{"a negative uid", "version: 1\ncallers: [{uid: -1}]", `-1 is out of range`},
		{"a sink that is nothing", "version: 1\naudit: [{}]", `audit[0]: is not one destination`},
		{"a relative audit file", "version: 1\naudit: [{file: a.log}]", `audit[0].file: "a.log" is not a clean absolute path`},
		{"a zero pool", "version: 1\npool: {maxConcurrent: 0}", `pool.maxConcurrent: 0 is below the minimum of 1`},
		{"a large pool", "version: 1\npool: {warmPoolSize: 4097}", `line 2:22: pool.warmPoolSize: 4097 is out of bounds; use an integer from 0 to 4096`},
		{"a negative pool", "version: 1\npool: {warmPoolSize: -1}", `pool.warmPoolSize: -1 is out of bounds`},
	} {
		_, err := Load(strings.NewReader(c.document))
		var list *grants.Error
		if !errors.As(err, &list) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", c.claim, err, c.want)
		}
	}
}

func TestExplanationsNameEverything(t *testing.T) {
	p := load(t, full)
	lines := p.Explain(grantsOf(t, "filesystem: {read: [/srv, /etc]}\nsecrets: {FREE: hunter2-value}"+jitless))
	var allowed, refused int
	for _, l := range lines {
		if strings.Contains(l.Value+l.Reason+l.Fix, "hunter2") {
			t.Errorf("%+v holds a secret", l)
		}
		if l.Allowed {
			allowed++
		} else {
			refused++
		}
	}
	if refused != 1 || allowed != 3+len(grants.LimitTable()) {
		t.Errorf("%d allowed, %d refused of %+v", allowed, refused, lines)
	}
}

func TestHashesFollowTheMeaning(t *testing.T) {
	a, b := load(t, full), load(t, full)
	if Hash(a) != Hash(b) {
		t.Error("one policy has two hashes")
	}
	b.Profiles["small"] = grants.Grants{}
	if Hash(a) == Hash(b) {
		t.Error("two policies have one hash")
	}
}

// Covers: T-LOC-03
func TestFilesThatOthersCanWriteAreRefused(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(name, []byte("version: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, allowed := range map[os.FileMode]bool{0o600: true, 0o644: true, 0o444: true, 0o664: false, 0o646: false, 0o620: false} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadFile(name); (err == nil) != allowed {
			t.Errorf("mode %v: %v", mode, err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "fifo"), filepath.Join(dir, "missing")} {
		if _, err := LoadFile(bad); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := errors.Join(os.Chmod(name, 0o600), os.Chown(name, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadFile(name); err == nil || !strings.Contains(err.Error(), "belongs to user 65534") {
		t.Errorf("a stranger's file: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(full)
	f.Add("version: 1\nceilings: {network: {origins: ['https://*:*']}}")
	f.Add(`{"version":1,"callers":[{"uid":0}]}`)
	f.Fuzz(func(t *testing.T, document string) {
		p, err := Load(strings.NewReader(document))
		if err != nil {
			return
		}
		_ = Hash(p)
		for name, g := range p.Profiles {
			if err := p.Check(g); err != nil && p.Ceilings != nil && len(g.Secrets)+len(g.Modules)+len(g.Wasm) == 0 {
				t.Fatalf("profile %q does not keep the ceilings: %v", name, err)
			}
		}
	})
}
