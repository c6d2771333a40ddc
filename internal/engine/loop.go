package engine

import (
	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// enginePoll is how often, in milliseconds, tasks that the engine's own threads finish are looked for.
const enginePoll = 1

// loop runs until the main value has settled and every operation that was issued has been answered. Timers that are still
// armed then are dropped. It answers the failure of the run, if it failed, or the error that ended the link.
func (r *run) loop() (*rpc.Failure, error) {
	realm := r.engine.realm
	for {
		switch r.status {
		case v8.Threw:
			return r.thrown(), nil
		case v8.Terminated:
			return r.stopped(phaseRun), nil
		}
		engine := realm.EngineBusy() // before the tasks are run that its threads may have finished
		if r.status = realm.Checkpoint(); r.status != v8.OK {
			continue
		}
		if realm.Fatal() {
			return r.thrown(), nil
		}
		if realm.Stopped() != v8.Running {
			return r.stopped(phaseRun), nil
		}
		settled := realm.MainState() != v8.Pending
		if realm.Microtasks() {
			continue // what MainState read may have queued some
		}
		busy := realm.HasPendingCalls()
		if settled && !busy {
			if realm.Unhandled() {
				return r.thrown(), nil
			}
			return nil, nil
		}
		wait := realm.NextTimer()
		if !busy && wait < 0 && !engine {
			if realm.Unhandled() {
				return r.thrown(), nil
			}
			return r.deadlock(), nil
		}
		if err := r.turn(wait); err != nil {
			return nil, err
		}
	}
}

// turn waits for one thing to happen and does it.
func (r *run) turn(wait float64) error {
	realm := r.engine.realm
	if wait == 0 {
		r.status = realm.FireTimer()
		return nil
	}
	if realm.EngineBusy() && (wait < 0 || wait > enginePoll) {
		wait = enginePoll
	}
	reply, err := r.link.Wait(wait)
	if err != nil {
		return err
	}
	switch {
	case reply == nil:
		if realm.NextTimer() == 0 {
			r.status = realm.FireTimer()
		}
	case reply.OK:
		r.status = realm.Resolve(reply.ID, reply.Value)
	default:
		r.status = realm.Reject(reply.ID, v8.Refusal(reply.Error))
	}
	return nil
}
