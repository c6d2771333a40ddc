package policy

import (
	"errors"
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
