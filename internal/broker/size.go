package broker

import (
	"fmt"

	"realm.internal/supervisor/pkg/grants"
)

// sized checks the rule about data that comes with a call to target: what is
// over the limit stays away and only its size is told. A realm that does
// otherwise is not ours, but the call is all that it loses.
func (b *Broker) sized(target string, size int64, data []byte) error {
	if limit := b.limits.MaxWriteBytes; size > limit {
		return grants.ExceededBytes(target, "maxWriteBytes", limit, size)
	}
	if size != int64(len(data)) {
		return fmt.Errorf("the call announces %d bytes and carries %d", size, len(data))
	}
	return nil
}
