package supervisor

import (
	"log/slog"
	"runtime"
	"slices"
	"time"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/policy"
)

// Config is how a Supervisor works. The zero value is usable.
type Config struct {
	// RealmPath is the realm binary. Default: $SUPERVISOR_REALM, beside the
	// running executable, /usr/local/libexec/supervisor/realm,
	// /usr/libexec/supervisor/realm.
	RealmPath string
	// Policy is what runs get at most: grants and limits beyond its ceilings
	// are refused (INVALID), the layers that it requires beat AllowMissing, and
	// no write root may hold what it protects. Its pool's maxConcurrent is the
	// default and the maximum of MaxConcurrent. Where its audit records go and
	// who its callers are is for whoever calls. Default: none.
	Policy *policy.Policy
	// Audit takes the records of every run. Default: only Result.Audit.
	// The Supervisor does not close it.
	Audit audit.Sink
	// MaxConcurrent is the hard ceiling of live realms, at most 4 096.
	// Default: two per CPU.
	MaxConcurrent int
	// MaxQueue runs may wait for a place, up to QueueTimeout (0: as long as it
	// takes); one more is CAPACITY. Default 0: no waiting.
	MaxQueue     int
	QueueTimeout time.Duration
	// WarmPoolSize realms are kept started and confined. Default 0.
	WarmPoolSize int
	// StartAhead starts the first run's realm at once, with default limits, while
	// that run is still being prepared: a third off the time of a program that makes
	// one run. What keeps a realm from starting is then told by that run, not by New.
	// It has no effect beside WarmPoolSize.
	StartAhead bool
	// Logger takes the supervisor's own events. Default: none.
	Logger *slog.Logger
	// Tools are offered to every run whose grants allow them.
	Tools map[string]Tool
	// WritingTools names those of Tools that have effects.
	WritingTools []string
	// Limits are defaults for every run: a request's override them.
	Limits Limits
	// AllowMissing names layers that may be missing (cgroup.memory, cgroup.pids,
	// cgroup.cpu): an explicit weakening, audited and on each receipt.
	AllowMissing []string
	// RequireLayers names optional layers that must be present (landlock,
	// cgroup.kill), or required ones that AllowMissing must not waive.
	RequireLayers []string
	// RootCAFile adds PEM certificates to those that guests' requests trust.
	RootCAFile string
	// Protect names paths of the host's own (policy, audit log, sockets) that
	// no write root may hold.
	Protect []string
	// PolicySHA256 is put on receipts. Default: that of Policy.
	PolicySHA256 string
}

// MaxRealms bounds MaxConcurrent and WarmPoolSize.
const MaxRealms = 4096

func (c *Config) fill() error {
	if err := c.heed(); err != nil {
		return err
	}
	if c.MaxConcurrent == 0 {
		c.MaxConcurrent = 2 * runtime.NumCPU()
	}
	for _, l := range []struct {
		name string
		n    int
	}{{"MaxConcurrent", c.MaxConcurrent}, {"WarmPoolSize", c.WarmPoolSize}, {"MaxQueue", c.MaxQueue}} {
		if l.n < 0 || l.n > MaxRealms {
			return failure(CodeInvalid, nil, "%s is %d, allowed are 0 to %d", l.name, l.n, MaxRealms)
		}
	}
	if c.QueueTimeout < 0 {
		return failure(CodeInvalid, nil, "QueueTimeout is %v; 0 waits for as long as it takes", c.QueueTimeout)
	}
	if err := (grants.Grants{Resources: c.Limits}).Validate(); err != nil {
		return failure(CodeInvalid, err, "Config.Limits: %v", err)
	}
	if err := checkTools(c.Tools); err != nil {
		return err
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// heed takes over what the policy says to the whole supervisor.
func (c *Config) heed() error {
	p := c.Policy
	if p == nil {
		return nil
	}
	if most := int(p.Pool.MaxConcurrent); most != 0 {
		if c.MaxConcurrent > most {
			return failure(CodeInvalid, nil, "MaxConcurrent is %d, which is beyond the policy's %d", c.MaxConcurrent, most)
		}
		if c.MaxConcurrent == 0 {
			c.MaxConcurrent = most
		}
	}
	c.RequireLayers = slices.Concat(c.RequireLayers, p.RequiredLayers)
	c.Protect = slices.Concat(c.Protect, p.Protected())
	if c.PolicySHA256 == "" {
		c.PolicySHA256 = policy.Hash(p)
	}
	return nil
}
