package service

import (
	"context"
	"crypto/rand"
	"errors"
	"mime"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

// createRun takes a run from its order to its answer. When the client goes away, the run is aborted.
func (s *Service) createRun(c *call) error {
	g := s.use()
	if g == nil {
		return stopping()
	}
	defer g.users.Done()
	body, release, err := s.body(c)
	defer release()
	if err != nil {
		return err
	}
	o, err := parseOrder(body)
	if err != nil {
		return err
	}
	if err := o.authorize(g.policy, c.caller); err != nil {
		return err
	}
	if o.run.ID == "" {
		o.run.ID = rand.Text()
	}
	ctx, cancel := context.WithCancelCause(c.r.Context())
	defer cancel(nil)
	run := &liveRun{id: o.run.ID, since: time.Now(), cancel: cancel}
	if !s.runs.add(c.who, run) {
		return refuse(http.StatusConflict, supervisor.CodeInvalid, "the run %s is live", run.id)
	}
	defer s.runs.remove(c.who, run.id)
	return s.run(ctx, c, g, run, o.run)
}

// body reads a JSON body; release may be called whatever the error.
func (s *Service) body(c *call) (body []byte, release func(), err error) {
	if kind, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type")); c.r.Header.Get("Content-Type") != "" &&
		(err != nil || kind != "application/json" && kind != "application/x-www-form-urlencoded") { // the latter is what curl says when nobody tells it
		return nil, func() {}, refuse(http.StatusUnsupportedMediaType, supervisor.CodeInvalid, "the body is to be application/json")
	}
	control := http.NewResponseController(c.w)
	_ = control.SetReadDeadline(time.Now().Add(s.cfg.patience))
	body, release, err = s.bodies.body(c.who, c.r.Body)
	if err == nil {
		_ = control.SetReadDeadline(time.Time{})
		_ = control.SetWriteDeadline(time.Now().Add(s.cfg.patience))
	} else { // what is left of the body is not worth waiting for
		_ = control.SetReadDeadline(time.Now())
		c.w.Header().Set("Connection", "close")
	}
	switch {
	case errors.Is(err, errBodyTooLarge):
		err = refuse(http.StatusRequestEntityTooLarge, supervisor.CodeInvalid, "the body has more than %d bytes", maxBodyBytes)
	case errors.Is(err, errBodiesFull):
		err = refuse(http.StatusTooManyRequests, supervisor.CodeCapacity, "%v", err)
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = refuse(http.StatusRequestTimeout, supervisor.CodeInvalid, "the body did not arrive within %v", s.cfg.patience)
	case err != nil:
		err = malformed("the body could not be read")
	}
	return body, release, err
}

// run waits for a place, runs, and answers.
func (s *Service) run(ctx context.Context, c *call, g *generation, run *liveRun, r supervisor.Request) error {
	ordered := time.Now()
	finished, read, err := s.gate.enter(ctx, c.who, int(c.caller.MaxConcurrent), s.cfg.QueueTimeout)
	if err != nil {
		return s.noPlace(ctx, c, run, err)
	}
	defer read()
	began := time.Now()
	r.ID = c.who + "/" + run.id // records are everybody's
	r.Reserve = func(bytes int64) func() { return s.values.enter(c.who, bytes) }
	session, err := g.sup.Submit(ctx, r)
	if err != nil {
		s.metrics.runs.Add(1, string(supervisor.AsError(err).Code))
		return err
	}
	run.begin(session)
	go func() {
		<-session.Done()
		finished()
	}()
	out := s.output(c, run)
	for e := range session.Events() {
		out.event(session, e)
	}
	res, err := session.Wait()
	s.ended(c, run, res, ordered, began.Sub(ordered), time.Since(began))
	run.end()
	return out.end(res, err)
}

// codeOK stands among the codes for a run that ended well.
const codeOK = "OK"

// output is the form of the answer that the client would rather have.
func (s *Service) output(c *call, run *liveRun) output {
	w := newPatientWriter(c.w, s.cfg.patience)
	u := &unread{budget: s.answers, who: c.who, exceeded: func() {
		s.metrics.dropped.Add(1)
		s.log.Warn("answer ended, too much is unread", "caller", c.who, "run", run.id)
		w.cut(errUnread)
		run.cancel(errUnread)
	}}
	if streamed(c.r.Header.Values("Accept")) {
		return newStreamOutput(run.id, w, u, run.cancel)
	}
	return &documentOutput{id: run.id, w: w, unread: u}
}

func (s *Service) noPlace(ctx context.Context, c *call, run *liveRun, err error) error {
	if !errors.Is(err, errFull) {
		return s.unbegun(ctx, c, run)
	}
	s.metrics.runs.Add(1, string(supervisor.CodeCapacity))
	p := refuse(http.StatusTooManyRequests, supervisor.CodeCapacity, "as many realms are live as the policy allows, and none became free in time")
	p.Hint = "wait for a run to end, or ask the operator to raise maxConcurrent"
	return p
}

// unbegun answers a run that was aborted while it waited: as one that had begun, unless the service did it.
func (s *Service) unbegun(ctx context.Context, c *call, run *liveRun) error {
	s.metrics.runs.Add(1, string(supervisor.CodeAborted))
	if errors.Is(context.Cause(ctx), errStopping) {
		return stopping()
	}
	s.log.Info("run aborted while it waited", "caller", c.who, "run", run.id)
	res := &supervisor.Result{Value: supervisor.Undefined, Stats: supervisor.Stats{WallMs: 1}}
	err := &supervisor.Error{Code: supervisor.CodeAborted, Phase: "launch", Message: "aborted while waiting for a free realm"}
	out := s.output(c, run)
	out.event(nil, supervisor.Event{Type: supervisor.EventError, Err: err, Stats: &res.Stats})
	return out.end(res, err)
}

// ended says in the log and in figures what became of a run. The audit log's head stands in the journal, so that lines
// that were cut off the log's end can be missed.
func (s *Service) ended(c *call, run *liveRun, res *supervisor.Result, ordered time.Time, queued, took time.Duration) {
	code := codeOK
	if err := res.Err(); err != nil {
		code = string(supervisor.AsError(err).Code)
	}
	ran := min(time.Duration(res.Stats.WallMs)*time.Millisecond, took)
	s.metrics.ended(code, res, queued, took-ran, ran)
	c.phased(code, res, ordered, queued, took-ran, ran)
	head := ""
	if n := len(res.Audit); n > 0 {
		head = res.Audit[n-1].Hash
	}
	if res.Receipt != nil && res.Receipt.AuditHead != "" {
		head = res.Receipt.AuditHead
	}
	s.log.Info("run ended", "caller", c.who, "run", run.id, "code", code, "wallMs", res.Stats.WallMs,
		"cpuMs", res.Stats.CPUMs, "operations", res.Stats.Operations, "denied", res.Stats.DeniedOperations, "auditHead", head)
}

// streamed reports whether the client asks for events: by name, and at least as much as for a document.
func streamed(accept []string) bool {
	ranges, best := []string{"*/*", "application/*", "application/json"}, 0 // the most specific one counts
	events, document := 0.0, 0.0
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, parameters, err := mime.ParseMediaType(part)
		quality := 1.0
		if text, given := parameters["q"]; given && err == nil {
			quality, err = strconv.ParseFloat(text, 64)
		}
		if err != nil {
			continue
		}
		if kind == ndjson || kind == "application/ndjson" {
			events = max(events, quality)
		} else if at := slices.Index(ranges, kind); at >= best {
			best, document = at, quality
		}
	}
	return events > 0 && events >= document
}
