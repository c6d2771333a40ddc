package service

import (
	"encoding/json"
	"net/http"
	"time"

	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/supervisor"
)

// find is a live run of the caller's own; nobody learns whether others have one of that id.
func (s *Service) find(c *call) (*liveRun, error) {
	id := c.r.PathValue("id")
	if run := s.runs.find(c.who, id); run != nil {
		return run, nil
	}
	return nil, refuse(http.StatusNotFound, supervisor.CodeInvalid, "you have no live run %q", grants.Shorten(id))
}

// listRuns lists the caller's own live runs.
func (s *Service) listRuns(c *call) error {
	type entry struct {
		RequestID string `json:"requestId"`
		State     string `json:"state"` // queued or running
		Since     string `json:"since"`
		ElapsedMs int64  `json:"elapsedMs"`
	}
	list := []entry{}
	for _, r := range s.runs.of(c.who) {
		e := entry{r.id, "running", r.since.UTC().Format(time.RFC3339Nano), time.Since(r.since).Milliseconds()}
		if r.queued() {
			e.State = "queued"
		}
		list = append(list, e)
	}
	return writeJSON(c, http.StatusOK, map[string]any{"runs": list})
}

// abortRun aborts one.
func (s *Service) abortRun(c *call) error {
	run, err := s.find(c)
	if err != nil {
		return err
	}
	run.cancel(nil)
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

// respond answers a data request of a run. One that is unknown, answered or late has no effect.
func (s *Service) respond(c *call) error {
	body, release, err := s.body(c)
	defer release()
	if err != nil {
		return err
	}
	run, err := s.find(c)
	if err != nil {
		return err
	}
	all, err := members("the response", body, "type", "requestId", "dataRequestId", "data", "error")
	if err != nil {
		return err
	}
	kind, err := text(all, "type")
	if err != nil || kind != "" && kind != "data_response" {
		return malformed("type is not data_response")
	}
	if id, err := text(all, "requestId"); err != nil || id != "" && id != run.id {
		return malformed("requestId is not that of the path, %s", run.id)
	}
	if string(all["error"]) == "null" { // as some write what is not there
		delete(all, "error")
	}
	if string(all["data"]) == "null" && all["error"] != nil {
		delete(all, "data")
	}
	id, err := text(all, "dataRequestId")
	switch {
	case err != nil:
		return err
	case id == "":
		return malformed("dataRequestId is missing")
	case (all["data"] == nil) == (all["error"] == nil):
		return malformed("give either data or error")
	}
	if session := run.begun(); session != nil {
		if err := reply(session, id, all["data"], all["error"]); err != nil {
			return err
		}
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func reply(session *supervisor.Session, id string, answer, failed json.RawMessage) error {
	if failed != nil {
		all, err := members("error", failed, "code", "message")
		if err != nil {
			return err
		}
		code, err := text(all, "code")
		if err != nil {
			return err
		}
		message, err := text(all, "message")
		if err != nil {
			return err
		}
		return session.Fail(id, code, message)
	}
	v, err := data("data", answer)
	if err != nil {
		return err
	}
	if err := session.Respond(id, v); err != nil {
		return malformed("%v", err)
	}
	return nil
}

func writeJSON(c *call, status int, v any) error {
	c.w.Header().Set("Content-Type", "application/json")
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.WriteHeader(status)
	return json.NewEncoder(c.w).Encode(v)
}
