package cli

import (
	"io"
	"os"

	"github.com/spf13/cobra"
)

// Commands is the tree of commands, for making manuals of it.
func Commands() *cobra.Command {
	none := func(string) (string, bool) { return "", false }
	h := Host{In: os.Stdin, Out: io.Discard, Err: io.Discard, LookupEnv: none, Exit: os.Exit}
	return (&app{Host: h, out: newScreen(h, h.Out), err: newScreen(h, h.Err)}).root()
}
