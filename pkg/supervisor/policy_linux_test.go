package supervisor_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/policy"
	"realm.internal/supervisor/pkg/supervisor"
)

func loadPolicy(t *testing.T, document string) *policy.Policy {
	t.Helper()
	p, err := policy.Load(strings.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Covers: T-POL-01
func TestRunsAreHeldToThePolicy(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, d := range []string{"in", "log", "elsewhere"} {
		if err := os.Mkdir(at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(at("elsewhere"), at("in/out")); err != nil {
		t.Fatal(err)
	}
	p := loadPolicy(t, strings.ReplaceAll(`version: 1
requiredLayers: [cgroup.memory]
ceilings:
  filesystem: {read: [DIR/in], write: [DIR/in, DIR/log]}
  subprocess: {commands: [/bin/true], sandbox: {read: [DIR/in], write: [DIR/log]}}
  environment: {MODE: "*"}
profiles:
  plain: {environment: {MODE: profile}}
audit: [{file: DIR/log/audit.log}]
pool: {maxConcurrent: 2}
`, "DIR", dir))
	mode := `import { environment } from "realm:capabilities"; export default () => environment("MODE")`
	for _, c := range []struct {
		claim   string
		grants  grants.Grants
		profile string
		limits  supervisor.Limits
		config  func(*supervisor.Config)
		want    any    // the value
		wrong   string // part of the error
	}{
		{claim: "within the ceilings", grants: grants.Grants{Environment: map[string]string{"MODE": "own"}}, want: "own"},
		{claim: "a profile", profile: "plain", want: "profile"},
		{claim: "an unknown profile", profile: "absent", wrong: `policy has no profile "absent"`},
		{claim: "beyond the ceilings", grants: grants.Grants{Environment: map[string]string{"HOME": "/"}},
			wrong: "the variable HOME is beyond the policy, which allows the variables MODE"},
		{claim: "a limit beyond the ceilings", grants: grants.Grants{Environment: map[string]string{"MODE": "own"}}, limits: supervisor.Limits{WallClockMs: 30001},
			wrong: "resources.wallClockMs: 30001 is above the policy's 30000"},
		{claim: "a link out of a ceiling", grants: grants.Grants{Filesystem: grants.Filesystem{Read: []string{at("in/out")}}},
			wrong: "leads out of what the policy allows"},
		{claim: "a write root that holds the audit log", grants: grants.Grants{Filesystem: grants.Filesystem{Write: []string{at("log")}}},
			wrong: "which the supervisor depends on"},
		{claim: "a link out of a ceiling, for a command", wrong: "leads out of what the policy allows",
			grants: grants.Grants{Subprocess: grants.Subprocess{Commands: []string{"/bin/true"}, Sandbox: grants.Sandbox{Read: []string{at("in/out")}}}}},
		{claim: "a write root that holds the audit log, for a command", wrong: "which the supervisor depends on",
			grants: grants.Grants{Subprocess: grants.Subprocess{Commands: []string{"/bin/true"}, Sandbox: grants.Sandbox{Write: []string{at("log")}}}}},
		{claim: "more realms than the policy's", config: func(c *supervisor.Config) { c.MaxConcurrent = 3 }, wrong: "MaxConcurrent is 3, which is beyond the policy's 2"},
	} {
		cfg := supervisor.Config{RealmPath: realmPath, Policy: p}
		if c.config != nil {
			c.config(&cfg)
		}
		var res *supervisor.Result
		s, err := supervisor.New(cfg)
		if err == nil {
			res, err = s.Run(t.Context(), supervisor.Request{Source: mode, Grants: c.grants, Profile: c.profile, Limits: c.limits})
			if err := s.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		}
		switch {
		case c.wrong != "":
			if !errors.Is(err, supervisor.ErrInvalid) || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v, want %q", c.claim, err, c.wrong)
			}
		case err != nil:
			t.Errorf("%s: %v", c.claim, err)
		case res.Value != c.want || res.Receipt.PolicySHA256 != policy.Hash(p):
			t.Errorf("%s: %v, policy %s", c.claim, res.Value, res.Receipt.PolicySHA256)
		}
	}
}

func TestAProfileNeedsAPolicy(t *testing.T) {
	_, err := supervisor.Run("1", grants.Grants{}, supervisor.WithRealmPath(realmPath), supervisor.WithProfile("plain"))
	if !errors.Is(err, supervisor.ErrInvalid) || !strings.Contains(err.Error(), "there is no policy") {
		t.Error(err)
	}
}

func TestTheSelfCheckNeedsNeitherPlaceNorPolicyNorLog(t *testing.T) {
	var records int
	s, err := supervisor.New(supervisor.Config{
		RealmPath: realmPath, MaxConcurrent: 1,
		Policy: loadPolicy(t, "version: 1\nceilings: {resources: {memoryMb: 32}}"),
		Audit:  audit.NewFunc(func(audit.Record) error { records++; return errors.New("full") }),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SelfCheck(t.Context()); err != nil || records != 0 {
		t.Errorf("%v, %d records", err, records)
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.SelfCheck(t.Context()); err == nil {
		t.Error("a supervisor that is shut down checks well")
	}
}
