package service

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	collected "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"realm.internal/supervisor/internal/traces"
)

// collector is an OTLP collector of the test's own.
type collector struct {
	t      *testing.T
	server *httptest.Server
	mu     sync.Mutex
	raw    []byte
	header http.Header
	spans  []*otlp.Span
	about  string // attributes of the resource
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t}
	c.server = httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(c.server.Close)
	return c
}

func (c *collector) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var got collected.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &got)
	}
	if err != nil || r.URL.Path != "/v1/traces" {
		c.t.Errorf("%s: %v", r.URL.Path, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw, c.header = append(c.raw, body...), r.Header
	for _, rs := range got.ResourceSpans {
		c.about = rs.Resource.String()
		for _, ss := range rs.ScopeSpans {
			c.spans = append(c.spans, ss.Spans...)
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *collector) named(name string) (found []*otlp.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}

// exporter builds what exports.
func exporter(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "traces")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "../../cmd/traces")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the exporter: %v\n%s", err, out)
	}
	return path
}

// Covers: T-LOC-05
func TestRequestsAndPhasesOfRunsAreTraced(t *testing.T) {
	c := newCollector(t)
	r := prepare(t, everything+"audit: [{stderr: true}]\n")
	record, err := traces.Start(exporter(t), []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.server.URL, "OTEL_SERVICE_NAME=of-the-test", "OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=test",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20of-the-collector", "OTEL_BSP_SCHEDULE_DELAY=20",
	}, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close(t.Context())
	r.start(nil, func(cfg *Config) { cfg.Traces = record })
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	canary := `console.log("canary"); import {environment} from "realm:capabilities"; export default async () => { await environment("MODE"); await environment("canary").catch(() => {}); throw new RangeError("canary"); }`
	if status, text := r.send("POST", "/v1/runs", js(map[string]any{"source": canary, "input": "canary", "name": "canary.ts", "grants": map[string]any{"environment": map[string]string{"MODE": "canary"}}}), "Traceparent", parent); status != 200 || !strings.Contains(text, "canary") {
		t.Fatalf("%d %s", status, text)
	}
	r.send("POST", "/v1/runs", `{"source": "1", "grants": {"filesystem": {"read": ["/canary"]}}}`, "Traceparent", "canary")
	r.send("GET", "/v1/runs", "")
	r.send("GET", "/healthz", "")
	eventually(t, "all of them arrive", func() bool {
		return len(c.named("POST /v1/runs")) == 2 && len(c.named("run")) == 1 && len(c.named("GET /v1/runs")) == 1
	})
	c.mu.Lock()
	if bytes.Contains(c.raw, []byte("canary")) {
		t.Errorf("something that a guest or caller wrote is in a trace: %q", c.raw)
	}
	if !strings.Contains(c.about, "of-the-test") || !strings.Contains(c.about, "deployment.environment.name") || c.header.Get("Authorization") != "Bearer of-the-collector" {
		t.Errorf("the variables have no effect: %s %v", c.about, c.header)
	}
	c.mu.Unlock()
	request := c.named("POST /v1/runs")[0]
	if hex.EncodeToString(request.TraceId) != parent[3:35] || hex.EncodeToString(request.ParentSpanId) != parent[36:52] || request.Kind != otlp.Span_SPAN_KIND_SERVER {
		t.Errorf("the caller's trace is not continued: %v", request)
	}
	var last uint64
	for _, phase := range []string{"queue", "launch", "run"} {
		all := c.named(phase)
		if len(all) != 1 {
			t.Fatalf("%d spans of %s", len(all), phase)
		}
		if s := all[0]; !bytes.Equal(s.TraceId, request.TraceId) || !bytes.Equal(s.ParentSpanId, request.SpanId) || s.StartTimeUnixNano < max(last, request.StartTimeUnixNano) || s.EndTimeUnixNano > request.EndTimeUnixNano {
			t.Errorf("%s is not within its request: %v\n%v", phase, s, request)
		} else {
			last = s.EndTimeUnixNano
		}
	}
	run := c.named("run")[0]
	if run.Status.GetMessage() != "RUNTIME" || !strings.Contains(run.String(), "supervisor.denied_operations") {
		t.Errorf("%v", run)
	}
	if len(c.named("GET /healthz")) != 0 {
		t.Error("health checks are traced")
	}
	if record.Dropped() != 0 {
		t.Errorf("%d dropped", record.Dropped())
	}
}

func TestRunsGoOnWithoutACollector(t *testing.T) {
	c := newCollector(t)
	c.server.Close() // nobody is there
	path := exporter(t)
	r := prepare(t, everything)
	record, err := traces.Start(path, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.server.URL, "OTEL_BSP_SCHEDULE_DELAY=20", "OTEL_BSP_EXPORT_TIMEOUT=100"}, quiet())
	if err != nil {
		t.Fatal(err)
	}
	r.start(nil, func(cfg *Config) { cfg.Traces = record })
	for range 3 {
		r.run(`{"source": "1"}`)
	}
	// The exporter dies: another takes its place.
	killed := 0
	eventually(t, "it is killed", func() bool {
		for _, pid := range pidsOf(path) {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				killed++
			}
		}
		return killed > 0
	})
	r.run(`{"source": "1"}`)
	eventually(t, "another one runs", func() bool { return len(pidsOf(path)) > 0 })
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	record.Close(ctx)
	if left := pidsOf(path); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// pidsOf lists the processes that were started as path, without arguments.
func pidsOf(path string) []int {
	var pids []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline"); string(line) == path+"\x00" {
			pids = append(pids, pid)
		}
	}
	return pids
}
