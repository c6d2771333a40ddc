package broker

import (
	"context"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
)

var environmentRead = call[rpc.Environment, grants.EnvironmentRead]{
	capability: grants.CapabilityEnvironment,
	target:     func(m *rpc.Environment) string { return m.Name },
	check: func(b *Broker, m *rpc.Environment) (grants.EnvironmentRead, error) {
		return b.Checker.Environment(m.Name)
	},
	execute: func(_ context.Context, _ *Broker, t grants.EnvironmentRead, _ *rpc.Environment) (answer, error) {
		return answer{value: t.Value(), moved: int64(len(t.Value()))}, nil
	},
	inline: true,
}

var secretRead = call[rpc.Secret, grants.SecretRead]{
	capability: grants.CapabilitySecret,
	target:     func(m *rpc.Secret) string { return m.Name },
	check:      func(b *Broker, m *rpc.Secret) (grants.SecretRead, error) { return b.Checker.Secret(m.Name) },
	execute: func(_ context.Context, b *Broker, t grants.SecretRead, _ *rpc.Secret) (answer, error) {
		v, err := b.Executors.Secrets.Read(t)
		return answer{value: v}, err // the length of a secret is not recorded
	},
	inline: true,
}
