// Command library shows the supervisor as a Go library: a host tool, grants, a
// typed result, and what a refusal looks like.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// guest is what a model might write: nobody has read it.
const guest = `
import { readText, request } from "realm:capabilities";

export default async (path: string) => {
  const customers: string[] = (await readText(path)).trim().split("\n");
  const balances = await Promise.all(customers.map((id) => request("get_balance", { id })));
  return { customers: customers.length, total: balances.reduce((a: number, b: number) => a + b, 0) };
};
`

// getBalance is an ordinary Go function that the guest may call by name.
func getBalance(_ context.Context, params json.RawMessage) (any, error) {
	var p struct{ ID string }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	balances := map[string]float64{"ada": 12.5, "grace": 30}
	if b, ok := balances[p.ID]; ok {
		return b, nil
	}
	return nil, fmt.Errorf("no customer %q", p.ID)
}

func main() {
	dir, err := os.MkdirTemp("", "library-example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := dir + "/customers.txt"
	if err := os.WriteFile(file, []byte("ada\ngrace\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	if err := run(dir, file); err != nil {
		log.Fatal(err)
	}
}

func run(dir, file string) error {
	sup, err := supervisor.New(supervisor.Config{
		Tools: map[string]supervisor.Tool{"get_balance": getBalance},
	})
	if err != nil {
		return err // the host cannot confine a guest: nothing runs
	}
	defer sup.Shutdown(context.Background())

	req := supervisor.Request{
		Source: guest,
		Args:   []any{file},
		Grants: grants.Grants{
			Filesystem: grants.Filesystem{Read: []string{dir}},
			Tools:      grants.Tools{Allowed: []string{"get_balance"}},
		},
	}
	res, err := sup.Run(context.Background(), req)
	if err != nil {
		return err
	}
	var sum struct {
		Customers int
		Total     float64
	}
	if err := res.Decode(&sum); err != nil {
		return err
	}
	fmt.Printf("granted: %d customers, %.2f in total, %d operations, %d ms\n",
		sum.Customers, sum.Total, res.Stats.Operations, res.Stats.WallMs)

	req.Grants.Filesystem.Read = nil
	res, err = sup.Run(context.Background(), req)
	var denied *supervisor.Error
	if !errors.Is(err, supervisor.ErrDenied) || !errors.As(err, &denied) {
		return fmt.Errorf("expected a refusal, got %v, %w", res.Value, err)
	}
	fmt.Printf("refused: %s\n", denied.Capability)
	for _, r := range res.Audit {
		fmt.Printf("audit: %s %s\n", r.Capability, r.Outcome)
	}
	return nil
}
