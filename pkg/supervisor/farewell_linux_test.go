package supervisor

import (
	"testing"
	"time"
)

func TestTheGraceBeginsWhenARealmHasHeard(t *testing.T) {
	const ms = time.Millisecond
	late := farewell{}
	if got := late.left(20*ms, true); got != grace {
		t.Errorf("heard before a late look: %v", got)
	}
	if got := late.left(20*ms+grace, true); got > 0 {
		t.Errorf("it does not end: %v", got)
	}
	between := farewell{}
	between.left(6*ms, false)
	if got := between.left(12*ms, true); got != grace {
		t.Errorf("heard between two looks: %v", got)
	}
	never := farewell{began: 5 * ms}
	if got := never.left(5*ms+deaf, false); got > 0 {
		t.Errorf("one that never hears: %v", got)
	}
}
