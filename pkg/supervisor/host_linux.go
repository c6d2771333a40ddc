package supervisor

import (
	"errors"

	"realm.internal/supervisor/internal/confine"
	"realm.internal/supervisor/internal/launch"
	"realm.internal/supervisor/pkg/grants"
)

// host is what realms are confined with.
type host struct {
	confine *confine.Host
	realm   string
	pool    *pool  // nil without waiting realms
	ahead   *ahead // nil without one
}

func openHost(cfg *Config) (host, error) {
	path, err := locateRealm(cfg.RealmPath)
	if err != nil {
		return host{}, err
	}
	h, err := confine.Open(confine.Config{RealmPath: path, Log: cfg.Logger, AllowMissing: cfg.AllowMissing, Require: cfg.RequireLayers, Ahead: cfg.StartAhead})
	if err != nil {
		return host{}, launchError(err)
	}
	opened := host{confine: h, realm: path}
	spec := realmSpec(grants.Engine{}, cfg.Limits.Resolve())
	switch {
	case cfg.WarmPoolSize > 0:
		opened.pool = newPool(h, path, spec, cfg.WarmPoolSize)
	case cfg.StartAhead:
		opened.ahead = startAhead(h, spec)
	}
	return opened, nil
}

// Weakenings are the layers that runs go without because [Config.AllowMissing] says so.
func (s *Supervisor) Weakenings() []string { return s.host.confine.Weakenings() }

func (h host) close() error {
	h.pool.close()
	h.ahead.close()
	return h.confine.Close()
}

// launchError classifies why nothing could be launched.
func launchError(err error) *Error {
	var known *Error
	var missing *launch.Unenforceable
	var binary *launch.BinaryError
	var name *confine.NameError
	var limit *confine.LimitError
	var late *launch.NotReady
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &missing):
		e := failure(CodeUnenforceable, err, "isolation layer %s cannot be enforced: %s", missing.Layer, missing.Detail)
		e.Capability, e.Hint = missing.Layer, missing.Fix
		return e
	case errors.As(err, &binary):
		e := failure(CodeInvalid, err, "%v", binary)
		e.Hint = "run `make build`, and use supervisor and realm of one build"
		return e
	case errors.As(err, &limit):
		e := failure(CodeInvalid, err, "%v", limit)
		e.Hint = "raise resources." + limit.Limit + "; the default is enough for every realm"
		return e
	case errors.As(err, &late):
		e := failure(CodeCapacity, err, "%v; nothing ran", late)
		e.Hint = "the host has too little processor time for this many runs: try again later, have fewer at once (maxConcurrent), or keep realms waiting (warmPoolSize)"
		return e
	case errors.As(err, &name):
		return failure(CodeInvalid, err, "%v", name)
	}
	return failure(CodeInternal, err, "launch: %v", err)
}
