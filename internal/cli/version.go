package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"realm.internal/supervisor/internal/build"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			a.out.linef("supervisor %s (protocol %d, %s)", build.Version, build.Protocol, runtime.Version())
			return nil
		},
	}
}
