package grants

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// full is the example of the documentation: every key there is.
const full = `
filesystem: {read: [/srv/input], write: [/srv/output]}
network:
  origins: ["https://api.example.com"]
  methods: [GET]
  inject:
    - {origin: "https://api.example.com", header: Authorization, secret: API_TOKEN, prefix: "Bearer "}
  privateHosts: [db.internal]
subprocess:
  commands: [/usr/bin/jq]
  environment: {LANG: C}
  sandbox: {read: [/usr/share/data], write: [/srv/output], execute: [/usr/bin/jq]}
  timeoutMs: 30000
environment: {MODE: analysis}
secrets: {API_TOKEN: {fromEnv: API_TOKEN}, PIN: {fromFile: /run/secrets/pin, guest: true}, RAW: hunter2-value}
tools: {allowed: [get_account], readOnly: true}
modules: {"lodash": /opt/js/lodash.mjs}
wasm: [{name: calc, wasmPath: /opt/wasm/calc.wasm, jsBindingPath: /opt/wasm/calc.js}]
engine: {jit: true, timeZone: UTC, locale: en-US}
resources: {maxOperations: 100, wallClockMs: 30000}
`

func load(t *testing.T, document string) Grants {
	t.Helper()
	g, err := Load(strings.NewReader(document))
	if err != nil {
		t.Fatalf("load %q: %v", document, err)
	}
	return g
}

func TestEveryKeyIsRead(t *testing.T) {
	g := load(t, full)
	if g.Network.Inject[0].Prefix != "Bearer " || g.Secrets["RAW"].Value != "hunter2-value" || g.Secrets["PIN"].Guest == nil || !*g.Secrets["PIN"].Guest ||
		g.Subprocess.Sandbox.Execute[0] != "/usr/bin/jq" || !*g.Engine.JIT || g.Wasm[0].JSBindingPath != "/opt/wasm/calc.js" || g.Resources.WallClockMs != 30000 {
		t.Errorf("loaded %+v", g)
	}
}

func TestGrantsSurviveJSON(t *testing.T) {
	g := load(t, full)
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	if again := load(t, string(text)); Hash(again) != Hash(g) {
		t.Errorf("%s means something else", text)
	}
	var embedded struct{ Grants Grants }
	if err := json.Unmarshal([]byte(`{"Grants": {"filesystem": {"raed": []}}}`), &embedded); err == nil {
		t.Error("an unknown key inside a larger JSON document was accepted")
	}
}

// Covers: T-OP-01
func TestInvalidGrantsAreRefused(t *testing.T) {
	for _, c := range []struct{ claim, document, want string }{
		{"an unknown section", "filesytem: {}", `line 1:1: filesytem: unknown key; did you mean filesystem?`},
		{"a relative root", "filesystem: {read: [srv]}", `line 1:21: filesystem.read[0]: "srv" is not absolute; write an absolute path`},
		{"a root with dots", "filesystem: {write: [/srv/../etc]}", `filesystem.write[0]: "/srv/../etc" is not clean (it has a ".", ".." or empty part); write "/etc"`},
		{"a root with a NUL", `{"filesystem": {"read": ["/a\u0000b"]}}`, `filesystem.read[0]: "/a\x00b" holds a NUL byte`},
		{"an empty root", `filesystem: {read: [""]}`, `filesystem.read[0]: "" is empty; write an absolute path`},
		{"a boolean grant", "filesystem: true", `line 1:13: filesystem: is true or false, not a mapping`},
		{"an origin without a scheme", "network: {origins: [api.example.com]}", `"api.example.com" is neither http nor https; write an origin, such as "https://api.example.com"`},
		{"an origin with a path", "network: {origins: ['https://a.example/v1']}", `has more than scheme, host and port`},
		{"an origin with a query", "network: {origins: ['https://a.example/?q']}", `has more than scheme, host and port`},
		{"an origin with a fragment", "network: {origins: ['https://a.example#f']}", `has more than scheme, host and port`},
		{"an origin with a user", "network: {origins: ['https://u:p@a.example']}", `has a user name or password`},
		{"a wildcard origin", "network: {origins: ['https://*.example.com']}", `has a host with a character that names do not have`},
		{"an origin with another scheme", "network: {origins: ['ftp://a.example']}", `is neither http nor https`},
		{"an origin with port 0", "network: {origins: ['https://a.example:0']}", `has a port that is not from 1 to 65535`},
		{"an origin with a large port", "network: {origins: ['https://a.example:65536']}", `has a port that is not from 1 to 65535`},
		{"an origin with a trailing dot", "network: {origins: ['https://a.example.']}", `has a host with an empty label`},
		{"an origin with a zone", "network: {origins: ['http://[fe80::1%25eth0]']}", `has a malformed IPv6 address`},
		{"a lower-case method", "network: {methods: [get]}", `network.methods[0]: "get" is not in upper case; write GET`},
		{"no method", "network: {methods: []}", `line 1:20: network.methods: is an empty list; name methods, or leave it out for GET`},
		{"a method with a space", "network: {methods: ['GET /']}", `"GET /" is not a method name`},
		{"the method CONNECT", "network: {methods: [CONNECT]}", `is never granted`},
		{"any method", "network: {methods: ['*']}", `network.methods[0]: "*" is not a method name`},
		{"an injection to an ungranted origin", "{network: {inject: [{origin: 'https://a.example', header: X-Key, secret: K}]}, secrets: {K: v}}", `network.inject[0].origin: "https://a.example" is not a granted origin; add it to network.origins`},
		{"an injection over plain http", "{network: {origins: ['http://a.example'], inject: [{origin: 'http://a.example', header: X-Key, secret: K}]}, secrets: {K: v}}", `a secret would cross the network unencrypted; use https, or http on a loopback host`},
		{"an injection of a missing secret", "network: {origins: ['https://a.example'], inject: [{origin: 'https://a.example', header: X-Key, secret: K}]}", `network.inject[0].secret: "K" is not in secrets; add it to secrets`},
		{"an injected Host header", "{network: {origins: ['https://a.example'], inject: [{origin: 'https://a.example', header: Host, secret: K}]}, secrets: {K: v}}", `"Host" is a header that only the supervisor's transport sets`},
		{"an injected Proxy header", "{network: {origins: ['https://a.example'], inject: [{origin: 'https://a.example', header: proxy-authorization, secret: K}]}, secrets: {K: v}}", `is a header that only the supervisor's transport sets`},
		{"an injected header with a colon", "{network: {origins: ['https://a.example'], inject: [{origin: 'https://a.example', header: 'A:', secret: K}]}, secrets: {K: v}}", `"A:" is not a header name`},
		{"any injected header", "{network: {origins: ['https://a.example'], inject: [{origin: 'https://a.example', header: 'X-*', secret: K}]}, secrets: {K: v}}", `"X-*" is not a header name`},
		{"a prefix with a line end", `{"network": {"origins": ["https://a.example"], "inject": [{"origin": "https://a.example", "header": "X", "secret": "K", "prefix": "a\r\nb"}]}, "secrets": {"K": "v"}}`, `holds a character that headers do not have`},
		{"one header injected twice", "{network: {origins: ['https://a.example'], inject: [{origin: 'https://a.example', header: X, secret: K}, {origin: 'https://a.example:443', header: x, secret: K}]}, secrets: {K: v}}", `is injected twice; remove one`},
		{"a private host that is an address", "network: {privateHosts: [10.0.0.1]}", `is an address; remove it`},
		{"any private host", "network: {privateHosts: ['*.internal']}", `network.privateHosts[0]: "*.internal" has a host with a character`},
		{"a private host with a port", "network: {privateHosts: ['db:5432']}", `network.privateHosts[0]: "db:5432" has more than a host name`},
		{"a relative command", "subprocess: {commands: [jq]}", `subprocess.commands[0]: "jq" is not absolute`},
		{"nothing to be executed", "subprocess: {sandbox: {execute: []}}", `line 1:33: subprocess.sandbox.execute: is an empty list; name what may be executed, or leave it out for everything in the jail`},
		{"a list of what may be executed that came out empty", "subprocess:\n  sandbox:\n    execute:\n", `line 3:14: subprocess.sandbox.execute: is an empty list`},
		{"any variable for a command", "subprocess: {environment: {'*': x}}", `the variable name "*" holds a "*", and grants name each thing by itself; rename or remove it`},
		{"LD_PRELOAD for a command", "subprocess: {environment: {LD_PRELOAD: /x.so}}", `subprocess.environment.LD_PRELOAD: LD_PRELOAD makes the program loader load other code; remove it`},
		{"LD_PRELOAD in lower case", "subprocess: {environment: {ld_preload: /x.so}}", `makes the program loader load other code`},
		{"GLIBC_TUNABLES for a command", "subprocess: {environment: {GLIBC_TUNABLES: x}}", `changes how the C library works`},
		{"BASH_ENV for a command", "subprocess: {environment: {BASH_ENV: x}}", `makes the shell run other code`},
		{"PYTHONPATH for a command", "subprocess: {environment: {PYTHONPATH: x}}", `makes the interpreter run other code`},
		{"NODE_OPTIONS for a command", "subprocess: {environment: {NODE_OPTIONS: x}}", `makes the interpreter run other code`},
		{"a shell function for a command", "subprocess: {environment: {'BASH_FUNC_ls%%': x}}", `defines a function in the shell`},
		{"a variable with an equals sign", "environment: {'A=B': x}", `holds a "="`},
		{"every variable", "environment: {'AWS_*': x}", `the variable name "AWS_*" holds a "*"`},
		{"a variable with a number", "environment: {A: 1}", `environment.A: is a number, not text; write it in quotes`},
		{"a zero timeout", "subprocess: {timeoutMs: 0}", `subprocess.timeoutMs: 0 is below the minimum of 1; use an integer from 1 to 86400000, or leave it out for the default, 30000`},
		{"every secret", "secrets: {'*': v}", `the secret name "*" holds a "*"`},
		{"a secret without a source", "secrets: {K: {}}", `secrets.K: has 0 sources; give one that is not empty`},
		{"an empty secret", "secrets: {K: ''}", `secrets.K: has 0 sources`},
		{"a secret with two sources", "secrets: {K: {fromEnv: A, fromFile: /b}}", `secrets.K: has 2 sources`},
		{"a secret from a relative file", "secrets: {K: {fromFile: b}}", `secrets.K.fromFile: "b" is not absolute`},
		{"every tool", "tools: {allowed: [get_account, '*']}", `line 1:32: tools.allowed[1]: the tool name "*" holds a "*", and grants name each thing by itself; name a registered tool`},
		{"tools by a pattern", "tools: {allowed: ['get_*']}", `the tool name "get_*" holds a "*"`},
		{"a tool name with a space", "tools: {allowed: ['a b']}", `holds a space or control character`},
		{"a module of the realm's own", "modules: {'realm:capabilities': /x.mjs}", `is the realm's own; rename it`},
		{"a private host with a scheme", "network: {privateHosts: ['https://a.b']}", `"https://a.b" has more than a host name; write a host name`},
		{"a relative module", "modules: {./a.js: /opt/a.js}", `the specifier "./a.js" is a relative path, which only files of a package can import; name what the source imports, such as`},
		{"the module of a parent", "modules: {..: /opt/a.js}", `the specifier ".." is a relative path`},
		{"every module", "modules: {'lib/*': /opt/lib}", `the specifier "lib/*" holds a "*"`},
		{"a relative module", "modules: {lodash: ./x.mjs}", `modules.lodash: "./x.mjs" is not absolute`},
		{"a wasm module without a path", "wasm: [{name: calc}]", `wasm[0].wasmPath: "" is empty`},
		{"every wasm module", "wasm: [{name: '*', wasmPath: /a}]", `wasm[0].name: the name "*" holds a "*"`},
		{"two wasm modules of one name", "wasm: [{name: a, wasmPath: /a}, {name: a, wasmPath: /b}]", `wasm[1].name: the name "a" is used twice`},
		{"a wasm module without WebAssembly", "{engine: {jit: false}, wasm: [{name: a, wasmPath: /a, jsBindingPath: /b}]}", `line 1:16: engine.jit: false takes WebAssembly away, which wasm "a" needs`},
		{"a time zone that nobody knows", "engine: {timeZone: Mars/Olympus}", `line 1:20: engine.timeZone: "Mars/Olympus" is not a time zone name; write an IANA name`},
		{"a time zone in other letters", "engine: {timeZone: europe/berlin}", `is not a time zone name; write Europe/Berlin`},
		{"UTC in other letters", "engine: {timeZone: utc}", `is not a time zone name; write UTC`},
		{"a place", "engine: {timeZone: Tokyo}", `is not a time zone name; write Asia/Tokyo`},
		{"two time zones", "engine: {timeZone: Etc/UCT Etc/UTC}", `is not a time zone name`},
		{"a malformed time zone", "engine: {timeZone: ../etc/passwd}", `is not a time zone name`},
		{"a malformed locale", "engine: {locale: 'en;US'}", `is not a language tag`},
		{"a locale with an overlong part", "engine: {locale: en-abcdefghi}", `is not a language tag`},
		{"a locale with an empty part", "engine: {locale: de--DE}", `is not a language tag`},
		{"a locale with an overlong language", "engine: {locale: abcdefgh}", `is not a language tag`},
		{"a locale without a language", "engine: {locale: x-private}", `is not a language tag`},
		{"a limit above its maximum", "resources: {memoryMb: 4001}", `resources.memoryMb: 4001 is above the maximum of 4000; use an integer from 1 to 4000, or leave it out for the default, 256`},
	} {
		t.Run(c.claim, func(t *testing.T) {
			_, err := Load(strings.NewReader(c.document))
			var list *Error
			if !errors.As(err, &list) {
				t.Fatalf("error %v is no *Error", err)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("got  %s\nwant %s", err, c.want)
			}
		})
	}
}

func TestEveryLimitHoldsItsBounds(t *testing.T) {
	for _, l := range LimitTable() {
		for _, c := range []struct {
			value string
			want  string
		}{
			{"1", ""}, {fmt.Sprint(l.Maximum), ""},
			{"0", "0 is below the minimum of 1"}, {"-1", "-1 is below the minimum of 1"},
			{fmt.Sprint(l.Maximum + 1), fmt.Sprintf("is above the maximum of %d", l.Maximum)},
			{"1.5", "1.5 is not an integer"}, {"'5'", "is text, not a number"}, {"", "has no value"},
		} {
			_, err := Load(strings.NewReader("resources: {" + l.Key + ": " + c.value + "}"))
			switch {
			case c.want == "" && err != nil:
				t.Errorf("%s: %s is refused: %v", l.Key, c.value, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), "resources."+l.Key+": ") || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%s: %s: got %v, want %s", l.Key, c.value, err, c.want)
			}
		}
		var r Resources
		*l.field(&r) = -1
		if err := (Grants{Resources: r}).Validate(); err == nil {
			t.Errorf("%s: -1 in Go is accepted", l.Key)
		}
		*l.field(&r) = l.Maximum + 1
		if err := (Grants{Resources: r}).Validate(); err == nil {
			t.Errorf("%s: %d in Go is accepted", l.Key, l.Maximum+1)
		}
	}
}

func TestDefaultsAreThoseOfTheDocumentation(t *testing.T) {
	want := Limits{MemoryMb: 256, RealmMemoryMb: 448, WallClockMs: 30000, CPUMs: 30000, MaxCodeBytes: 524288, MaxResultBytes: 5242880, MaxOperations: 100,
		MaxReadBytes: 1 << 20, MaxWriteBytes: 1 << 20, MaxNetworkBytes: 1 << 20, MaxProcessOutputBytes: 1 << 20, MaxDataRequests: 20, MaxDataBytes: 52428800,
		MaxStatusEvents: 1000, MaxLogBytes: 262144, MaxPids: 64}
	if got := (Resources{}).Resolve(); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	got := Resources{MemoryMb: 1000, WallClockMs: 5000}.Resolve()
	if got.RealmMemoryMb != 1192 || got.CPUMs != 5000 {
		t.Errorf("derived limits do not follow what they derive from: %+v", got)
	}
}

// Covers: T-OP-03
func TestPrintingGrantsShowsNoSecret(t *testing.T) {
	g := load(t, full)
	for _, text := range []string{fmt.Sprintf("%v %+v %#v", g, g, g), fmt.Sprint(g.Secrets["RAW"])} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("printed: %s", text)
		}
	}
	other := g
	other.Secrets = map[string]Secret{"API_TOKEN": g.Secrets["API_TOKEN"], "PIN": g.Secrets["PIN"], "RAW": {Value: "another"}}
	if Hash(g) != Hash(other) {
		t.Error("the hash depends on a secret's value")
	}
}

// Go programs are held to what documents are.
func TestAnEmptyListOfWhatMayBeExecutedIsRefusedInGoToo(t *testing.T) {
	if err := (Grants{Subprocess: Subprocess{Sandbox: Sandbox{Execute: []string{}}}}).Validate(); err == nil {
		t.Error("it is accepted")
	}
	if err := (Grants{Tools: Tools{Allowed: []string{}}, Network: Network{Origins: []string{}}}).Validate(); err != nil {
		t.Errorf("lists that mean nothing when they are empty: %v", err)
	}
}

func TestHashesAreOfTheMeaning(t *testing.T) {
	a := load(t, "network: {origins: ['https://A.example:443']}")
	b := load(t, "{\"network\": {\"origins\": [\"https://a.example\"], \"methods\": [\"GET\"]}}")
	if Hash(a) != Hash(b) {
		t.Error("two spellings of one grant have two hashes")
	}
	if Hash(a) == Hash(load(t, "network: {origins: ['http://a.example']}")) {
		t.Error("two grants have one hash")
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(full)
	f.Add(`{"filesystem":{"read":["/srv"]},"resources":{"maxOperations":1}}`)
	f.Add("secrets: {A: b}\nnetwork: {origins: ['http://[::1]:80', 'https://b\u00fccher.example', 'http://0x7f.1']}")
	f.Add("subprocess: {environment: {LD_PRELOAD: x}}")
	f.Fuzz(func(t *testing.T, document string) {
		g, err := Load(strings.NewReader(document))
		if err != nil {
			return
		}
		normal, err := g.Normalize()
		if err != nil {
			t.Fatalf("loaded grants do not validate: %v", err)
		}
		again, err := normal.Normalize()
		if err != nil || Hash(again) != Hash(g) {
			t.Fatalf("normal form is not stable: %v", err)
		}
		c := NewChecker(g)
		for _, root := range normal.Filesystem.Read {
			if _, err := c.FileRead(root); err != nil {
				t.Fatalf("granted root %q is denied: %v", root, err)
			}
		}
		for _, origin := range normal.Network.Origins {
			if _, err := c.Fetch(normal.Network.Methods[0], origin); err != nil {
				t.Fatalf("granted origin %q is denied: %v", origin, err)
			}
		}
	})
}
