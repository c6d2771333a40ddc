package layer

// Unenforceable says that this host cannot enforce a layer, so nothing ran.
type Unenforceable struct {
	Layer  string // one of the names of this package
	Detail string // what was tried and what the kernel answered
	Fix    string // what an operator can do about it; may be empty
	Err    error  // the cause, often a syscall.Errno; may be nil
}

func (e *Unenforceable) Error() string {
	text := "isolation layer " + e.Layer + " cannot be enforced: " + e.Detail
	if e.Fix != "" {
		text += " (" + e.Fix + ")"
	}
	return text
}

func (e *Unenforceable) Unwrap() error { return e.Err }
