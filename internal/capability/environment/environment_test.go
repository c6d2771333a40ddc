package environment

import (
	"testing"

	"realm.internal/supervisor/pkg/grants"
)

// E1 of the cases: the supervisor's own variables are out of reach.
func TestOnlyGrantedVariablesAreRead(t *testing.T) {
	t.Setenv("CANARY", "canary")
	checker := grants.NewChecker(grants.Grants{Environment: map[string]string{"MODE": "analysis", "EMPTY": ""}})
	for name, want := range map[string]string{"MODE": "analysis", "EMPTY": ""} {
		ticket, err := checker.Environment(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Read(ticket); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	ticket, err := checker.Environment("CANARY")
	if err == nil {
		t.Error("the canary is granted")
	}
	if got, err := Read(ticket); err == nil || got != "" {
		t.Errorf("without a ticket: %q, %v", got, err)
	}
}
