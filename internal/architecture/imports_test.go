package architecture

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const module = "realm.internal/supervisor/"

// rule forbids every package below From to depend on a package below one of Never.
type rule struct {
	from  string
	never []string
	why   string
}

var rules = []rule{
	{"cmd/realm", []string{"internal/broker", "internal/capability", "internal/confine", "internal/launch", "internal/cgroup", "pkg/grants", "pkg/policy", "pkg/audit", "pkg/supervisor"}, "the child must not hold what decides about it"},
	{"internal/realm", []string{"internal/broker", "internal/capability", "internal/launch", "pkg/grants", "pkg/policy", "pkg/audit"}, "the child must not hold what decides about it"},
	{"internal/engine", []string{"internal/broker", "internal/capability", "internal/launch", "pkg/grants", "pkg/policy", "pkg/audit"}, "the child must not hold what decides about it"},
	{"internal/v8", []string{"internal/broker", "internal/capability", "internal/launch", "pkg/grants", "pkg/policy", "pkg/audit"}, "the child must not hold what decides about it"},
	{"pkg/supervisor", []string{"internal/engine", "internal/v8", "internal/realm", "internal/launcher"}, "the supervisor never evaluates"},
	{"cmd/supervisor", []string{"internal/engine", "internal/v8", "internal/realm", "internal/launcher"}, "the supervisor never evaluates"},
	{"internal/launch", []string{"pkg/rpc", "pkg/grants", "internal/engine", "internal/broker", "internal/capability"}, "launching knows processes, not messages or decisions"},
	{"internal/cgroup", []string{"pkg/rpc", "pkg/grants", "internal/engine", "internal/broker"}, "limits are values here"},
	{"internal/capability/filesystem", othersThan("filesystem"), "executors know tickets alone"},
	{"internal/capability/network", othersThan("network"), "executors know tickets alone"},
	{"internal/capability/subprocess", othersThan("subprocess"), "executors know tickets alone"},
	{"internal/capability/secret", othersThan("secret"), "executors know tickets alone"},
	{"internal/capability/environment", othersThan("environment"), "executors know tickets alone"},
	{"internal/capability/tool", othersThan("tool"), "executors know tickets alone"},
	{"pkg/rpc", []string{"pkg/grants", "internal/broker", "internal/capability", "internal/launch"}, "frames carry, they do not decide"},
}

// othersThan is what one that executes calls must not know: messages, who dispatches them, and the others.
func othersThan(executor string) []string {
	never := []string{"pkg/rpc", "internal/broker"}
	for _, name := range []string{"filesystem", "network", "subprocess", "secret", "environment", "tool"} {
		if name != executor {
			never = append(never, "internal/capability/"+name)
		}
	}
	return never
}

// impure packages that decisions must not import themselves.
var impure = []string{"os", "os/exec", "net", "net/http", "syscall", "unsafe", "golang.org/x/sys/unix"}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
	CgoFiles   []string
}

func list(t *testing.T, cgo string, patterns ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Imports,Deps,CgoFiles"}, patterns...)...)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func below(path, dir string) bool {
	path = strings.TrimPrefix(path, module)
	return path == dir || strings.HasPrefix(path, dir+"/")
}

func TestPackagesKnowOnlyWhatTheRulesAllow(t *testing.T) {
	all := list(t, "1", "./...")
	if len(all) < 10 {
		t.Fatalf("only %d packages found", len(all))
	}
	for _, r := range rules {
		found := false
		for _, p := range all {
			if !below(p.ImportPath, r.from) {
				continue
			}
			found = true
			for _, dep := range p.Deps {
				for _, never := range r.never {
					if strings.HasPrefix(dep, module) && below(dep, never) {
						t.Errorf("%s depends on %s: %s", p.ImportPath, dep, r.why)
					}
				}
			}
		}
		if !found {
			t.Errorf("no package below %s: the rule is out of date", r.from)
		}
	}
}

func TestDecisionsImportNothingThatTouchesTheHost(t *testing.T) {
	for _, p := range list(t, "0", "./pkg/grants") {
		for _, i := range p.Imports {
			for _, bad := range impure {
				if i == bad {
					t.Errorf("pkg/grants imports %s", i)
				}
			}
			if strings.HasPrefix(i, module) && i != module+"internal/document" {
				t.Errorf("pkg/grants imports %s", i)
			}
		}
	}
}

// Their package initialisation takes milliseconds, which every start of the command line would pay.
func TestTheCommandLineLinksNothingSlowToStart(t *testing.T) {
	slow := []string{"go.opentelemetry.io/", "google.golang.org/", "github.com/prometheus/", "github.com/getkin/"}
	found := false
	for _, p := range list(t, "0", "./cmd/supervisor", "./cmd/traces") {
		for _, dep := range p.Deps {
			for _, s := range slow {
				if strings.HasPrefix(dep, s) && below(p.ImportPath, "cmd/supervisor") {
					t.Errorf("%s links %s", p.ImportPath, dep)
				}
				found = found || strings.HasPrefix(dep, s)
			}
		}
	}
	if !found {
		t.Error("nothing links any of them: the list is out of date")
	}
}

func TestTheSupervisorBuildsWithoutCgo(t *testing.T) {
	for _, p := range list(t, "1", "-deps", "./cmd/supervisor", "./pkg/supervisor") {
		if strings.HasPrefix(p.ImportPath, module) && len(p.CgoFiles) > 0 {
			t.Errorf("%s uses cgo", p.ImportPath)
		}
	}
}

func TestOnlyOnePackageKnowsTheBinding(t *testing.T) {
	for _, p := range list(t, "1", "./...") {
		for _, i := range p.Imports {
			if (strings.Contains(i, "/v8go") || i == "rogchap.com/v8go") && p.ImportPath != module+"internal/v8" {
				t.Errorf("%s imports %s", p.ImportPath, i)
			}
		}
	}
}
