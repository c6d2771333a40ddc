package policy

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"realm.internal/supervisor/internal/document"
	"realm.internal/supervisor/internal/layer"
	"realm.internal/supervisor/pkg/grants"
)

// Validate reports everything that is wrong with p, as a *grants.Error.
func (p *Policy) Validate() error {
	v := &validator{}
	switch {
	case p.Version == 0:
		v.add("version", "is 0 or not given", fmt.Sprintf("write version: %d", Version))
	case p.Version != Version:
		v.add("version", fmt.Sprintf("is %d, and this build reads %d", p.Version, Version), fmt.Sprintf("write version: %d", Version))
	}
	for i, name := range p.RequiredLayers {
		if _, known := layer.NeedOf(name); !known {
			v.add(document.Index("requiredLayers", i), fmt.Sprintf("%q is no layer", grants.Shorten(name)), "use one of "+strings.Join(layer.All(), ", "))
		}
	}
	v.ceilings(p.Ceilings)
	for _, name := range slices.Sorted(maps.Keys(p.Profiles)) {
		v.profile(p, name)
	}
	for i, c := range p.Callers {
		v.caller(document.Index("callers", i), c, p.Profiles)
	}
	for i, s := range p.Audit {
		v.sink(document.Index("audit", i), s)
	}
	v.count("pool.maxConcurrent", p.Pool.MaxConcurrent, 1)
	v.count("pool.warmPoolSize", p.Pool.WarmPoolSize, 0)
	if len(v.problems) > 0 {
		return &grants.Error{Problems: v.problems}
	}
	return nil
}

type validator struct{ problems []grants.Problem }

func (v *validator) add(path, message, fix string) {
	v.problems = append(v.problems, grants.Problem{Path: path, Message: message, Fix: fix})
}

// under takes over the problems of an error, below a path.
func (v *validator) under(prefix string, err error) {
	var list *grants.Error
	if errors.As(err, &list) {
		for _, p := range list.Problems {
			v.add(prefix+"."+p.Path, p.Message, p.Fix)
		}
	}
}

func (v *validator) ceilings(c *grants.Grants) {
	if c == nil {
		return
	}
	for i, text := range c.Network.Origins {
		if _, err := parsePattern(text); err != nil {
			v.add(document.Index("ceilings.network.origins", i), fmt.Sprintf("%q %v", grants.Shorten(text), err),
				"write an origin, perhaps with * for a host, its first labels or its port: https://*.example.com")
		}
	}
	for i, in := range c.Network.Inject {
		at := document.Index("ceilings.network.inject", i)
		if _, err := parsePattern(in.Origin); err != nil {
			v.add(at+".origin", fmt.Sprintf("%q %v", grants.Shorten(in.Origin), err), "write an origin, perhaps with *")
		}
		if in.Header == "" || in.Secret == "" {
			v.add(at, "has no header or no secret", "name them, or write \"*\"")
		}
	}
	plain := *c
	plain.Network.Origins, plain.Network.Inject, plain.Network.PrivateHosts = nil, nil, nil
	plain.Engine.JIT = nil // it binds whoever has none of the modules
	v.under("ceilings", plain.ValidateCeilings())
}

// profile holds a profile to the rules of grants and to the ceilings. Sources are the operator's to name.
func (v *validator) profile(p *Policy, name string) {
	at, g := document.Join("profiles", name), p.Profiles[name]
	if err := g.Validate(); err != nil {
		v.under(at, err)
		return
	}
	if p.Ceilings == nil {
		return
	}
	for _, line := range compare(*p.Ceilings, g, profileSources) {
		if !line.Allowed {
			v.add(at+"."+line.Path, line.Value+" "+line.Reason, line.Fix)
		}
	}
}

func (v *validator) caller(at string, c Caller, profiles map[string]grants.Grants) {
	named := 0
	for _, given := range [...]bool{c.UID != nil, c.GID != nil, c.Token != ""} {
		if given {
			named++
		}
	}
	if named != 1 {
		v.add(at, fmt.Sprintf("is named in %d ways", named), "give one of uid, gid and token")
	}
	for i, name := range c.Profiles {
		if _, ok := profiles[name]; !ok {
			v.add(document.Index(at+".profiles", i), fmt.Sprintf("%q is not in profiles", grants.Shorten(name)), "add it to profiles")
		}
	}
	v.count(at+".maxConcurrent", c.MaxConcurrent, 1)
}

func (v *validator) sink(at string, s Sink) {
	switch {
	case (s.File != "") == s.Stderr:
		v.add(at, "is not one destination", "give either file or stderr: true")
	case s.File != "" && (!path.IsAbs(s.File) || path.Clean(s.File) != s.File || strings.Contains(s.File, "\x00")):
		v.add(at+".file", fmt.Sprintf("%q is not a clean absolute path", grants.Shorten(s.File)), "write an absolute path")
	}
}

// count holds n to what a document may say, from least on; 0 is also what is not given.
func (v *validator) count(at string, n int64, least int) {
	if n < 0 || n > MaxRealms {
		v.add(at, fmt.Sprintf("%d is out of bounds", n), fmt.Sprintf("use an integer from %d to %d", least, MaxRealms))
	}
}
