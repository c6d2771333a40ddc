package broker

import (
	"fmt"

	"realm.internal/supervisor/pkg/grants"
)

// sized checks the rule about data that comes with a call: what is over the
// limit stays away and only its size is told. A realm that does otherwise is
// not ours, but the call is all that it loses.
func sized(size int64, data []byte, limit int64) error {
	if size > limit {
		return grants.ExceededBytes("", "maxWriteBytes", limit, size)
	}
	if size != int64(len(data)) {
		return fmt.Errorf("the call announces %d bytes and carries %d", size, len(data))
	}
	return nil
}
