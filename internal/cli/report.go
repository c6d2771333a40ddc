package cli

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

// reporter carries out a run and writes what it left in one form.
type reporter interface {
	// run returns what the supervisor did; with a nil Result nothing ran, and
	// the error is for refused.
	run(ctx context.Context, s *supervisor.Supervisor, r supervisor.Request) (*supervisor.Result, error)
	// refused writes why nothing ran, unless err is a status, and returns the
	// exit status.
	refused(err error) error
}

func (a *app) reporter(f *runFlags) reporter {
	form := a.form(f)
	if f.ci {
		return a.ci(f, form)
	}
	return form
}

func (a *app) form(f *runFlags) reporter {
	switch {
	case f.json:
		return &documentReport{a}
	case f.observation:
		return &observationReport{a}
	case f.events:
		return &eventReport{app: a}
	}
	return &plainReport{app: a, tell: a.err.failure}
}

// refusal is err as a run's error; what is no *supervisor.Error is the user's.
func refusal(err error) *supervisor.Error {
	if e, ok := errors.AsType[*supervisor.Error](err); ok {
		return e
	}
	return &supervisor.Error{Code: supervisor.CodeInvalid, Phase: "launch", Message: err.Error()}
}

// plainReport is for people: the value on standard output, everything else on
// standard error, console output as it comes.
type plainReport struct {
	*app
	name, source string // of what was submitted
	tell         func(e *supervisor.Error, name, source string)
}

func (p *plainReport) refused(err error) error {
	e, ok := errors.AsType[*supervisor.Error](err)
	if !ok {
		return err
	}
	p.tell(e, p.name, p.source)
	return status(e.Code.ExitStatus())
}

func (p *plainReport) run(ctx context.Context, s *supervisor.Supervisor, r supervisor.Request) (*supervisor.Result, error) {
	p.name, p.source = r.Name, r.Source
	session, err := s.Submit(ctx, r)
	if err != nil {
		return nil, supervisor.AsError(err)
	}
	for e := range session.Events() {
		switch e.Type {
		case supervisor.EventStatus:
			p.status(e)
		case supervisor.EventDataRequest:
			_ = session.Fail(e.DataRequestID, "ENOTOOL", "the host offers no tool "+e.Method)
		}
	}
	res, err := session.Wait()
	if err != nil {
		p.tell(supervisor.AsError(err), r.Name, r.Source)
		return res, err
	}
	p.out.line(display(res.Value))
	return res, nil
}

func (p *plainReport) status(e supervisor.Event) {
	if e.Stage != "console" {
		p.err.painted(faint, e.Stage+": "+e.Message)
		return
	}
	text := strings.TrimPrefix(e.Message, "["+e.Level+"] ")
	switch e.Level {
	case "error":
		p.err.painted(red, text)
	case "warn":
		p.err.painted(yellow, text)
	case "debug":
		p.err.painted(faint, text)
	default:
		p.err.line(text)
	}
}

// display is a value for people: strings as they are.
func display(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return value.Text(v)
}

// documentReport writes one JSON document on standard output.
type documentReport struct{ *app }

type document struct {
	Status        string              `json:"status"` // ok or error
	Value         json.RawMessage     `json:"value,omitempty"`
	Error         *supervisor.Error   `json:"error,omitempty"`
	Logs          []supervisor.Log    `json:"logs"`
	LogsTruncated bool                `json:"logsTruncated"`
	Stats         supervisor.Stats    `json:"stats"`
	Receipt       *supervisor.Receipt `json:"receipt"` // null when no realm was confined
}

func (d *documentReport) refused(err error) error {
	e := refusal(err)
	d.fault(d.out.json(document{Status: "error", Error: e, Logs: []supervisor.Log{}, Stats: supervisor.Stats{WallMs: 1}}))
	return status(e.Code.ExitStatus())
}

func (d *documentReport) run(ctx context.Context, s *supervisor.Supervisor, r supervisor.Request) (*supervisor.Result, error) {
	res, err := s.Run(ctx, r)
	doc := document{
		Status: "ok", Logs: res.Logs, LogsTruncated: res.LogsTruncated,
		Stats: res.Stats, Receipt: res.Receipt,
	}
	if doc.Logs == nil {
		doc.Logs = []supervisor.Log{}
	}
	if err == nil {
		var fault error
		doc.Value, fault = res.ValueJSON()
		d.fault(fault)
	} else {
		doc.Status, doc.Error = "error", supervisor.AsError(err)
	}
	d.fault(d.out.json(doc))
	return res, err
}

// observationReport writes what an agent loop feeds back to its model.
type observationReport struct{ *app }

func (o *observationReport) refused(err error) error {
	e := refusal(err)
	o.fault(o.out.json(supervisor.Observation{
		Status: "FAILURE", ErrorDiagnostic: e.Error(),
		ReflectionPrompt: "The code did not run: " + e.Error() + "\nThe same will be refused again until this is mended.",
	}))
	return status(e.Code.ExitStatus())
}

func (o *observationReport) run(ctx context.Context, s *supervisor.Supervisor, r supervisor.Request) (*supervisor.Result, error) {
	res, err := s.Run(ctx, r)
	o.fault(o.out.json(res.Observation()))
	return res, err
}
