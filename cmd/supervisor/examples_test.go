package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheExamplesRun(t *testing.T) {
	library := exec.Command("go", "run", ".")
	library.Dir = "../../examples/library"
	demo := exec.Command("../../scripts/demo.sh")
	for want, cmd := range map[string]*exec.Cmd{"refused: filesystem.read\n": library, `"outcome":"denied"`: demo} {
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v\n%s", cmd.Args, err, out)
		}
	}
}
