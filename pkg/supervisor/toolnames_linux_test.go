package supervisor_test

import (
	"context"
	"encoding/json"
	"testing"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// A tool has a global of its name only where the name is free: what the language and the realm define stays.
func TestToolsReplaceNoGlobals(t *testing.T) {
	names := []string{"Promise", "Object", "console", "setTimeout", "eval", "constructor", "structuredClone", "reportStatus", "dataProxy", "free"}
	tools := map[string]supervisor.Tool{}
	for _, n := range names {
		tools[n] = func(context.Context, json.RawMessage) (any, error) { return n, nil }
	}
	s := supervise(t, supervisor.Config{})
	res, err := s.Run(t.Context(), supervisor.Request{
		Source: `
			import { request } from "realm:capabilities";
			export default async () => [
				await Promise.resolve(1), typeof Object.keys, typeof console.log, eval("2"), structuredClone({ a: 3 }).a, typeof dataProxy.request,
				await new Promise((r) => setTimeout(r, 1, 4)), await free({}), await request("Promise", {}),
			];`,
		Grants: grants.Grants{Tools: grants.Tools{Allowed: names}}, Tools: tools,
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	if err := res.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if have, want := show(got), `[1,"function","function",2,3,"function",4,"free","Promise"]`; have != want {
		t.Errorf("got %s, want %s", have, want)
	}
}

// Who calls a tool by its name and was not granted it is told what is missing; that a host has it is told nobody else.
func TestAToolThatIsNotAllowedIsHinted(t *testing.T) {
	tool := func(context.Context, json.RawMessage) (any, error) { return 1, nil }
	s := supervise(t, supervisor.Config{Tools: map[string]supervisor.Tool{"of_host": tool}})
	for _, c := range []struct{ source, hint string }{
		{"await of_request({})", "tools: {allowed: [of_request]}"},
		{"export default async () => of_host({})", "tools: {allowed: [of_host]}"},
		{"(async () => { await of_host({}) })(); 1", "tools: {allowed: [of_host]}"}, // which nobody awaits
		{"await nowhere({})", ""},
		{"throw new Error('of_host is not defined')", ""},
		{"allowed.missing.x", ""},
		{"try { of_host } catch (e) { if (JSON.stringify([e.message, e.hint, e.stack]).includes('allowed')) throw 'told'; missing }", ""},
	} {
		_, err := s.Run(t.Context(), supervisor.Request{
			Source: c.source, Grants: grants.Grants{Tools: grants.Tools{Allowed: []string{"allowed"}}},
			Tools: map[string]supervisor.Tool{"of_request": tool, "allowed": tool},
		})
		if e := supervisor.AsError(err); e.Code != supervisor.CodeRuntime || e.Hint != c.hint {
			t.Errorf("%s: %v, hint %q", c.source, err, e.Hint)
		}
	}
}

func show(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}
