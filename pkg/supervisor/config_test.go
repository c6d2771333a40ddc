package supervisor

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestAWrongConfigIsRefusedByNew(t *testing.T) {
	for name, cfg := range map[string]Config{
		"MaxConcurrent": {MaxConcurrent: -1}, "WarmPoolSize": {WarmPoolSize: MaxRealms + 1}, "MaxQueue": {MaxQueue: -1}, "QueueTimeout": {QueueTimeout: -time.Second},
		"ask": {Tools: map[string]Tool{"ask": nil}}, "memoryMb": {Limits: Limits{MemoryMb: 4001}}, "maxPids": {Limits: Limits{MaxPids: -1}},
	} {
		if _, err := New(cfg); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
