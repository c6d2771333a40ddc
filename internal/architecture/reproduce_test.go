package architecture

import (
	"os"
	"os/exec"
	"testing"
)

// The realm's build is as reproducible, and takes minutes: `make supply`.
//
// Covers: T-SUP-01
func TestTheSupervisorsBuildIsReproducible(t *testing.T) {
	cmd := exec.Command("scripts/reproduce.sh")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "ONLY=supervisor", "CACHE=shared")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
