package rpc

import (
	"errors"
	"fmt"
)

// ErrMalformed is wrapped by every error about bytes that do not follow the
// protocol. The peer that sent them must not be listened to any longer.
var ErrMalformed = errors.New("malformed frame")

// ErrTooLarge is returned for a frame that would exceed MaxFrameBytes.
var ErrTooLarge = errors.New("frame too large")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}
