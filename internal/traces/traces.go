// Package traces hands what the service did, as OpenTelemetry traces, to a process of its own that exports them.
//
// The official SDK with its exporter is not linked into the supervisor: its package initialisation would cost every
// start of the command line more than a millisecond, and its protocol stack has no place in the process that decides
// about grants. It is linked into cmd/traces, which this package starts when the standard variables ask for traces,
// and which reads one trace a line.
//
// # Trust
//
// The variables are the operator's. A span holds what this program measured and chose: no source, no value, no
// argument, no target, no text of a guest's.
//
// # Concurrency
//
// A Recorder may be used by many goroutines. It never waits: what its queue cannot hold is dropped and counted.
package traces

import (
	"strings"
	"time"
)

// Span is something that took time. The outermost one is a request's.
type Span struct {
	Name       string         `json:"name"`
	Start      time.Time      `json:"start"`
	End        time.Time      `json:"end"`
	Attributes map[string]any `json:"attributes,omitempty"` // strings and int64s
	Error      string         `json:"error,omitempty"`      // a code; "" when all went well
	// Parent is the caller's traceparent header, of the outermost span alone.
	Parent   string `json:"parent,omitempty"`
	Children []Span `json:"children,omitempty"`
}

// Wanted reports whether the standard variables ask for traces: an endpoint or the exporter is named, and nothing says no.
func Wanted(lookup func(string) (string, bool)) bool {
	get := func(name string) string { v, _ := lookup(name); return strings.TrimSpace(v) }
	if strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") || get("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return get("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "" || get("OTEL_TRACES_EXPORTER") == "otlp"
}

// variables are those that the exporting process gets, and nothing else of the environment.
func variables(environ []string) (passed []string) {
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case strings.HasPrefix(name, "OTEL_"):
		case name == "HTTPS_PROXY", name == "https_proxy", name == "HTTP_PROXY", name == "http_proxy", name == "NO_PROXY", name == "no_proxy":
		case name == "SSL_CERT_FILE", name == "SSL_CERT_DIR":
		default:
			continue
		}
		passed = append(passed, pair)
	}
	return passed
}
