package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"realm.internal/supervisor/pkg/supervisor"
)

// runFlags are the flags of `supervisor run`.
type runFlags struct {
	grants               grantFlags
	input, args, mode    string
	timeout, memory, cpu string
	audit, receipt       string
	json, events         bool
	observation, ci      bool
	ciReport             string
	policy, profile      string
	allowMissing         []string
	file                 string
	words                []string // ARGs
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] FILE|- [-- ARG...]",
		Short: "Run one source in a confined process",
		Long: `Runs the JavaScript or TypeScript in FILE ("-": standard input) in a confined
process of its own. It may do nothing but what --grants and the flags beside it
permit. ARGs are string arguments of the source's default export.

The result goes to standard output, console output and errors to standard error.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.operands(cmd.ArgsLenAtDash(), args); err != nil {
				return err
			}
			return a.run(cmd.Context(), &f)
		},
	}
	s := cmd.Flags()
	s.SortFlags = false
	s.StringVar(&f.grants.file, "grants", "", "grants document, YAML or JSON, - for standard input")
	s.StringVar(&f.policy, "policy", "", "policy that the grants must not pass, - for standard input")
	s.StringVar(&f.profile, "profile", "", "take the grants of this profile of the policy; flags add to them")
	s.StringArrayVar(&f.grants.read, "read", nil, "grant reading beneath `DIR`")
	s.StringArrayVar(&f.grants.write, "write", nil, "grant writing beneath `DIR`")
	s.StringArrayVar(&f.grants.net, "net", nil, "grant requests to `ORIGIN[=GET,POST]`")
	s.StringArrayVar(&f.grants.exec, "exec", nil, "grant running the executable `PATH`, jailed")
	s.StringArrayVar(&f.grants.env, "env", nil, "let the guest read a variable: `NAME=VALUE`, or NAME for this environment's value")
	s.StringArrayVar(&f.grants.secret, "secret", nil, "let the guest read a secret: `NAME=env:VAR|file:PATH`")
	s.StringArrayVar(&f.grants.tool, "tool", nil, "offer a trusted local program as a host tool: `NAME=COMMAND`")
	s.StringVar(&f.input, "input", "", "the frozen global input, `JSON` or @FILE")
	s.StringVar(&f.args, "args", "", "arguments of the default export, a `JSON` array; ARGs follow them")
	s.StringVar(&f.mode, "mode", "auto", "how the source is read: auto, module, script or function")
	s.StringVar(&f.timeout, "timeout", "", "wall clock limit, `DURATION` such as 500ms or 30s")
	s.StringVar(&f.cpu, "cpu", "", "CPU limit, `DURATION`")
	s.StringVar(&f.memory, "memory", "", "V8 heap limit, `SIZE` such as 256M or 1G")
	s.StringVar(&f.audit, "audit", "", "append audit records to `FILE`, - for standard error")
	s.StringVar(&f.receipt, "receipt", "", "write the isolation receipt to `FILE`")
	s.BoolVar(&f.json, "json", false, "print one JSON document instead of the value")
	s.BoolVar(&f.events, "events", false, "print events as JSON lines; read data_response lines from standard input")
	s.BoolVar(&f.observation, "observation", false, "print what an agent loop tells its model, as JSON, instead of the value")
	s.BoolVar(&f.ci, "ci", false, "run as a step of a CI job: annotations and a summary where the runner has them")
	s.StringVar(&f.ciReport, "ci-report", "", "with --ci, write a code quality report to `FILE`")
	s.StringSliceVar(&f.allowMissing, "allow-missing", nil, "run although `LAYER[,LAYER]` cannot be enforced; this weakens the isolation")
	return cmd
}

// operands takes FILE and what stands behind "--".
func (f *runFlags) operands(dash int, args []string) error {
	if dash < 0 {
		dash = len(args)
	}
	switch {
	case dash == 0:
		return errors.New("run needs a FILE, or - for standard input\nsee supervisor run --help")
	case dash > 1:
		return fmt.Errorf("unexpected argument %q: write -- before the source's own arguments", args[1])
	case f.grants.file != "" && f.profile != "":
		return errors.New("--grants and --profile exclude each other: a run has the grants of one of them")
	case f.json && f.events, f.json && f.observation, f.events && f.observation:
		return errors.New("--json, --events and --observation exclude each other: standard output has one form")
	case f.ciReport != "" && !f.ci:
		return errors.New("--ci-report is for --ci")
	case f.receipt == "-" || f.ciReport == "-":
		return errors.New("--receipt and --ci-report take a file, not -: standard output is the value's, and what --json prints holds the receipt")
	}
	f.file, f.words = args[0], args[dash:]
	return nil
}

// readers are the files that the command reads, in this order.
func (f *runFlags) readers() []named {
	files := []named{{"--policy", f.policy}, {"--grants", f.grants.file}}
	for _, v := range f.grants.secret {
		name, source, _ := strings.Cut(v, "=")
		if path, ok := strings.CutPrefix(source, "file:"); ok {
			files = append(files, named{"--secret " + name, path})
		}
	}
	if path, ok := strings.CutPrefix(f.input, "@"); ok {
		files = append(files, named{"--input", path})
	}
	if f.events {
		files = append(files, named{"--events, whose answers come there,", "-"})
	}
	return append(files, named{"FILE", f.file})
}

func (f *runFlags) limits() (l supervisor.Limits, err error) {
	for _, q := range []struct {
		flag, key, text string
		read            func(key, text string) (int64, error)
		to              *int64
	}{
		{"timeout", "wallClockMs", f.timeout, milliseconds, &l.WallClockMs},
		{"cpu", "cpuMs", f.cpu, milliseconds, &l.CPUMs},
		{"memory", "memoryMb", f.memory, mebibytes, &l.MemoryMb},
	} {
		if q.text == "" {
			continue
		}
		if *q.to, err = q.read(q.key, q.text); err != nil {
			return l, fmt.Errorf("--%s: %w", q.flag, err)
		}
	}
	return l, nil
}
