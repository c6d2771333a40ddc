package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"realm.internal/supervisor/internal/capability/tool"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/value"
)

// ToolError is an error of a host tool whose code and message the guest sees.
type ToolError struct {
	ErrCode string
	Message string
}

func (e *ToolError) Error() string { return e.Message }

// Code is the code that the guest sees.
func (e *ToolError) Code() string { return e.ErrCode }

func crossable(v any) error {
	_, err := value.Encode(v)
	return err
}

// toolset is the broker's Tools of one run.
type toolset struct {
	functions map[string]Tool
	writing   []string
	session   *Session // for tools without a function; nil when there are none
}

// ReadOnly reports whether nobody declared that the tool has effects.
func (t *toolset) ReadOnly(method string) bool { return !slices.Contains(t.writing, method) }

// Call calls the function, or asks the reader of the session.
func (t *toolset) Call(ctx context.Context, ticket grants.ToolCall, params json.RawMessage) (any, error) {
	f, ok := t.functions[ticket.Method()]
	if !ok {
		if t.session == nil {
			return nil, &ToolError{ErrCode: "ENOTOOL", Message: fmt.Sprintf("the host offers no tool %q", ticket.Method())}
		}
		return t.session.ask(ctx, ticket.Method(), params)
	}
	return tool.Call(ctx, ticket, f, params)
}
