package supervisor

import (
	"context"

	"realm.internal/supervisor/internal/confine"
)

// takeRealm returns a realm for spec that nobody else has used.
func (s *Supervisor) takeRealm(ctx context.Context, spec confine.Spec) (*confine.Realm, error) {
	return s.host.confine.Start(ctx, spec)
}
