package value

import (
	"errors"
	"fmt"
)

// ErrMalformed is wrapped by every error about bytes that no encoder of this
// protocol writes.
var ErrMalformed = errors.New("malformed value")

// ErrLimit is wrapped by every error about a limit: size, depth or count.
var ErrLimit = errors.New("value over limit")

// PathError tells where in a value something could not be converted.
type PathError struct {
	Path    string // such as "value.items[3].callback"
	Message string
}

func (e *PathError) Error() string { return fmt.Sprintf("%s: %s", e.Path, e.Message) }
