package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// run carries out the command: nothing that fails before the realm exists leaves
// a trace, and nothing is left running afterwards.
func (a *app) run(ctx context.Context, f *runFlags) error {
	ctx, stop := a.interruptible(ctx)
	defer stop()
	report := a.reporter(f)
	if err := clearReceipt(f.receipt); err != nil {
		return report.refused(err)
	}
	rules, err := loadRules(f.policy, f.profile)
	if err != nil {
		return report.refused(err)
	}
	req, tools, err := a.request(f, rules)
	if err != nil {
		return report.refused(err)
	}
	defer tools.calls.Wait()
	cfg, err := a.config(f, rules)
	if err != nil {
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

// config is the supervisor that flags and policy ask for; the caller closes its
// audit sink.
func (a *app) config(f *runFlags, r *rules) (cfg supervisor.Config, err error) {
	cfg = supervisor.Config{MaxConcurrent: 1, AllowMissing: f.allowMissing}
	if err := r.apply(&cfg); err != nil {
		return cfg, err
	}
	if f.audit != "" && f.audit != "-" {
		full, err := filepath.Abs(f.audit)
		if err != nil {
			return cfg, err
		}
		cfg.Protect = append(cfg.Protect, full)
	}
	cfg.Audit, err = a.sinks(f.audit, r)
	return cfg, err
}

// request turns flags into the request and the host tools that it names.
func (a *app) request(f *runFlags, r *rules) (supervisor.Request, *hostTools, error) {
	var req supervisor.Request
	tools, err := a.grant(&req, f, r)
	if err != nil {
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

// grant fills in what the guest may do, and holds it to the policy.
func (a *app) grant(req *supervisor.Request, f *runFlags, r *rules) (*hostTools, error) {
	base, err := r.base()
	if err != nil {
		return nil, err
	}
	if req.Grants, err = a.load(base, &f.grants); err != nil {
		return nil, err
	}
	tools, err := addTools(&req.Grants, f.grants.tool)
	if err != nil {
		return nil, err
	}
	req.Tools = tools.functions
	if req.Limits, err = f.limits(); err != nil {
		return nil, err
	}
	// Beside a profile, only what the flags add is in question.
	asked := req.Grants
	if r.profile != "" {
		if asked, err = a.load(grants.Grants{}, &f.grants); err != nil {
			return nil, err
		}
		if _, err = addTools(&asked, f.grants.tool); err != nil {
			return nil, err
		}
	}
	return tools, r.check(asked, req.Grants.Resources.Override(req.Limits))
}
