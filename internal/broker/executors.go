package broker

import (
	"context"
	"encoding/json"

	"realm.internal/supervisor/internal/capability/filesystem"
	"realm.internal/supervisor/internal/capability/network"
	"realm.internal/supervisor/internal/capability/secret"
	"realm.internal/supervisor/pkg/grants"
)

// Executors carry out what tickets permit. A nil one belongs to a capability of
// which nothing is granted: its check never yields a ticket.
type Executors struct {
	Secrets  *secret.Store
	Files    *filesystem.Roots
	Network  *network.Client
	Commands Commands
	Tools    Tools
}

// Commands runs granted commands.
type Commands interface {
	Run(ctx context.Context, t grants.Spawn, stdin []byte) (CommandResult, error)
}

// CommandResult is how a command ended. Signal is "" or a name such as SIGKILL.
type CommandResult struct {
	Code           int
	Signal         string
	Stdout, Stderr []byte
}

// Tools calls host tools.
type Tools interface {
	// ReadOnly reports whether the tool declares no effects.
	ReadOnly(method string) bool
	// Call returns the tool's answer. Params are JSON.
	Call(ctx context.Context, t grants.ToolCall, params json.RawMessage) (any, error)
}
