package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/policy"
	"realm.internal/supervisor/pkg/supervisor"
)

// run carries out the command: nothing that fails before the realm exists leaves
// a trace, and nothing is left running afterwards.
func (a *app) run(ctx context.Context, f *runFlags) error {
	report := a.reporter(f)
	if err := clearReceipt(f.receipt); err != nil {
		return report.refused(err)
	}
	if err := oneStdin(f.readers()...); err != nil {
		return report.refused(err)
	}
	cfg, err := a.config(f)
	if err != nil {
		return report.refused(err)
	}
	req, tools, err := a.request(f, cfg.Policy)
	if err != nil {
		return report.refused(err)
	}
	// Not before everything is read: whoever waits for a pipe is ended by a signal.
	ctx, stop := a.interruptible(ctx)
	defer stop()
	defer tools.calls.Wait()
	if cfg.Audit, err = a.sinks(f.audit, cfg.Policy); err != nil {
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
	if !f.ci {
		for _, layer := range sup.Weakenings() {
			a.err.painted(yellow, "warning: weakened isolation: "+weakness(layer))
		}
	}
	res, err := report.run(ctx, sup, req)
	if res == nil {
		return report.refused(err)
	}
	a.fault(writeReceipt(f.receipt, res.Receipt))
	if err != nil {
		return status(supervisor.AsError(err).Code.ExitStatus())
	}
	return nil
}

// weakness says what a run goes without when a layer is missing and was allowed to be.
func weakness(layer string) string {
	switch layer {
	case "cgroup.memory":
		return layer + " is not enforced: nothing bounds the memory of a run beside V8's heap"
	case "cgroup.pids":
		return layer + " is not enforced: nothing bounds the tasks of commands"
	case "cgroup.cpu":
		return layer + " is not enforced: nothing bounds the processors that a run uses at once"
	}
	return layer + " is not enforced"
}

// config is the supervisor that flags and policy ask for, but for its audit sink.
func (a *app) config(f *runFlags) (cfg supervisor.Config, err error) {
	cfg = supervisor.Config{MaxConcurrent: 1, StartAhead: true, AllowMissing: f.allowMissing}
	if f.policy != "" {
		if cfg.Policy, err = a.loadPolicy(f.policy); err != nil {
			return cfg, err
		}
	}
	cfg.Protect = a.runnerFiles()
	for _, path := range []string{f.policy, f.audit, f.ciReport} {
		if path == "" || path == "-" {
			continue
		}
		full, err := filepath.Abs(path)
		if err != nil {
			return cfg, err
		}
		cfg.Protect = append(cfg.Protect, full)
	}
	return cfg, nil
}

// request turns flags into the request and the host tools that it names.
func (a *app) request(f *runFlags, p *policy.Policy) (supervisor.Request, *hostTools, error) {
	req := supervisor.Request{Profile: f.profile}
	var base grants.Grants
	var err error
	if f.profile != "" {
		if p == nil {
			return req, nil, errors.New("--profile needs a --policy that has it")
		}
		if base, err = p.Profile(f.profile); err != nil {
			return req, nil, err
		}
	}
	if req.Grants, err = a.load(base, &f.grants); err != nil {
		return req, nil, err
	}
	tools, err := addTools(&req.Grants, f.grants.tool)
	if err != nil {
		return req, nil, err
	}
	req.Tools = tools.functions
	if req.Limits, err = f.limits(); err != nil {
		return req, nil, err
	}
	switch m := supervisor.Mode(f.mode); m {
	case supervisor.ModeAuto, supervisor.ModeModule, supervisor.ModeScript, supervisor.ModeFunction:
		req.Mode = m
	default:
		return req, nil, fmt.Errorf("--mode %q is none of auto, module, script, function", f.mode)
	}
	if req.Input, err = a.readInput(f.input); err != nil {
		return req, nil, fmt.Errorf("--input: %w", err)
	}
	if req.Args, err = arguments(f.args, f.words); err != nil {
		return req, nil, fmt.Errorf("--args: %w", err)
	}
	req.Source, req.Name, err = a.readSource(f.file)
	return req, tools, err
}
