package policy

import (
	"maps"
	"slices"

	"realm.internal/supervisor/internal/document"
	"realm.internal/supervisor/pkg/grants"
)

// Line is one thing that grants ask for and what the policy says to it.
type Line struct {
	Path    string // where in the grants: filesystem.read[0]
	Value   string // what is asked for; no secret and no value of a variable
	Allowed bool
	Reason  string // why not, naming what the policy allows; "" when allowed
	Fix     string // the smallest change that mends it; may be ""
}

// Check refuses grants that do not validate or go beyond a ceiling, as a *grants.Error that names both sides.
//
// A root lies within a ceiling when it is one of its roots or below one. Origins lie within patterns: a * may stand
// for the host ("https://*"), its first labels ("https://*.example.com") or the port. Methods, variables, secrets,
// tools, modules and wasm modules are listed by name, where "*" stands for any name; a variable's value must be the
// ceiling's unless that is "*"; a secret's source must be the ceiling's, or the secret is given by value. Commands are
// exact. jit: false and tools.readOnly: true bind. Limits, with their defaults filled in on both sides, are at most
// the ceiling's.
func (p *Policy) Check(g grants.Grants) error {
	return verdict(g, func() []Line { return p.Explain(g) })
}

// CheckBrought is Check for grants that a caller brought: they may, besides, name nothing that is read on the host
// for them (files and variables behind secrets, modules, wasm), because the service's privileges are not theirs.
func (p *Policy) CheckBrought(g grants.Grants) error {
	return verdict(g, func() []Line { return compare(p.ceilings(), g, noSources) })
}

// Explain says about everything that g asks for whether it is allowed. Grants that do not validate are not explained.
func (p *Policy) Explain(g grants.Grants) []Line {
	return compare(p.ceilings(), g, ceilingSources)
}

// ExplainBrought is Explain for grants that a caller brought.
func (p *Policy) ExplainBrought(g grants.Grants) []Line {
	return compare(p.ceilings(), g, noSources)
}

func (p *Policy) ceilings() grants.Grants {
	if p.Ceilings == nil {
		return grants.Grants{}
	}
	return *p.Ceilings
}

func verdict(g grants.Grants, explain func() []Line) error {
	if err := g.Validate(); err != nil {
		return err
	}
	var problems []grants.Problem
	for _, line := range explain() {
		if !line.Allowed && len(problems) < document.MaxProblems {
			problems = append(problems, grants.Problem{Path: line.Path, Message: line.Value + " " + line.Reason, Fix: line.Fix})
		}
	}
	if len(problems) > 0 {
		return &grants.Error{Problems: problems}
	}
	return nil
}

// sources is who may name what is read on the host for a run.
type sources int

const (
	ceilingSources sources = iota // what the ceilings name
	profileSources                // anything: a profile is the operator's
	noSources                     // nothing
)

// compare holds grants to ceilings.
func compare(ceiling, g grants.Grants, from sources) []Line {
	g, err := g.Normalize()
	if err != nil {
		return nil
	}
	c := &comparison{ceiling: ceiling, from: from}
	c.roots("filesystem.read", g.Filesystem.Read, ceiling.Filesystem.Read)
	c.roots("filesystem.write", g.Filesystem.Write, ceiling.Filesystem.Write)
	c.network(g.Network)
	c.subprocess(g.Subprocess)
	c.variables("environment", g.Environment, ceiling.Environment)
	for _, name := range slices.Sorted(maps.Keys(g.Secrets)) {
		c.secret(name, g)
	}
	c.tools(g.Tools)
	for _, specifier := range slices.Sorted(maps.Keys(g.Modules)) {
		c.module(specifier, g.Modules[specifier])
	}
	for i, m := range g.Wasm {
		c.wasm(document.Index("wasm", i), m)
	}
	if ceiling.Engine.JIT != nil && !*ceiling.Engine.JIT {
		c.add("engine.jit", "the just-in-time compiler", g.Engine.JIT != nil && !*g.Engine.JIT, "is not allowed by the policy", "write engine: {jit: false}")
	}
	c.limits(g.Resources)
	return c.lines
}
