package supervisor

import (
	"fmt"
	"strings"

	"realm.internal/supervisor/pkg/value"
)

// Bounds of Details.
const (
	maxDetails     = 8
	maxDetailBytes = 300
)

// Details tells, a line each, what a thrown error says beside its message: its
// own fields, its causes, and the errors that an AggregateError stands for. The
// text is the guest's; there are no more than a few bounded lines of it.
func (e *Error) Details() []string {
	thrown, ok := e.Thrown.(*value.Error)
	if !ok {
		return nil
	}
	var d details
	d.of(thrown, e.Capability != "")
	return d
}

type details []string

func (d *details) of(e *value.Error, refusal bool) {
	if e.Fields != nil && e.Fields.Len() > 0 && !refusal { // a refusal's are the Error's own
		d.add("fields", value.Text(e.Fields))
	}
	for i, inner := range e.Errors {
		if i == maxDetails {
			break
		}
		d.add(fmt.Sprintf("error %d", i+1), summary(inner))
	}
	if e.Cause == nil || len(*d) >= maxDetails {
		return
	}
	d.add("cause", summary(e.Cause))
	if inner, ok := e.Cause.(*value.Error); ok {
		d.of(inner, false)
	}
}

func (d *details) add(what, text string) {
	if len(*d) < maxDetails {
		*d = append(*d, what+": "+cut(text, maxDetailBytes))
	}
}

// summary is a value in a line: of an error its name, message and place.
func summary(v any) string {
	e, ok := v.(*value.Error)
	if !ok {
		return value.Text(v)
	}
	text := e.Name + ": " + e.Message
	for line := range strings.Lines(e.Stack) {
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "at "); ok {
			return text + " (at " + at + ")"
		}
	}
	return text
}
