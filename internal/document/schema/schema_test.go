package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"realm.internal/supervisor/internal/document/schema"
	"realm.internal/supervisor/internal/layer"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/policy"
)

var update = flag.Bool("update", false, "write the schemas")

const root = "../../../"

// The published schemas are those of the Go types: go test ./internal/document/schema -update
func TestPublishedSchemasAreThoseOfTheTypes(t *testing.T) {
	overrides := map[string]schema.Object{
		"Policy.version":        {"const": policy.Version},
		"Policy.requiredLayers": {"items": schema.Object{"enum": layer.All()}},
		"Pool.warmPoolSize":     {"minimum": 0, "maximum": policy.MaxRealms},
		"Network.methods":       {"minItems": 1},
		"Sandbox.execute":       {"minItems": 1},
	}
	for _, l := range grants.LimitTable() {
		description := "Limit: " + l.Counts + "."
		if l.Derived != "" {
			description += " Default: " + l.Derived + "."
			overrides["Resources."+l.Key] = schema.Object{"description": description}
			continue
		}
		overrides["Resources."+l.Key] = schema.Object{"description": description, "default": l.Default}
	}
	for name, document := range map[string]any{"grants": grants.Grants{}, "policy": policy.Policy{}} {
		g, err := schema.New(overrides, root+"pkg/grants", root+"pkg/policy")
		if err != nil {
			t.Fatal(err)
		}
		text, err := g.Document("urn:supervisor:schema:"+name, "Supervisor "+name, document)
		if err != nil {
			t.Fatal(err)
		}
		file := root + "docs/schema/" + name + ".schema.json"
		if *update {
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		published, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(published, text) {
			t.Errorf("%s is not what the types are (%v): run this test with -update", file, err)
		}
		var parsed struct {
			Properties map[string]struct{ Description string }
		}
		if err := json.Unmarshal(text, &parsed); err != nil || len(parsed.Properties) < 7 {
			t.Errorf("%s: %d properties, %v", name, len(parsed.Properties), err)
		}
	}
}
