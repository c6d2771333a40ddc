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
		_, section, found := strings.Cut(string(text), "\n## "+c.CommandPath())
		section, _, _ = strings.Cut(section, "\n## ")
		if c.HasParent() && c.Runnable() && !found {
			t.Errorf("no section of %s", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !strings.Contains(section, "`--"+f.Name+"`") && !strings.Contains(section, "`--"+f.Name+" ") {
				t.Errorf("%s: --%s is not described", c.CommandPath(), f.Name)
			}
		})
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(Commands())
}
