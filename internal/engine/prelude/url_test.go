package prelude

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// platformData reads a file of the public platform tests that the URL library's module carries.
func platformData(t *testing.T, name string, v any) {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/nlnwa/whatwg-url").Output()
	if err != nil {
		t.Fatalf("find the URL library's module: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("decode %s: %v", name, err)
	}
}

var componentNames = []string{
	"href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash",
}

func components(packed string) map[string]string {
	parts := strings.Split(packed, "\n")
	m := make(map[string]string)
	for i, name := range componentNames {
		m[name] = parts[i]
	}
	return m
}

func TestURLsParseAsThePlatformTestsSay(t *testing.T) {
	var rows []json.RawMessage
	platformData(t, "urltestdata.json", &rows)
	bad := 0
	for _, raw := range rows {
		if raw[0] != '{' {
			continue // a comment
		}
		var row struct {
			Input   string
			Base    *string
			Failure bool
		}
		var want map[string]any
		if err := json.Unmarshal(raw, &row); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		base := ""
		if row.Base != nil {
			base = *row.Base
		}
		packed, ok := ParseURL(row.Input, base, row.Base != nil)
		if ok == row.Failure {
			bad++
			t.Errorf("%q with base %q: parsed %v %q, want failure %v", row.Input, base, ok, packed, row.Failure)
			continue
		}
		if row.Failure {
			continue
		}
		got := components(packed)
		for name, value := range got {
			if w, ok := want[name].(string); ok && w != value {
				t.Errorf("%q with base %q: %s is %q, want %q", row.Input, base, name, value, w)
			}
		}
	}
}

func TestURLSettersDoAsThePlatformTestsSay(t *testing.T) {
	var groups map[string]json.RawMessage
	platformData(t, "setters_tests.json", &groups)
	for property, raw := range groups {
		if property == "comment" {
			continue
		}
		var rows []struct {
			Href     string            `json:"href"`
			NewValue string            `json:"new_value"`
			Expected map[string]string `json:"expected"`
		}
		if err := json.Unmarshal(raw, &rows); err != nil {
			t.Fatalf("%s: %v", property, err)
		}
		for _, row := range rows {
			if property == "href" {
				continue // an assignment to href is a parse
			}
			packed, ok := ParseURL(row.Href, "", false)
			if !ok {
				t.Errorf("%q does not parse", row.Href)
				continue
			}
			got := components(SetURL(components(packed)["href"], property, row.NewValue))
			for name, want := range row.Expected {
				if got[name] != want {
					t.Errorf("%q, %s = %q: %s is %q, want %q", row.Href, property, row.NewValue, name, got[name], want)
				}
			}
		}
	}
}

func TestNoURLTakesLong(t *testing.T) {
	long := strings.Repeat
	for _, row := range []struct {
		input string
		ok    bool
	}{
		{"http://h/" + long("a", 1<<20), true},
		{"http://h/?" + long("a@/", 100_000), true},
		{"data:text/plain;base64," + long("ab/+", 1<<18), true},
		{"http://h/" + long("a/", 4000), true},
		{"http://h/" + long("a/", 500_000), false},
		{"http://h/" + long(`a\`, 500_000), false},
		{"http://u:" + long("p", 500_000) + "@h/", false},
		{long("../", 500_000), false},
	} {
		began := time.Now()
		if _, ok := ParseURL(row.input, "http://base/", true); ok != row.ok {
			t.Errorf("%.30s… of %d bytes: %v", row.input, len(row.input), ok)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%.30s… of %d bytes took %v", row.input, len(row.input), took)
		}
	}
	for property, value := range map[string]string{"username": "u", "password": "p", "pathname": "/a"} {
		packed := SetURL("http://h/", property, long(value, 500_000))
		if href, _, _ := strings.Cut(packed, "\n"); href != "http://h/" {
			t.Errorf("%s was set to %d bytes", property, len(href))
		}
	}
}
