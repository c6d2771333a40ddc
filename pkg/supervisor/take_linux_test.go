package supervisor

import (
	"errors"
	"testing"

	"realm.internal/supervisor/internal/confine"
	"realm.internal/supervisor/internal/launch"
)

// A host on which the realm that was started ahead was not ready in time is not asked a second time.
func TestAHostThatTookTooLongHasHadItsTime(t *testing.T) {
	for _, c := range []struct {
		why  error
		told bool
	}{{&launch.NotReady{}, true}, {errors.New("no memory for the default limits"), false}} {
		a := &ahead{stop: func() {}, started: make(chan begun, 1)}
		a.started <- begun{err: c.why}
		if r, err := a.take(t.Context(), confine.Spec{}); r != nil || (err != nil) != c.told {
			t.Errorf("%v: %v", c.why, err)
		}
	}
}
