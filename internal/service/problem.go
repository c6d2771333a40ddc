package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// problem is an answer as RFC 9457 has it, with the members of a run's error.
type problem struct {
	Type       string          `json:"type"`
	Title      string          `json:"title"`
	Status     int             `json:"status"`
	Detail     string          `json:"detail"`
	Code       supervisor.Code `json:"code"`
	Capability string          `json:"capability,omitempty"`
	Target     string          `json:"target,omitempty"`
	Hint       string          `json:"hint,omitempty"`
	RequestID  string          `json:"requestId,omitempty"`
	Errors     []fieldProblem  `json:"errors,omitempty"`

	allow string // of 405
}

// fieldProblem is one thing that is wrong with a document.
type fieldProblem struct {
	Path   string `json:"path"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func (p *problem) Error() string { return p.Detail }

func refuse(status int, code supervisor.Code, format string, args ...any) *problem {
	return &problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status,
		Code: code, Detail: fmt.Sprintf(format, args...),
	}
}

func malformed(format string, args ...any) *problem {
	return refuse(http.StatusBadRequest, supervisor.CodeInvalid, format, args...)
}

// runProblem is the error of a run that did not begin, or that the host failed.
func runProblem(err error) *problem {
	e := supervisor.AsError(err)
	status := map[supervisor.Code]int{
		supervisor.CodeInvalid:       http.StatusBadRequest,
		supervisor.CodeValidation:    http.StatusUnprocessableEntity,
		supervisor.CodeCapacity:      http.StatusTooManyRequests,
		supervisor.CodeUnenforceable: http.StatusServiceUnavailable,
		supervisor.CodeAborted:       http.StatusServiceUnavailable,
	}[e.Code]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	p := refuse(status, e.Code, "%s", e.Message)
	p.Capability, p.Target, p.Hint = e.Capability, e.Target, e.Hint
	return p
}

// errStopping is why runs are refused, and aborted in the end.
var errStopping = errors.New("the service is being stopped")

func stopping() *problem {
	return runProblem(&supervisor.Error{Code: supervisor.CodeAborted, Message: errStopping.Error()})
}

// beyond is a refusal by the policy, which says to each thing why.
func beyond(err error) *problem {
	p := refuse(http.StatusForbidden, supervisor.CodeInvalid, "%v", err)
	return p.with("", err)
}

// with lists the problems of a document that was read under a path.
func (p *problem) with(under string, err error) *problem {
	list, ok := err.(*grants.Error)
	if !ok {
		return p
	}
	for _, each := range list.Problems {
		p.Errors = append(p.Errors, fieldProblem{strings.Trim(under+"."+each.Path, "."), each.Message, each.Fix})
	}
	return p
}

func (p *problem) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	switch p.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="supervisor"`)
	case http.StatusMethodNotAllowed:
		h.Set("Allow", p.allow)
	}
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}
