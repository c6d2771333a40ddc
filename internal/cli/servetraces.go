package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"realm.internal/supervisor/internal/traces"
	"realm.internal/supervisor/pkg/supervisor"
)

// traces starts what exports traces, which stands beside the realm, when the standard variables ask for it. Where it
// cannot, the service goes on without.
func (a *app) traces(f *serveFlags) *traces.Recorder {
	if !traces.Wanted(a.LookupEnv) {
		return nil
	}
	realm, err := supervisor.FindRealm(f.service.RealmPath)
	if err == nil {
		var r *traces.Recorder
		if r, err = traces.Start(filepath.Join(filepath.Dir(realm), "traces"), os.Environ(), f.service.Logger); err == nil {
			f.service.Logger.Info("traces are exported")
			return r
		}
	}
	f.service.Logger.Error("traces are not exported", "error", err)
	return nil
}

// closeTraces lets what is left be exported.
func closeTraces(r *traces.Recorder) {
	ctx, cancel := context.WithTimeout(context.Background(), 6*time.Second)
	defer cancel()
	r.Close(ctx)
}
