package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

// runFlags are the flags of `supervisor run`.
type runFlags struct {
	grants               grantFlags
	input, args, mode    string
	timeout, memory, cpu string
	audit, receipt       string
	json, events         bool
	observation          bool
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
	s.StringVar(&f.grants.file, "grants", "", "grants document, YAML or JSON")
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
	s.StringSliceVar(&f.allowMissing, "allow-missing", nil, "run although `LAYER[,LAYER]` cannot be enforced; this weakens the isolation")
	cmd.MarkFlagsMutuallyExclusive("json", "events", "observation")
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
	case args[0] == "-" && f.events:
		return errors.New("--events reads answers from standard input, so FILE cannot be -")
	}
	f.file, f.words = args[0], args[dash:]
	return nil
}

// run carries out the command: nothing that fails before the realm exists leaves
// a trace, and nothing is left running afterwards.
func (a *app) run(ctx context.Context, f *runFlags) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	report := a.reporter(f)
	if err := clearReceipt(f.receipt); err != nil {
		return report.refused(err)
	}
	req, tools, err := a.request(f)
	if err != nil {
		return report.refused(err)
	}
	defer tools.calls.Wait()
	cfg := supervisor.Config{MaxConcurrent: 1, AllowMissing: f.allowMissing}
	if err := a.openAudit(f.audit, &cfg); err != nil {
		return report.refused(err)
	}
	if cfg.Audit != nil {
		defer func() { a.fault(cfg.Audit.Close()) }()
	}
	sup, err := supervisor.New(cfg)
	if err != nil {
		return report.refused(err)
	}
	defer func() { a.fault(sup.Shutdown(context.Background())) }()
	res, err := report.run(ctx, sup, req)
	if res == nil {
		return report.refused(err)
	}
	a.fault(writeReceipt(f.receipt, res.Receipt))
	if res.Receipt != nil {
		for _, w := range res.Receipt.Weakenings {
			a.err.painted(yellow, "warning: weakened isolation: "+w)
		}
	}
	if err != nil {
		return status(supervisor.AsError(err).Code.ExitStatus())
	}
	return nil
}

// request turns flags into the request and the host tools that it names.
func (a *app) request(f *runFlags) (supervisor.Request, *hostTools, error) {
	var req supervisor.Request
	g, err := a.load(&f.grants)
	if err != nil {
		return req, nil, err
	}
	tools, err := addTools(&g, f.grants.tool)
	if err != nil {
		return req, nil, err
	}
	req.Grants, req.Tools = g, tools.functions
	if req.Limits, err = f.limits(); err != nil {
		return req, nil, err
	}
	switch m := supervisor.Mode(f.mode); m {
	case supervisor.ModeAuto, supervisor.ModeModule, supervisor.ModeScript, supervisor.ModeFunction:
		req.Mode = m
	default:
		return req, nil, fmt.Errorf("--mode %q is none of auto, module, script, function", f.mode)
	}
	if req.Input, err = readInput(f.input); err != nil {
		return req, nil, fmt.Errorf("--input: %w", err)
	}
	if req.Args, err = arguments(f.args, f.words); err != nil {
		return req, nil, fmt.Errorf("--args: %w", err)
	}
	req.Source, req.Name, err = a.readSource(f.file)
	return req, tools, err
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

// readInput reads JSON or @FILE.
func readInput(text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	doc := []byte(text)
	if text[0] == '@' {
		var err error
		if doc, err = readFile(text[1:], maxInputBytes); err != nil {
			return nil, err
		}
	}
	v, err := value.FromJSON(doc)
	if err == nil && v == nil {
		return json.RawMessage("null"), nil
	}
	return v, err
}

// arguments are those of the JSON array, then the words.
func arguments(text string, words []string) ([]any, error) {
	var args []any
	if text != "" {
		v, err := value.FromJSON([]byte(text))
		if err != nil {
			return nil, err
		}
		list, ok := v.([]any)
		if !ok {
			return nil, errors.New("it is no JSON array")
		}
		args = list
	}
	for _, w := range words {
		args = append(args, w)
	}
	return args, nil
}

// openAudit opens the sink and keeps the log out of every write root.
func (a *app) openAudit(path string, cfg *supervisor.Config) error {
	switch path {
	case "":
		return nil
	case "-":
		cfg.Audit = audit.NewWriter(a.Err)
		return nil
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	sink, err := audit.OpenFile(full, audit.FileOptions{})
	if err != nil {
		return err
	}
	cfg.Audit, cfg.Protect = sink, append(cfg.Protect, full)
	return nil
}
