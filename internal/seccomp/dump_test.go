package seccomp

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden dumps")

// The dumps show in a review what a change of rules or of the compiler did.
func TestDumpsAreAsReviewed(t *testing.T) {
	for name, p := range programs() {
		code, err := Dump(p.Table, p.Program)
		if err != nil {
			t.Fatal(err)
		}
		got := describe(p.Table) + "\n" + code
		path := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s differs from %s; review, then run with -update", name, path)
		}
	}
}

// describe lists the rules, one a line.
func describe(table Table) string {
	var text strings.Builder
	fmt.Fprintf(&text, "table %s, default %v\n", table.Name, table.Default)
	for _, row := range table.Rows {
		fmt.Fprintf(&text, "%-10v %4d %s", row.Action, row.Number, row.Call)
		for i, c := range row.When {
			text.WriteString([]string{" if", " and"}[min(i, 1)])
			if c.Mask == all64 {
				fmt.Fprintf(&text, " arg%d == %#x", c.Arg, c.Value)
			} else {
				fmt.Fprintf(&text, " arg%d & %#x == %#x", c.Arg, c.Mask, c.Value)
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}
