package audit

import (
	"errors"
	"fmt"
)

var (
	// ErrInvalid marks a record that must not be in a log.
	ErrInvalid = errors.New("invalid audit record")
	// ErrClosed marks the use of a sink after Close.
	ErrClosed = errors.New("audit sink is closed")
	// ErrLocked marks a log whose lock another process held for too long.
	ErrLocked = errors.New("audit log is locked by another process")
	// ErrDeleted marks a log that was unlinked while it was open: what were
	// written to it would be lost.
	ErrDeleted = errors.New("audit log was deleted")
	// ErrNotRegular marks a path that is not a regular file, a symbolic link included.
	ErrNotRegular = errors.New("audit log is not a regular file")
)

// CorruptError is a log whose last record cannot be continued from, or the
// first line that [Verify] found wrong.
type CorruptError struct {
	Line   uint64 // the line's number from 1; 0 where only the end was read
	Offset int64  // where only the end was read, the byte at which the line begins, from 0
	Reason string
	Torn   bool // the line has no end: a write was cut off by a crash
}

func (e *CorruptError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("the line at byte %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("audit log: line %d: %s", e.Line, e.Reason)
}

func invalid(reason string) error { return fmt.Errorf("%w: %s", ErrInvalid, reason) }

// placed gives a *CorruptError the offset of its line.
func placed(err error, offset int64) error {
	var bad *CorruptError
	if errors.As(err, &bad) {
		bad.Offset = offset
	}
	return err
}
