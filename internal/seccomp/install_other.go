//go:build !linux

package seccomp

import "errors"

// Install fails: only Linux has seccomp.
func Install([]byte) error { return errors.ErrUnsupported }
