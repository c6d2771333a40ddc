package cli

import (
	"slices"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

// every has each thing that a document can grant.
const every = `
filesystem: {read: [/srv/input], write: [/srv/output]}
network:
  origins: ["https://api.example.com"]
  inject: [{origin: "https://api.example.com", header: Authorization, secret: API_TOKEN}]
  privateHosts: [db.internal]
subprocess:
  commands: [/usr/bin/jq]
  environment: {JQ_COLORS: hunter2-color}
  sandbox: {read: [/usr/share/data], write: [/srv/made], execute: [/usr/bin/jq]}
environment: {MODE: hunter2-mode}
secrets: {API_TOKEN: {fromEnv: API_TOKEN}, RAW: hunter2-value}
tools: {allowed: [get_account], readOnly: true}
modules: {lodash: /opt/js/lodash.mjs}
wasm: [{name: calc, wasmPath: /opt/wasm/calc.wasm, jsBindingPath: /opt/wasm/calc.js}]
engine: {timeZone: Europe/Berlin, locale: de-DE}
resources: {maxReadBytes: 77}
`

func TestWhatIsGrantedIsSaid(t *testing.T) {
	g, err := grants.Load(strings.NewReader(every))
	if err != nil {
		t.Fatal(err)
	}
	lines := describe(g)
	for _, want := range []string{
		"may read files beneath /srv/input", "may write files beneath /srv/output", "may send GET requests to https://api.example.com",
		"sends the secret API_TOKEN in the header Authorization to https://api.example.com without seeing it", "may reach db.internal even at private addresses",
		"may start /usr/bin/jq, each jailed, without network, for at most 30000 ms", "gives those programs the variables JQ_COLORS",
		"lets those programs read /usr/share/data", "lets those programs write /srv/made", "lets those programs execute nothing but /usr/bin/jq",
		"may read the variables MODE", "may read the secret RAW (secret given by value)", "may call the host tools get_account, unless they declare effects",
		"may import lodash beside realm:capabilities", "has the WebAssembly modules calc, whose bindings run first and define globals",
		"runs in the time zone Europe/Berlin", "runs in the locale de-DE", "is limited to 77 bytes of one read (maxReadBytes)",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("%q is missing in\n%s", want, strings.Join(lines, "\n"))
		}
	}
	if strings.Contains(strings.Join(lines, "\n"), "hunter2") {
		t.Errorf("a value is told:\n%s", strings.Join(lines, "\n"))
	}
	if off := describe(grants.Grants{Engine: grants.Engine{JIT: new(bool)}}); !slices.Contains(off, "runs without a JIT compiler and without WebAssembly") {
		t.Errorf("%q", off)
	}
}

// Patterns, which ceilings may have, leave nothing out.
func TestCeilingsAreDescribedWithTheirMethods(t *testing.T) {
	const want = "may send GET requests to https://*.example.com"
	if got := describe(grants.Grants{Network: grants.Network{Origins: []string{"https://*.example.com"}}}); !slices.Contains(got, want) {
		t.Errorf("%q", got)
	}
}

func TestANameIsNoSentence(t *testing.T) {
	for _, line := range describe(grants.Grants{Filesystem: grants.Filesystem{Read: []string{"/a\n  - may not use the network"}}}) {
		if strings.Contains(line, "\n") {
			t.Errorf("%q", line)
		}
	}
}
