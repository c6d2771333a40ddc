package cli

import (
	"strings"
	"testing"

	"realm.internal/supervisor/internal/engine/prelude"
	"realm.internal/supervisor/pkg/grants"
)

func TestEveryGlobalOfTheRealmIsDeclared(t *testing.T) {
	text := declarations(nil)
	for _, part := range prelude.Parts() {
		for _, name := range part.Globals {
			if !declared(text, name) {
				t.Errorf("%s is not declared", name)
			}
		}
	}
}

func declared(text, name string) bool {
	for _, kind := range []string{"const", "function", "class"} {
		for _, end := range []string{":", "(", "<", " "} {
			if strings.Contains(text, "declare "+kind+" "+name+end) {
				return true
			}
		}
	}
	return false
}

func TestDeclarationsNameWhatIsGranted(t *testing.T) {
	no := false
	text := declarations(&grants.Grants{
		Environment: map[string]string{"MODE": "x", "A": "y"},
		Secrets:     map[string]grants.Secret{"T": {Value: "v"}, "HIDDEN": {Value: "v", Guest: &no}, "INJECTED": {Value: "v"}},
		Network:     grants.Network{Inject: []grants.Injection{{Secret: "INJECTED"}}},
		Tools:       grants.Tools{Allowed: []string{"get_account", "with-dash", "await"}},
		Modules:     map[string]string{"lodash": "/opt/lodash.mjs"},
	})
	for _, want := range []string{
		`type EnvironmentName = "A" | "MODE";`, `type SecretName = "T";`,
		`type ToolName = "get_account" | "with-dash" | "await";`,
		"declare function get_account(", `declare module "lodash";`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, never := range []string{"declare function await", "declare function with-dash"} {
		if strings.Contains(text, never) {
			t.Errorf("%s is there", never)
		}
	}
	if text := declarations(&grants.Grants{}); !strings.Contains(text, "type SecretName = never;") {
		t.Error("nothing granted is not never")
	}
}

func TestPromptIsShortAndSaysWhatIsGranted(t *testing.T) {
	text := promptFor(&grants.Grants{Filesystem: grants.Filesystem{Read: []string{"/srv/input"}}})
	if !strings.Contains(text, "may read files beneath /srv/input") || strings.Contains(text, "GRANTED") || len(text) > 4000 {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	if text := promptFor(nil); strings.Contains(text, "GRANTED") {
		t.Error(text)
	}
}
