package policy

import "realm.internal/supervisor/pkg/grants"

// CheckUnder is Check for grants that are asked for under a profile: what the profile itself grants is allowed
// whatever the ceilings say, since it is the operator's. The error names an unknown profile, or is a *grants.Error.
func (p *Policy) CheckUnder(profile string, g grants.Grants) error {
	own, err := p.Profile(profile)
	if err != nil {
		return err
	}
	return verdict(g, func() []Line {
		granted := map[[2]string]bool{}
		for _, line := range compare(own, g, ceilingSources) {
			granted[[2]string{line.Path, line.Value}] = line.Allowed
		}
		lines := p.Explain(g)
		for i, line := range lines {
			if granted[[2]string{line.Path, line.Value}] {
				lines[i] = Line{Path: line.Path, Value: line.Value, Allowed: true}
			}
		}
		return lines
	})
}

// Roots are the directories that roots under a profile ("" for none) must be reached beneath, also through symbolic
// links: those of the ceilings and of the profile.
func (p *Policy) Roots(profile string) (grants.Filesystem, grants.Sandbox) {
	ceiling, own := p.ceilings(), p.Profiles[profile]
	f, s := ceiling.Filesystem, ceiling.Subprocess.Sandbox
	add := func(a, b []string) []string { return append(a[:len(a):len(a)], b...) }
	f.Read, f.Write = add(f.Read, own.Filesystem.Read), add(f.Write, own.Filesystem.Write)
	s.Read, s.Write = add(s.Read, own.Subprocess.Sandbox.Read), add(s.Write, own.Subprocess.Sandbox.Write)
	return f, s
}
