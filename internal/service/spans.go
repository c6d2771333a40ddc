package service

import (
	"net/http"
	"time"

	"realm.internal/supervisor/internal/traces"
	"realm.internal/supervisor/pkg/supervisor"
)

// span is a request as a trace. Its attributes are this program's words and figures, and the caller's identity: nothing
// that a caller or a guest wrote, but for the traceparent header, which is parsed where it is used.
func (c *call) span(r route, status int, began time.Time, took time.Duration) *traces.Span {
	if status == 0 {
		status = http.StatusOK
	}
	s := &traces.Span{
		Name: r.method + " " + r.path, Start: began, End: began.Add(took), Children: c.phases,
		Attributes: map[string]any{"http.request.method": r.method, "http.route": r.path, "http.response.status_code": int64(status)},
	}
	if c.who != "" {
		s.Attributes["enduser.id"] = c.who
	}
	if parent := c.r.Header.Get("Traceparent"); len(parent) <= maxTraceparent {
		s.Parent = parent
	}
	if status >= http.StatusInternalServerError {
		s.Error = http.StatusText(status)
	}
	return s
}

const maxTraceparent = 64 // those of version 00 have 55 bytes

// phased notes what a run's time went into.
func (c *call) phased(code string, res *supervisor.Result, ordered time.Time, queued, launch, ran time.Duration) {
	began := ordered.Add(queued)
	run := traces.Span{Name: "run", Start: began.Add(launch), End: began.Add(launch + ran), Attributes: map[string]any{
		"supervisor.code": code, "supervisor.cpu_ms": res.Stats.CPUMs,
		"supervisor.operations": res.Stats.Operations, "supervisor.denied_operations": res.Stats.DeniedOperations,
	}}
	if code != codeOK {
		run.Error = code
	}
	c.phases = []traces.Span{
		{Name: "queue", Start: ordered, End: began},
		{Name: "launch", Start: began, End: began.Add(launch)},
		run,
	}
}
