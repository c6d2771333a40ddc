package engine

import (
	"fmt"
	"testing"

	"realm.internal/supervisor/pkg/value"
)

// show writes an encoded value as JSON, the way results are printed.
func show(t *testing.T, raw []byte) string {
	t.Helper()
	v, err := value.Decode(raw, value.Limits{})
	if err != nil {
		t.Fatalf("%x: %v", raw, err)
	}
	b, err := value.MarshalJSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
