package probe

import (
	"os/exec"
	"strings"
	"testing"
)

// Not even the tag brings probes into a binary that is shipped.
func TestOnlyTheProbeBinaryHoldsProbes(t *testing.T) {
	list := exec.Command("go", "list", "-tags", "probe", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "realm.internal/supervisor/...")
	output, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	const probe, native = "realm.internal/supervisor/internal/probe", "realm.internal/supervisor/internal/probe/native"
	importers := 0
	for line := range strings.Lines(string(output)) {
		names := strings.Fields(line)
		for _, imported := range names[1:] {
			if imported != probe && imported != native {
				continue
			}
			importers++
			if names[0] != native {
				t.Errorf("%s imports %s", names[0], imported)
			}
		}
	}
	if importers != 1 {
		t.Errorf("%d importers, want the probe binary", importers)
	}
}
