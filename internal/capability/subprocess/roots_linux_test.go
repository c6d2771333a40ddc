package subprocess

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

func TestRootsOfTheJailAreReachedBeneathTheCeilings(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"allowed/in", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"allowed/out": filepath.Join(dir, "other"), "allowed/up": "../other", "allowed/same": "in", "entry": filepath.Join(dir, "allowed"),
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	within := Config{Ceilings: &grants.Sandbox{Read: []string{at("allowed"), at("entry")}, Write: []string{at("allowed/in")}}}
	for _, c := range []struct {
		claim       string
		config      Config
		read, write []string
		want        string // part of the error; "": allowed
	}{
		{"a ceiling itself", within, []string{at("allowed")}, nil, ""},
		{"a ceiling that is a link", within, []string{at("entry")}, nil, ""},
		{"below a ceiling", within, []string{at("allowed/in")}, []string{at("allowed/in")}, ""},
		{"a link that stays", within, []string{at("allowed/same")}, nil, ""},
		{"a link to elsewhere", within, []string{at("allowed/out")}, nil, "leads out of what the policy allows"},
		{"a link upwards", within, []string{at("allowed/up")}, nil, "leads out of what the policy allows"},
		{"beside every ceiling", within, []string{at("other")}, nil, "leads out of what the policy allows"},
		{"writing where reading is allowed", within, nil, []string{at("allowed")}, "leads out of what the policy allows"},
		{"no ceilings", Config{}, []string{at("allowed/out")}, nil, ""},
		{"a write root above a protected path", Config{Protect: []string{at("other/audit.log")}}, nil, []string{at("allowed/out")}, "which the supervisor depends on"},
		{"a read root above a protected path", Config{Protect: []string{at("other/audit.log")}}, []string{at("other")}, nil, ""},
	} {
		_, err := c.config.openRoots(grants.Sandbox{Read: c.read, Write: c.write})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.claim, err, c.want)
		}
	}
}
