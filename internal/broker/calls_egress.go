package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"unicode/utf8"

	"realm.internal/supervisor/internal/capability"
	"realm.internal/supervisor/internal/capability/network"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/rpc"
	"realm.internal/supervisor/pkg/value"
)

var networkFetch = call[rpc.NetworkFetch, grants.Fetch]{
	capability: grants.CapabilityNetwork,
	target:     func(m *rpc.NetworkFetch) string { return fetchTarget(m.URL) },
	check: func(b *Broker, m *rpc.NetworkFetch) (grants.Fetch, error) {
		t, err := b.Checker.Fetch(m.Method, m.URL)
		if err != nil {
			return t, err
		}
		return t, b.sized(fetchTarget(m.URL), m.Size, m.Body)
	},
	execute: func(ctx context.Context, b *Broker, t grants.Fetch, m *rpc.NetworkFetch) (answer, error) {
		res, err := b.Executors.Network.Fetch(ctx, t, network.Request{Headers: m.Headers, Body: m.Body})
		if err != nil {
			return answer{}, err
		}
		n := int64(len(res.Body))
		b.count.network.Add(n)
		c := b.concealer()
		var body any = c.bytes(res.Body)
		if m.Text {
			if !utf8.Valid(res.Body) {
				return answer{}, &capability.Failure{Code: "EILSEQ", Message: "the response is not UTF-8 text; use fetch and arrayBuffer()"}
			}
			body = string(body.([]byte))
		}
		headers := value.NewObject()
		for _, h := range res.Headers {
			name, v := c.text(h[0]), c.text(h[1])
			if before, ok := headers.Lookup(name); ok { // as the fetch standard combines them
				v = before.(string) + ", " + v
			}
			headers.Set(name, v)
		}
		v := value.NewObject(
			value.Member{Key: "status", Value: res.Status},
			value.Member{Key: "statusText", Value: c.text(res.StatusText)},
			value.Member{Key: "url", Value: c.text(res.URL)},
			value.Member{Key: "redirected", Value: res.Redirected},
			value.Member{Key: "headers", Value: headers},
			value.Member{Key: "body", Value: body})
		a := answer{moved: n, value: v, concealed: c.names()}
		if res.Redirected {
			a.reason = "answered by " + fetchTarget(res.URL)
		}
		return a, nil
	},
}

// fetchTarget names a request without user, query and fragment, which may carry values.
func fetchTarget(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "(no absolute URL)"
	}
	return grants.Target(u.Scheme + "://" + u.Host + u.EscapedPath())
}

var subprocessSpawn = call[rpc.SubprocessSpawn, grants.Spawn]{
	capability: grants.CapabilitySubprocess,
	target:     func(m *rpc.SubprocessSpawn) string { return m.Path },
	check: func(b *Broker, m *rpc.SubprocessSpawn) (grants.Spawn, error) {
		t, err := b.Checker.Spawn(m.Path, m.Args)
		if err != nil {
			return t, err
		}
		return t, b.sized(m.Path, m.Size, m.Stdin)
	},
	execute: func(ctx context.Context, b *Broker, t grants.Spawn, m *rpc.SubprocessSpawn) (answer, error) {
		res, err := b.Executors.Commands.Run(ctx, t, m.Stdin)
		if err != nil {
			return answer{}, err
		}
		n := int64(len(res.Stdout) + len(res.Stderr))
		b.count.output.Add(n)
		var signal any
		if res.Signal != "" {
			signal = res.Signal
		}
		c := b.concealer()
		v := value.NewObject(
			value.Member{Key: "code", Value: res.Code},
			value.Member{Key: "signal", Value: signal},
			value.Member{Key: "stdout", Value: c.bytes(res.Stdout)},
			value.Member{Key: "stderr", Value: c.bytes(res.Stderr)})
		return answer{moved: n, value: v, concealed: c.names()}, nil
	},
}

var toolRequest = call[rpc.ToolRequest, grants.ToolCall]{
	capability: grants.CapabilityTool,
	target:     func(m *rpc.ToolRequest) string { return m.Method },
	check: func(b *Broker, m *rpc.ToolRequest) (grants.ToolCall, error) {
		if err := b.Budget.DataRequest(); err != nil {
			return grants.ToolCall{}, err
		}
		t, err := b.Checker.Tool(m.Method, b.Executors.Tools != nil && b.Executors.Tools.ReadOnly(m.Method))
		if err != nil {
			return t, err
		}
		if size := max(m.Size, int64(len(m.Params))); size > b.limits.MaxWriteBytes {
			return t, grants.ExceededBytes(m.Method, "maxWriteBytes", b.limits.MaxWriteBytes, size)
		}
		return t, nil
	},
	execute: func(ctx context.Context, b *Broker, t grants.ToolCall, m *rpc.ToolRequest) (answer, error) {
		params, err := b.toolParams(ctx, m.Params)
		if err != nil {
			return answer{}, err
		}
		if b.Executors.Tools == nil {
			return answer{}, &toolError{code: "ENOTOOL", message: "the host offers no tool of this name"}
		}
		v, err := b.Executors.Tools.Call(ctx, t, params)
		if err != nil {
			return answer{}, asToolError(ctx, err)
		}
		raw, err := value.Encode(v)
		if err != nil {
			return answer{}, &toolError{code: "EBADVALUE", message: "the tool's answer cannot cross: " + err.Error()}
		}
		if err := b.Budget.DataBytes(int64(len(raw))); err != nil {
			return answer{}, err
		}
		a := answer{raw: raw, moved: int64(len(raw))}
		if c := b.concealer(); c.r != nil {
			// Only the wire form is a tree of known types.
			if a.value, err = value.Decode(raw, value.Limits{}); err != nil {
				return answer{}, err
			}
			a.value, a.raw, a.concealed = c.value(a.value), nil, c.names()
		}
		return a, nil
	},
}

// toolParams takes one call at a time: as a tree, a value of very many small
// objects is a hundred times as large as it was on the wire.
func (b *Broker) toolParams(ctx context.Context, raw rpc.Raw) (json.RawMessage, error) {
	b.tree.Lock()
	defer b.tree.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer b.Reserve(raw)()
	v, err := value.Decode(raw, value.Limits{})
	if err != nil {
		return nil, fmt.Errorf("decode tool parameters: %w", err)
	}
	return value.MarshalJSON(v)
}

// toolError is what the guest sees of a tool that failed.
type toolError struct{ code, message string }

func (e *toolError) Error() string { return e.message }

// kind is the code, where it is one and not a sentence of the tool's.
func (e *toolError) kind() string {
	for _, c := range e.code {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' {
			return toolFailed
		}
	}
	if e.code == "" || len(e.code) > 32 {
		return toolFailed
	}
	return e.code
}

const toolFailed = "TOOL_ERROR"

func asToolError(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	e := &toolError{code: toolFailed, message: err.Error()}
	var coded interface{ Code() string }
	if errors.As(err, &coded) {
		e.code = coded.Code()
	}
	return e
}
