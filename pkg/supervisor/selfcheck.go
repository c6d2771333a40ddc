package supervisor

import (
	"context"
	"fmt"
)

// SelfCheck takes a source of its own through every layer to its result. It is
// held to no policy, grants nothing, is not recorded, and needs no free place
// among the live realms: its error, an *Error, says that this host can run
// nothing now.
func (s *Supervisor) SelfCheck(ctx context.Context) error {
	r := Request{ID: "self-check", Source: "6 * 7", own: true}
	x, err := s.prepare(r)
	if err != nil {
		return err
	}
	session, err := s.begin(ctx, x, newSession(r.ID, false), nil)
	if err != nil {
		return err
	}
	res, err := session.Wait()
	if err == nil && res.Value != int64(42) && res.Value != float64(42) {
		err = failure(CodeInternal, nil, "the self-check gave %s instead of 42", fmt.Sprintf("%.40v", res.Value))
	}
	return err
}
