package supervisor

import (
	"reflect"

	"realm.internal/supervisor/pkg/grants"
)

// profile takes the grants of the request's profile where it brings none.
func (s *Supervisor) profile(r *Request) error {
	switch {
	case r.Profile == "":
		return nil
	case s.cfg.Policy == nil:
		return invalid("profile %q: there is no policy that could have it", grants.Shorten(r.Profile))
	}
	g, err := s.cfg.Policy.Profile(r.Profile)
	if err != nil {
		return failure(CodeInvalid, err, "%v", err)
	}
	if reflect.ValueOf(r.Grants).IsZero() {
		r.Grants = g
	}
	return nil
}

// checkPolicy refuses what is beyond the policy, naming both sides.
func (s *Supervisor) checkPolicy(r Request) error {
	p := s.cfg.Policy
	if p == nil || r.own {
		return nil
	}
	var err error
	if r.Profile == "" {
		err = p.Check(r.Grants)
	} else {
		err = p.CheckUnder(r.Profile, r.Grants)
	}
	if err != nil {
		return failure(CodeInvalid, err, "%v", err)
	}
	return nil
}

// ceilings are the roots that roots must be reached beneath; nil without a policy.
func (x *execution) ceilings() (*grants.Filesystem, *grants.Sandbox) {
	p := x.s.cfg.Policy
	if p == nil {
		return nil, nil
	}
	files, jail := p.Roots(x.req.Profile)
	return &files, &jail
}

// protected are the paths that no write root may hold.
func (x *execution) protected() []string {
	return append([]string{x.s.host.realm}, x.s.cfg.Protect...)
}
