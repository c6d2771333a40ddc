package cli

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"realm.internal/supervisor/internal/doctor"
	"realm.internal/supervisor/pkg/supervisor"
)

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say which isolation layers this host can enforce, and how to get the others",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.doctor(cmd.Context(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func (a *app) doctor(ctx context.Context, asJSON bool) error {
	path, err := supervisor.FindRealm("")
	if err != nil {
		return err
	}
	report, err := doctor.Probe(ctx, path, slog.New(slog.DiscardHandler))
	if err != nil {
		return fmt.Errorf("doctor: %w", err)
	}
	code := supervisor.CodeUnenforceable
	var failed *supervisor.Error
	if report.OK {
		if err := tryOut(ctx); err != nil {
			failed, report.OK = refusal(err), false
			code = failed.Code
		}
	}
	if asJSON {
		err = a.out.json(struct {
			*doctor.Report
			Error *supervisor.Error `json:"error,omitempty"`
		}{report, failed})
	} else {
		a.diagnosis(report, failed)
	}
	if err == nil && !report.OK {
		err = status(code.ExitStatus())
	}
	return err
}

// tryOut takes a source through every layer to its result: a realm of another build has them all, and runs nothing.
func tryOut(ctx context.Context) error {
	sup, err := supervisor.New(supervisor.Config{})
	if err != nil {
		return err
	}
	defer func() { _ = sup.Shutdown(context.Background()) }()
	return sup.SelfCheck(ctx)
}

// undiagnosed is doctor's JSON when no layer could be tried.
func (a *app) undiagnosed(err error) error {
	e := refusal(err)
	a.fault(a.out.json(struct {
		OK     bool              `json:"ok"`
		Layers []doctor.Layer    `json:"layers"`
		Error  *supervisor.Error `json:"error"`
	}{Layers: []doctor.Layer{}, Error: e}))
	return status(e.Code.ExitStatus())
}

// diagnosis prints the layers, and why nothing can be run behind them.
func (a *app) diagnosis(report *doctor.Report, failed *supervisor.Error) {
	for _, l := range report.Layers {
		mark, colour := "ok     ", paint("32")
		switch {
		case !l.Present && l.Required:
			mark, colour = "MISSING", red
		case !l.Present:
			mark, colour = "absent ", yellow
		}
		a.out.write(a.out.paint(colour, mark) + fmt.Sprintf("  %-14s ", l.Name) + a.out.text(l.Detail) + "\n")
		if !l.Present && l.Fix != "" {
			a.out.line("         fix: " + l.Fix)
		}
	}
	switch {
	case report.OK:
		a.out.line("Every required layer can be enforced: sources can be run.")
	case failed != nil:
		a.err.failure(failed, "", "")
	default:
		a.out.line("A required layer is missing: nothing will be run here.")
	}
}
