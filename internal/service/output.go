package service

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
)

const ndjson = "application/x-ndjson"

// output is a form of the answer.
type output interface {
	begin(*patientWriter)
	event(*supervisor.Session, supervisor.Event)
	// end writes what is left; the error is for whoever has not answered yet.
	end(*supervisor.Result, error) error
}

// patientWriter writes in parts, each of which the client has patience to read. After an error nothing is written.
type patientWriter struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	err      error
}

func (p *patientWriter) write(b []byte) {
	const part = 64 << 10
	for len(b) > 0 && p.err == nil {
		n := min(part, len(b))
		_ = p.control.SetWriteDeadline(time.Now().Add(p.patience))
		_, p.err = p.w.Write(b[:n])
		b = b[n:]
	}
}

func (p *patientWriter) flush() {
	if p.err == nil {
		_ = p.control.SetWriteDeadline(time.Now().Add(p.patience))
		p.err = p.control.Flush()
	}
}

// line writes v as one line of JSON.
func (p *patientWriter) line(v any) { p.write(p.encode(v)) }

// encode is v as a line of JSON, nothing after an error.
func (p *patientWriter) encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && p.err == nil {
		p.err = err
	}
	return b.Bytes()
}

func (p *patientWriter) head(id, kind string) {
	h := p.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Location", "/v1/runs/"+id)
	p.w.WriteHeader(http.StatusOK)
}

// streamOutput writes events as they come.
type streamOutput struct {
	c  *call
	id string
	w  *patientWriter
}

func (o *streamOutput) begin(w *patientWriter) {
	o.w = w
	w.head(o.id, ndjson)
	w.flush()
}

func (o *streamOutput) event(_ *supervisor.Session, e supervisor.Event) {
	e.RequestID = o.id
	o.w.line(e)
	o.w.flush()
}

func (o *streamOutput) end(*supervisor.Result, error) error { return nil }

// documentOutput writes one document at the end.
type documentOutput struct {
	c  *call
	id string
	w  *patientWriter
}

func (o *documentOutput) begin(w *patientWriter) { o.w = w }

func (o *documentOutput) event(s *supervisor.Session, e supervisor.Event) {
	if e.Type == supervisor.EventDataRequest {
		_ = s.Fail(e.DataRequestID, "ENOTOOL", "nobody can answer: the caller did not ask for events (Accept: "+ndjson+")")
	}
}

// resultDocument is the answer to a run that was carried out, whatever became of it.
// The value, which may be large, stands between the two parts: an answer that its client is slow to read holds it once.
type resultDocument struct {
	RequestID string `json:"requestId"`
	Status    string `json:"status"` // ok or error
}

type resultRest struct {
	Error         *supervisor.Error   `json:"error,omitempty"`
	Logs          []supervisor.Log    `json:"logs"`
	LogsTruncated bool                `json:"logsTruncated"`
	Stats         supervisor.Stats    `json:"stats"`
	Receipt       *supervisor.Receipt `json:"receipt"` // null when no realm was confined
}

func (o *documentOutput) end(res *supervisor.Result, err error) error {
	doc := resultDocument{RequestID: o.id, Status: "ok"}
	rest := resultRest{Logs: res.Logs, LogsTruncated: res.LogsTruncated, Stats: res.Stats, Receipt: res.Receipt}
	if rest.Logs == nil {
		rest.Logs = []supervisor.Log{}
	}
	var value json.RawMessage
	if err != nil {
		e := supervisor.AsError(err)
		if e.Code == supervisor.CodeUnenforceable || e.Code == supervisor.CodeInternal { // the host's failure, not the run's
			p := runProblem(e)
			p.RequestID = o.id
			return p
		}
		doc.Status, rest.Error = "error", e
	} else if value, err = res.ValueJSON(); err != nil {
		return err
	}
	res.Value = nil
	first, last := bytes.TrimRight(o.w.encode(doc), "}\n"), o.w.encode(rest)
	if o.w.err != nil {
		return o.w.err
	}
	o.w.head(o.id, "application/json")
	o.w.write(first)
	if value != nil {
		o.w.write([]byte(`,"value":`))
		o.w.write(value)
	}
	o.w.write([]byte(","))
	o.w.write(last[1:])
	return nil
}
