package supervisor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"realm.internal/supervisor/internal/launch"
)

// Where nothing could be launched, the code says whose affair it is.
func TestLaunchErrorsAreClassified(t *testing.T) {
	late := fmt.Errorf("launch: %w", &launch.NotReady{Step: "the start of the engine", After: 20 * time.Second})
	for _, c := range []struct {
		err  error
		code Code
		says []string
	}{
		{late, CodeCapacity, []string{"20s", "the start of the engine", "nothing ran"}},
		{&launch.Unenforceable{Layer: "userns", Detail: "refused", Fix: "a fix"}, CodeUnenforceable, []string{"userns", "refused"}},
		{&launch.BinaryError{Path: "/realm", Problem: launch.BinaryMissing}, CodeInvalid, []string{"/realm", "not found"}},
		{fmt.Errorf("anything else"), CodeInternal, []string{"anything else"}},
	} {
		e := launchError(c.err)
		if e.Code != c.code || e.Phase != "launch" {
			t.Errorf("%v: %s in phase %s", c.err, e.Code, e.Phase)
		}
		for _, part := range c.says {
			if !strings.Contains(e.Message, part) {
				t.Errorf("%q does not say %q", e.Message, part)
			}
		}
		if c.code == CodeCapacity && !strings.Contains(e.Hint, "maxConcurrent") {
			t.Errorf("hint %q", e.Hint)
		}
	}
}
