package supervisor

import (
	"context"
	"encoding/json"

	"realm.internal/supervisor/pkg/grants"
)

// Mode says how a source is read.
type Mode string

// The modes. Auto, the default, takes a source with import or export for a
// module, one with a top-level return for a function body, any other for a script.
const (
	ModeAuto     Mode = "auto"
	ModeModule   Mode = "module"
	ModeScript   Mode = "script"
	ModeFunction Mode = "function"
)

// Tool is a host function that a guest may call when grants.Tools allows its
// name. It may block and run beside others; ctx ends with the run. A returned
// value crosses as pkg/value says; an error with a `Code() string` method keeps
// its code. A panic is an error for the guest.
type Tool func(ctx context.Context, params json.RawMessage) (any, error)

// checkTools refuses a name that is offered without a function.
func checkTools(tools map[string]Tool) error {
	for name, f := range tools {
		if f == nil {
			return failure(CodeInvalid, nil, "the tool %s has no function; leave it out of Tools to answer it as a data_request", grants.Shorten(name))
		}
	}
	return nil
}

// Limits are the limits of a run; a zero means the default.
type Limits = grants.Resources

// Request is one run. The zero value of each field but Source is a default.
type Request struct {
	// ID names the run in events and audit records. Default: a fresh random id.
	ID     string
	Source string
	// Name is the file name in stacks. Default "guest.ts".
	Name string
	Mode Mode
	// Args are the arguments of a module's default export.
	Args []any
	// Input, when not nil, is the frozen global `input` and the first argument.
	// Give JSON null as json.RawMessage("null").
	Input any
	// Profile names one of the policy's. What it grants is allowed whatever the
	// ceilings say. Where Grants are zero, they are taken from it.
	Profile string
	Grants  grants.Grants
	// Tools add to those of the Config.
	Tools map[string]Tool
	// WritingTools names tools with effects: tools.readOnly in the grants
	// refuses them.
	WritingTools []string
	// Limits override Grants.Resources where they are not zero.
	Limits Limits
	// Reserve, when set, is called before a value of the guest's is decoded, with
	// about how many bytes of memory that takes together with its JSON form. It may
	// wait; the run keeps its place meanwhile. release is called when a tool's
	// parameters are JSON, and by Result.Release for what the guest ended with.
	Reserve func(bytes int64) (release func())

	own bool // the supervisor's own: held to no policy and not recorded
}
