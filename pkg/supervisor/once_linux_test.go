package supervisor_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

func TestOneCallRunsOneSource(t *testing.T) {
	t.Parallel()
	log := audit.NewMemory()
	res, err := supervisor.Run(`export default async (input, a, b) => [input.k, a, b, await hello({})]`,
		grants.Grants{Tools: grants.Tools{Allowed: []string{"hello"}}},
		supervisor.WithInput(map[string]int{"k": 1}), supervisor.WithArgs("x", 2), supervisor.WithMode(supervisor.ModeModule), supervisor.WithName("job.js"),
		supervisor.WithTools(map[string]supervisor.Tool{"hello": func(context.Context, json.RawMessage) (any, error) { return "there", nil }}),
		supervisor.WithAudit(log), supervisor.WithLimits(supervisor.Limits{WallClockMs: 20_000}), supervisor.WithRealmPath(realmPath))
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := res.ValueJSON(); string(text) != `[1,"x",2,"there"]` {
		t.Errorf("value %s", text)
	}
	if len(log.Records()) != 4 || len(res.Audit) != 4 {
		t.Errorf("records %v", log.Records())
	}
	var document struct{ Realm struct{ SHA256 string } }
	text, err := json.Marshal(res.Receipt) // the supervisor is gone, its receipt is not
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil || len(document.Realm.SHA256) != 64 {
		t.Errorf("receipt %s, %v", text, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if res, err = supervisor.RunContext(ctx, `1`, grants.Grants{}); !errors.Is(err, supervisor.ErrAborted) || res == nil {
		t.Errorf("%v, %v", res, err)
	}
}
