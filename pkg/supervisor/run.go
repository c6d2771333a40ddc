package supervisor

import (
	"context"

	"realm.internal/supervisor/pkg/grants"
)

// Run evaluates source under g in a supervisor of its own, see RunContext.
func Run(source string, g grants.Grants, opts ...Option) (*Result, error) {
	return RunContext(context.Background(), source, g, opts...)
}

// RunContext evaluates source under g in a supervisor of its own and waits for
// its end. On failure the error is an *Error and the Result still holds logs
// and stats. When ctx ends, the run is aborted. Callers with more than one run
// keep a Supervisor instead.
func RunContext(ctx context.Context, source string, g grants.Grants, opts ...Option) (*Result, error) {
	cfg, req := Config{MaxConcurrent: 1, StartAhead: true}, Request{Source: source, Grants: g}
	for _, o := range opts {
		o(&cfg, &req)
	}
	s, err := New(cfg)
	if err != nil {
		e := AsError(err)
		return &Result{Value: Undefined, Stats: Stats{WallMs: 1}, err: e}, e
	}
	res, err := s.Run(ctx, req)
	if serr := s.Shutdown(context.Background()); serr != nil && err == nil {
		err = failure(CodeInternal, serr, "shut down: %v", serr)
	}
	return res, err
}
