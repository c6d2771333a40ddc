// Command traces exports the service's traces by OTLP over HTTP, as the standard variables (OTEL_*) say. The service starts it
// and writes it one trace a line; it ends with its standard input.
//
// # Trust
//
// Its input is the service's. It holds nothing but the variables it was given, and knows nothing of grants.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/internal/traces"
)

const (
	maxLine = 1 << 20
	atEnd   = 5 * time.Second // what is left may take
)

func main() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) // the service says when it is over
	if err := run(os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader) error {
	ctx := context.Background()
	if p := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") + os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"); p != "" && p != "http/protobuf" {
		fmt.Fprintf(os.Stderr, "the protocol %q is not spoken here, http/protobuf is\n", p)
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return fmt.Errorf("OTLP exporter: %w", err)
	}
	// The variables come last and win.
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "supervisor"), attribute.String("service.version", build.Version)), resource.WithFromEnv())
	if err != nil {
		return fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about))
	tracer := provider.Tracer("realm.internal/supervisor", trace.WithInstrumentationVersion(build.Version))
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var s traces.Span
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return fmt.Errorf("malformed trace: %w", err)
		}
		caller := propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": s.Parent})
		export(caller, tracer, &s, trace.SpanKindServer)
	}
	ended, cancel := context.WithTimeout(ctx, atEnd)
	defer cancel()
	if err := provider.Shutdown(ended); err != nil {
		return fmt.Errorf("export what is left: %w", err)
	}
	return lines.Err()
}

// export makes a span and those within it. Whether they are sampled, and by which ids they go, is the SDK's matter.
func export(ctx context.Context, tracer trace.Tracer, s *traces.Span, kind trace.SpanKind) {
	ctx, span := tracer.Start(ctx, s.Name, trace.WithTimestamp(s.Start), trace.WithSpanKind(kind), trace.WithAttributes(attributes(s.Attributes)...))
	for i := range s.Children {
		export(ctx, tracer, &s.Children[i], trace.SpanKindInternal)
	}
	if s.Error != "" {
		span.SetStatus(codes.Error, s.Error)
	}
	span.End(trace.WithTimestamp(s.End))
}

func attributes(all map[string]any) (list []attribute.KeyValue) {
	for key, value := range all {
		switch v := value.(type) {
		case string:
			list = append(list, attribute.String(key, v))
		case float64: // JSON has no other numbers
			list = append(list, attribute.Int64(key, int64(v)))
		}
	}
	return list
}
