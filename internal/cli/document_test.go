package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func TestTheDocumentHasEveryCommandAndFlag(t *testing.T) {
	text, err := os.ReadFile("../../docs/CLI.md")
	if err != nil {
		t.Fatal(err)
	}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		if c.HasParent() && c.Runnable() && !strings.Contains(string(text), "\n## "+c.CommandPath()) {
			t.Errorf("no section of %s", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(string(text), "`--"+f.Name) {
				t.Errorf("%s: --%s is not described", c.CommandPath(), f.Name)
			}
		})
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(Commands())
}
