package service

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"realm.internal/supervisor/internal/build"
	"realm.internal/supervisor/internal/metrics"
	"realm.internal/supervisor/pkg/audit"
	"realm.internal/supervisor/pkg/supervisor"
)

// figures are the metrics. Their labels have fixed sets of values.
type figures struct {
	registry     metrics.Registry
	runs         *metrics.Counter
	phases       *metrics.Histogram
	operations   *metrics.Counter
	kills        *metrics.Counter
	reloads      *metrics.Counter
	refusedConns *metrics.Counter
	dropped      *metrics.Counter
	requests     *metrics.Counter
	latency      *metrics.Histogram
}

var (
	runCodes = []string{codeOK, "RUNTIME", "INVALID", "VALIDATION", "DENIED", "TIMEOUT", "OOM", "DEADLOCK", "CRASHED", "ABORTED", "CAPACITY", "UNENFORCEABLE", "INTERNAL"}
	killed   = []string{"TIMEOUT", "OOM", "CRASHED", "ABORTED"}
	seconds  = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300}
)

func newFigures(s *Service) *figures {
	f := &figures{}
	r := &f.registry
	label := func(name string, values ...string) metrics.Label { return metrics.Label{Name: name, Values: values} }
	f.runs = r.Counter("supervisor_runs_total", "Runs that ended, by code.", label("code", runCodes...))
	f.phases = r.Histogram("supervisor_run_phase_seconds", "Time that runs spent waiting for a place, getting a confined realm, and running.", seconds, label("phase", "queue", "launch", "run"))
	f.operations = r.Counter("supervisor_operations_total", "Operations of guests, by capability and outcome.",
		label("capability", "environment", "secret", "filesystem.read", "filesystem.write", "network", "subprocess", "tool"), label("outcome", "used", "denied", "error"))
	f.kills = r.Counter("supervisor_kills_total", "Realms that were ended before their source was, by code.", label("code", killed...))
	f.reloads = r.Counter("supervisor_reloads_total", "Reloads of the policy.", label("outcome", "done", "refused"))
	f.refusedConns = r.Counter("supervisor_refused_connections_total", "Connections that were turned away.")
	f.dropped = r.Counter("supervisor_dropped_answers_total", "Answers that were ended because too much was unread.")
	var paths []string
	for _, row := range routes {
		paths = append(paths, row.path)
	}
	f.requests = r.Counter("supervisor_http_requests_total", "Requests, by path and class of status.", label("path", paths...), label("status", "2xx", "4xx", "5xx"))
	f.latency = r.Histogram("supervisor_http_request_seconds", "Time to answer requests but runs.", seconds)
	live := func(i int) func() float64 {
		return func() float64 { a, b := s.gate.counts(); return float64([2]int{a, b}[i]) }
	}
	r.Gauge("supervisor_live_runs", "Runs that have a place.", live(0))
	r.Gauge("supervisor_queued_runs", "Runs that wait for a place.", live(1))
	r.Gauge("supervisor_max_runs", "Runs that may have a place.", func() float64 { return float64(maxRealms(s.current().policy)) })
	r.Gauge("supervisor_waiting_realms", "Realms that are started and wait for a run.", func() float64 { return float64(s.current().sup.Waiting()) })
	r.Gauge("supervisor_request_bytes", "Bytes of requests that are worked on.", func() float64 { return float64(s.bodies.taken()) })
	r.Gauge("supervisor_value_bytes", "Bytes of memory that results and parameters have room for while they are decoded and encoded.", func() float64 { return float64(s.values.taken()) })
	r.Gauge("supervisor_answer_bytes", "Bytes of answers that are not read yet.", func() float64 { return float64(s.answers.taken()) })
	r.Gauge("supervisor_connections", "Open connections.", func() float64 { return float64(s.conns.open()) })
	r.Gauge("supervisor_self_check_ok", "Whether the last self-check passed.", func() float64 {
		if s.health.last() != nil {
			return 0
		}
		return 1
	})
	r.CounterFunc("supervisor_dropped_traces_total", "Traces that were not passed on.", func() float64 { return float64(s.cfg.Traces.Dropped()) })
	r.Constant("supervisor_build_info", "The build.", label("version", build.Version), label("protocol", strconv.Itoa(build.Protocol)))
	return f
}

// ended counts a run that was carried out.
func (f *figures) ended(code string, res *supervisor.Result, queued, launch, ran time.Duration) {
	f.runs.Add(1, code)
	if slices.Contains(killed, code) {
		f.kills.Add(1, code)
	}
	f.phases.Observe(queued.Seconds(), "queue")
	f.phases.Observe(launch.Seconds(), "launch")
	f.phases.Observe(ran.Seconds(), "run")
	for _, r := range res.Audit {
		if r.Capability != audit.Execute && r.Outcome != audit.Allowed {
			f.operations.Add(1, r.Capability, string(r.Outcome))
		}
	}
}

// request counts an answer.
func (f *figures) request(r route, status int, took time.Duration) {
	if status == 0 {
		status = http.StatusOK
	}
	f.requests.Add(1, r.path, strconv.Itoa(status/100)+"xx")
	if r.path != "/v1/runs" || r.method != "POST" {
		f.latency.Observe(took.Seconds())
	}
}
