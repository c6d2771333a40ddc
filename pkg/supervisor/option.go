package supervisor

import (
	"log/slog"

	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/policy"
)

// Option adjusts one Run.
type Option func(*Config, *Request)

// WithArgs gives the arguments of the default export.
func WithArgs(args ...any) Option { return func(_ *Config, r *Request) { r.Args = args } }

// WithInput gives the frozen global `input`.
func WithInput(v any) Option { return func(_ *Config, r *Request) { r.Input = v } }

// WithMode forces how the source is read.
func WithMode(m Mode) Option { return func(_ *Config, r *Request) { r.Mode = m } }

// WithName sets the file name that stacks show.
func WithName(name string) Option { return func(_ *Config, r *Request) { r.Name = name } }

// WithTools offers host functions to the guest.
func WithTools(t map[string]Tool) Option { return func(_ *Config, r *Request) { r.Tools = t } }

// WithAudit appends the run's records to s.
func WithAudit(s audit.Sink) Option { return func(c *Config, _ *Request) { c.Audit = s } }

// WithPolicy holds the run to a policy, see Config.Policy.
func WithPolicy(p *policy.Policy) Option { return func(c *Config, _ *Request) { c.Policy = p } }

// WithProfile takes the grants of a profile of the policy, see Request.Profile.
func WithProfile(name string) Option { return func(_ *Config, r *Request) { r.Profile = name } }

// WithLimits overrides limits of the grants.
func WithLimits(l Limits) Option { return func(_ *Config, r *Request) { r.Limits = l } }

// WithRealmPath names the realm binary.
func WithRealmPath(path string) Option { return func(c *Config, _ *Request) { c.RealmPath = path } }

// WithLogger takes the supervisor's own events.
func WithLogger(l *slog.Logger) Option { return func(c *Config, _ *Request) { c.Logger = l } }

// WithAllowMissing waives layers by name, see Config.AllowMissing.
func WithAllowMissing(layers ...string) Option {
	return func(c *Config, _ *Request) { c.AllowMissing = append(c.AllowMissing, layers...) }
}
