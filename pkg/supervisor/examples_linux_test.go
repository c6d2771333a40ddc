package supervisor_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

const examples = "../../examples"

func example(t testing.TB, name string) string { return read(t, filepath.Join(examples, name)) }

// exampleGrants are what a script of the examples prints.
func exampleGrants(t testing.TB, script string, args ...string) change {
	t.Helper()
	out, err := exec.Command(script, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	g, err := grants.Load(strings.NewReader(string(out)))
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return granted(g)
}

func TestTheExampleOfAPackageOfOurOwnRuns(t *testing.T) {
	t.Parallel()
	yields(t, `"1  /srv/notes 📓  911 B\n2  /srv/café     47 KiB\n3  /srv/photos   6.8 GiB"`,
		example(t, "modules/disk.ts"), exampleGrants(t, examples+"/modules/grants.sh", "text-table"))
}

// Two packages of the npm registry, as their authors publish them. Where npm
// cannot install them there is nothing to show, and the test says so.
func TestTheExampleOfPackagesFromARegistryRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"package.json", "install.sh", "grants.sh"} {
		if err := copyFile(filepath.Join(dir, name), filepath.Join(examples, "modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, dir+"/install.sh").CombinedOutput(); err != nil {
		t.Skipf("npm cannot install here: %v\n%.300s", err, out)
	}
	packages := exampleGrants(t, dir+"/grants.sh", "date-fns", "zod")
	yields(t, `{"due":{"A-1":"2024-03-01"},"refused":["placed","id, days"]}`, example(t, "modules/orders.ts"), packages)

	res := succeed(t, `import { addDays } from 'date-fns'; export default addDays(new Date(0), 1)`, packages)
	if when, ok := res.Value.(time.Time); !ok || when.Unix() != 86_400 {
		t.Errorf("%v", res.Value)
	}
	_, e := fails(t, supervisor.ErrValidation, `import { z } from 'zod/none'; export default z`, packages)
	contains(t, e.Message, "zod/none")
}

func TestTheExampleOfWebAssemblyRuns(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(examples + "/wasm/distance.wasm"); err != nil {
		t.Fatal(err)
	}
	yields(t, `[{"word":"recieve","best":"receive","distance":2},{"word":"seperate","best":"separate","distance":1},{"word":"naïve","best":"naive","distance":1}]`,
		example(t, "wasm/spelling.ts"), exampleGrants(t, examples+"/wasm/grants.sh"))
}
