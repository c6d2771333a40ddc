package value

// Error is a JavaScript Error that crossed as a value. It is a Go error, so a
// host tool can return one to choose the name that the guest sees.
type Error struct {
	Name    string
	Message string
	Stack   string  // "" when the guest removed it
	Cause   any     // nil: none; one that is null is a field
	Errors  []any   // nil: not an AggregateError
	Fields  *Object // further own enumerable properties; nil: none
}

// Error formats as JavaScript does: "Name: message". There is no Unwrap: a
// guest can make a cyclic chain of causes, on which errors.Is would never end.
func (e *Error) Error() string {
	switch {
	case e.Name == "":
		return e.Message
	case e.Message == "":
		return e.Name
	}
	return e.Name + ": " + e.Message
}
