package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/policy"
	"realm.internal/supervisor/pkg/supervisor"
)

// rules are what a policy says to this run; without one nothing.
type rules struct {
	policy  *policy.Policy // nil: there is none
	path    string
	profile string
}

func loadRules(path, profile string) (*rules, error) {
	switch {
	case path == "" && profile != "":
		return nil, errors.New("--profile needs a --policy that has it")
	case path == "":
		return &rules{}, nil
	}
	p, err := loadPolicy(path)
	return &rules{policy: p, path: path, profile: profile}, err
}

func loadPolicy(path string) (*policy.Policy, error) {
	file, err := policy.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer file.Close()
	p, err := policy.Load(file)
	if err != nil {
		return nil, documentError("policy", path, err)
	}
	return p, nil
}

// documentError puts the file's name before each of an error's lines.
func documentError(kind, path string, err error) error {
	at := kind + " " + path + ": "
	return errors.New(at + strings.ReplaceAll(err.Error(), "\n", "\n"+at))
}

// base is what flags add to: the profile's grants when one is named.
func (r *rules) base() (grants.Grants, error) {
	if r.profile == "" {
		return grants.Grants{}, nil
	}
	return r.policy.Profile(r.profile)
}

// check holds what document and flags ask for to the ceilings. A profile lies
// within them already; limits count as they come out for the run.
func (r *rules) check(asked grants.Grants, limits supervisor.Limits) error {
	if r.policy == nil {
		return nil
	}
	asked.Resources = limits
	if err := r.policy.Check(asked); err != nil {
		return documentError("policy", r.path, err)
	}
	return nil
}

// apply makes the policy's demands on the supervisor.
func (r *rules) apply(cfg *supervisor.Config) error {
	if r.policy == nil {
		return nil
	}
	full, err := filepath.Abs(r.path)
	if err != nil {
		return err
	}
	cfg.RequireLayers = r.policy.RequiredLayers
	cfg.PolicySHA256 = policy.Hash(r.policy)
	cfg.Protect = append(cfg.Protect, full)
	cfg.Protect = append(cfg.Protect, r.policy.Protected()...)
	return nil
}

// sinks opens where records go: --audit and the policy's own.
func (a *app) sinks(path string, r *rules) (audit.Sink, error) {
	var paths []string
	if path != "" {
		paths = append(paths, path)
	}
	if r.policy != nil {
		for _, s := range r.policy.Audit {
			if s.Stderr {
				s.File = "-"
			}
			if !slices.Contains(paths, s.File) {
				paths = append(paths, s.File)
			}
		}
	}
	var open []audit.Sink
	for _, path := range paths {
		s, err := a.openSink(path)
		if err != nil {
			for _, s := range open {
				a.fault(s.Close())
			}
			return nil, err
		}
		open = append(open, s)
	}
	if len(open) == 0 {
		return nil, nil
	}
	return audit.Tee(open[0], open[1:]...), nil
}

func (a *app) openSink(path string) (audit.Sink, error) {
	if path == "-" {
		return audit.NewWriter(a.Err), nil
	}
	s, err := audit.OpenFile(path, audit.FileOptions{})
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	return s, nil
}
