//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package audit

import (
	"errors"
	"fmt"
	"time"
)

// FileOptions are the options of [OpenFile].
type FileOptions struct {
	LockTimeout time.Duration
}

// OpenFile fails here: the system has no file locks of the kind that is needed.
func OpenFile(path string, _ FileOptions) (Sink, error) {
	return nil, fmt.Errorf("audit log %q: %w", path, errors.ErrUnsupported)
}
