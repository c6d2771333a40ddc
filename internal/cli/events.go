package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

// eventReport writes events as JSON lines and reads answers to data requests
// from standard input.
type eventReport struct {
	*app

	mu      sync.Mutex
	pending map[string]bool // data requests that nobody has answered
	ended   string          // why no more answers can come; "" while they can
}

func (r *eventReport) refused(err error) error {
	e := refusal(err)
	r.fault(r.out.json(supervisor.Event{Type: supervisor.EventError, Err: e}))
	return status(e.Code.ExitStatus())
}

func (r *eventReport) run(ctx context.Context, s *supervisor.Supervisor, req supervisor.Request) (*supervisor.Result, error) {
	session, err := s.Submit(ctx, req)
	if err != nil {
		return nil, err
	}
	r.pending = map[string]bool{}
	go r.answers(session)
	for e := range session.Events() {
		if e.Type == supervisor.EventDataRequest && !r.expect(e.DataRequestID) {
			r.fail(session, e.DataRequestID)
			continue
		}
		r.fault(r.out.json(e))
		if r.out.broken() != nil {
			session.Abort() // nobody sees what happens any more
		}
	}
	return session.Wait()
}

// expect notes that an answer may come; false when none can.
func (r *eventReport) expect(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended == "" {
		r.pending[id] = true
	}
	return r.ended == ""
}

func (r *eventReport) fail(session *supervisor.Session, id string) {
	_ = session.Fail(id, "ENOANSWER", r.ended)
}

// dataResponse is one line on standard input.
type dataResponse struct {
	Type          string          `json:"type"`
	RequestID     string          `json:"requestId"`
	DataRequestID string          `json:"dataRequestId"`
	Data          json.RawMessage `json:"data"`
	Error         json.RawMessage `json:"error"`
}

// answers passes responses on until standard input ends. Calls that are waiting
// then, and later ones, fail at once instead of at the deadline.
func (r *eventReport) answers(session *supervisor.Session) {
	in := json.NewDecoder(r.In)
	var err error
	for err == nil {
		var line dataResponse
		if err = in.Decode(&line); err == nil {
			err = r.answer(session, &line)
		}
	}
	reason := "standard input ended, no answer can come"
	if !errors.Is(err, io.EOF) {
		reason = "standard input is not a data_response, no answer can come"
		r.err.problem("standard input is not a data_response: " + misread(err))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = reason
	for id := range r.pending {
		r.fail(session, id)
	}
}

// misread says what is wrong with JSON in JSON's own words.
func misread(err error) string {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return strings.TrimPrefix(wrong.Field+": unexpected "+wrong.Value, ": ")
	}
	return err.Error()
}

func (r *eventReport) answer(session *supervisor.Session, line *dataResponse) error {
	if line.Type != "data_response" {
		return fmt.Errorf("type is %q", line.Type)
	}
	if line.RequestID != session.ID() && line.RequestID != "" {
		return nil // an answer to another run
	}
	if string(line.Error) == "null" { // as some write what is not there
		line.Error = nil
	}
	if string(line.Data) == "null" && line.Error != nil {
		line.Data = nil
	}
	switch {
	case line.DataRequestID == "":
		return errors.New("dataRequestId is missing")
	case (line.Data == nil) == (line.Error == nil):
		return errors.New("it has to have either data or error")
	}
	var data any
	var failed struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	var err error
	switch {
	case line.Data != nil:
		data, err = value.FromJSON(line.Data)
	case line.Error[0] != '{':
		err = errors.New("error is no object")
	default:
		err = json.Unmarshal(line.Error, &failed)
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	delete(r.pending, line.DataRequestID)
	r.mu.Unlock()
	if line.Error != nil {
		return session.Fail(line.DataRequestID, failed.Code, failed.Message)
	}
	return session.Respond(line.DataRequestID, data)
}
