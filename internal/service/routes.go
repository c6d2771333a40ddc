package service

import (
	"errors"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"time"

	"realm.internal/supervisor/internal/traces"
	"realm.internal/supervisor/pkg/policy"
	"realm.internal/supervisor/pkg/supervisor"
)

// route is one row of the API.
type route struct {
	method, path string
	open         bool // answered to whoever can connect; else only to those whom the policy knows
	serve        func(*Service, *call) error
}

// routes is the whole API; openapi.json says the same in its words.
var routes = [...]route{
	{"POST", "/v1/runs", false, (*Service).createRun},
	{"GET", "/v1/runs", false, (*Service).listRuns},
	{"DELETE", "/v1/runs/{id}", false, (*Service).abortRun},
	{"POST", "/v1/runs/{id}/responses", false, (*Service).respond},
	{"GET", "/v1/doctor", false, (*Service).diagnose},
	{"GET", "/v1/openapi.json", true, (*Service).describe},
	{"GET", "/healthz", true, (*Service).healthz},
	{"GET", "/readyz", true, (*Service).readyz},
	{"GET", "/metrics", false, (*Service).measure},
}

// call is one request.
type call struct {
	w      http.ResponseWriter
	r      *http.Request
	who    string // identity
	caller policy.Caller
	phases []traces.Span // of the run
}

// answer is a ResponseWriter that knows what was written.
type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (s *Service) handler() http.Handler {
	mux := http.NewServeMux()
	allowed := map[string][]string{}
	for _, r := range routes {
		allowed[r.path] = append(allowed[r.path], r.method)
		if r.method == http.MethodGet {
			allowed[r.path] = append(allowed[r.path], http.MethodHead)
		}
		mux.HandleFunc(r.method+" "+r.path, func(w http.ResponseWriter, req *http.Request) { s.serve(w, req, r) })
	}
	for at, methods := range allowed {
		mux.HandleFunc(at, func(w http.ResponseWriter, req *http.Request) {
			p := refuse(http.StatusMethodNotAllowed, supervisor.CodeInvalid, "%.20q is none of %s", req.Method, strings.Join(methods, ", "))
			p.allow = strings.Join(methods, ", ")
			p.write(w)
		})
	}
	nothing := func(w http.ResponseWriter, _ *http.Request) {
		refuse(http.StatusNotFound, supervisor.CodeInvalid, "there is nothing here; see /v1/openapi.json").write(w)
	}
	mux.HandleFunc("/", nothing)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if p := req.URL.EscapedPath(); path.Clean(p) != p { // the mux would redirect to another
			nothing(w, req)
			return
		}
		mux.ServeHTTP(w, req)
	})
}

// serve finds out who calls, lets the row answer, and counts.
func (s *Service) serve(w http.ResponseWriter, req *http.Request, r route) {
	a, began := &answer{ResponseWriter: w}, time.Now()
	c := &call{w: a, r: req}
	err := s.admit(c, r.open)
	if err == nil {
		err = r.serve(s, c)
	}
	if err != nil && a.status == 0 {
		p := asProblem(err)
		_ = http.NewResponseController(a).SetWriteDeadline(time.Now().Add(s.cfg.patience)) // it may have taken long to find out
		p.write(a)
		level := slog.LevelInfo
		if p.Status >= http.StatusInternalServerError && p.Code != supervisor.CodeAborted { // being stopped is no fault
			level = slog.LevelError
		}
		s.log.Log(req.Context(), level, "refused", "caller", c.who, "method", r.method, "path", r.path, "status", p.Status, "code", string(p.Code), "detail", cut(p.Detail))
	}
	took := time.Since(began)
	s.metrics.request(r, a.status, took)
	if !r.open {
		s.cfg.Traces.Record(c.span(r, a.status, began, took))
	}
}

func asProblem(err error) *problem {
	if p, ok := errors.AsType[*problem](err); ok {
		return p
	}
	return runProblem(err)
}

// admit says no to whom the policy does not know.
func (s *Service) admit(c *call, open bool) error {
	g := s.current()
	var known bool
	c.who, c.caller, known = identify(c.r, g.policy, g.tokens)
	switch {
	case known || open:
		return nil
	case c.who == "":
		return refuse(http.StatusUnauthorized, supervisor.CodeDenied, "a token is needed: Authorization: Bearer TOKEN")
	}
	p := refuse(http.StatusForbidden, supervisor.CodeDenied, "the policy does not list %s among its callers", c.who)
	p.Hint = "the operator adds it under callers and reloads the service"
	return p
}

const maxLoggedDetail = 500

func cut(s string) string {
	if len(s) > maxLoggedDetail {
		return s[:maxLoggedDetail] + "…"
	}
	return s
}
