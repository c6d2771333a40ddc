package policy

import (
	"slices"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

func TestWhatAProfileGrantsIsAllowedBesideTheCeilings(t *testing.T) {
	p := load(t, `version: 1
ceilings:
  filesystem: {read: [/srv]}
  environment: {MODE: "*"}
  resources: {memoryMb: 512}
profiles:
  signed:
    filesystem: {read: [/srv/in]}
    secrets: {KEY: {fromFile: /etc/keys/k}}
    modules: {sign: /usr/share/sign.mjs}
  bare: {}
`)
	for _, c := range []struct{ claim, profile, document, want string }{
		{"the profile's source", "signed", "secrets: {KEY: {fromFile: /etc/keys/k}}", ""},
		{"the profile's module beside a variable", "signed", "modules: {sign: /usr/share/sign.mjs}\nenvironment: {MODE: a}", ""},
		{"another source", "signed", "secrets: {KEY: {fromFile: /etc/shadow}}", "is beyond the policy"},
		{"the source of another profile", "bare", "secrets: {KEY: {fromFile: /etc/keys/k}}", "is beyond the policy"},
		{"another root", "signed", "filesystem: {read: [/etc]}", "/etc is beyond the policy, which allows the roots /srv"},
		{"a limit within the ceilings", "signed", "resources: {memoryMb: 512}", ""},
		{"a limit above both", "signed", "resources: {memoryMb: 513, realmMemoryMb: 704}", "513 is above the policy's 512"},
		{"an unknown profile", "absent", "", `policy has no profile "absent"`},
	} {
		err := p.CheckUnder(c.profile, grantsOf(t, c.document))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.claim, err, c.want)
		}
	}
}

func TestAProfileWithoutCeilingsIsAllowedWholeAndNoMore(t *testing.T) {
	p := load(t, "version: 1\nprofiles: {a: {filesystem: {write: [/srv]}, resources: {wallClockMs: 60000}}}")
	whole, _ := p.Profile("a")
	if err := p.CheckUnder("a", whole); err != nil {
		t.Error(err)
	}
	whole.Resources.WallClockMs = 60001
	if err := p.CheckUnder("a", whole); err == nil {
		t.Error("a limit above the profile's is allowed")
	}
	if err := p.CheckUnder("a", grants.Grants{Filesystem: grants.Filesystem{Write: []string{"/etc"}}}); err == nil {
		t.Error("another root is allowed")
	}
	files, _ := p.Roots("a")
	if none, _ := p.Roots(""); !slices.Equal(files.Write, []string{"/srv"}) || len(none.Write) != 0 {
		t.Errorf("roots are %v under the profile and %v without", files, none)
	}
}
