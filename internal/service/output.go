package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"realm.internal/supervisor/pkg/supervisor"
	"realm.internal/supervisor/pkg/value"
)

const ndjson = "application/x-ndjson"

// slowest is how many bytes a second a client reads at least, after a while of patience.
const slowest = 64 << 10

var errUnread = errors.New("too many bytes of answers are unread")

// output is a form of the answer.
type output interface {
	event(*supervisor.Session, supervisor.Event)
	// end writes what is left; the error is for whoever has not answered yet.
	end(*supervisor.Result, error) error
}

// patientWriter writes in parts, each of which the client has patience to read; and all of them together in a time in
// proportion to their size. After an error nothing is written.
type patientWriter struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	left     time.Duration // for the client to be waited for

	mu  sync.Mutex
	err error
}

func newPatientWriter(w http.ResponseWriter, patience time.Duration) *patientWriter {
	return &patientWriter{w: w, control: http.NewResponseController(w), patience: patience, left: patience}
}

func (p *patientWriter) write(b []byte) {
	p.left += time.Duration(len(b)) * time.Second / slowest
	for part := range slices.Chunk(b, 64<<10) {
		p.wait(func() error {
			_, err := p.w.Write(part)
			return err
		})
	}
}

func (p *patientWriter) flush() { p.wait(p.control.Flush) }

func (p *patientWriter) wait(write func() error) {
	p.mu.Lock()
	failed, began := p.err != nil, time.Now()
	if !failed {
		_ = p.control.SetWriteDeadline(began.Add(min(p.patience, p.left)))
	}
	p.mu.Unlock()
	if failed {
		return
	}
	if err := write(); err != nil {
		p.cut(err)
	}
	p.left -= time.Since(began)
}

// cut ends the connection, whoever is writing to it; the first error stays.
func (p *patientWriter) cut(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	_ = p.control.SetWriteDeadline(time.Unix(1, 0))
}

func (p *patientWriter) failed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err != nil
}

// encode is v as a line of JSON.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func (p *patientWriter) head(id, kind string) {
	h := p.w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Location", "/v1/runs/"+id)
	p.w.WriteHeader(http.StatusOK)
}

// unread is what one answer has of the budget of answers.
type unread struct {
	budget   *budget
	who      string
	exceeded func() // what to do when there is not enough
}

func (u *unread) take(n int64) bool {
	ok := u.budget.take(u.who, n)
	if !ok {
		u.exceeded()
	}
	return ok
}

func (u *unread) give(n int64) { u.budget.give(u.who, n) }

// streamOutput writes events as they come. They are encoded at once, so that what a slow client leaves unread is
// counted as the bytes that it is.
type streamOutput struct {
	id     string
	w      *patientWriter
	unread *unread
	giveUp context.CancelCauseFunc
	sent   chan struct{} // closed when nothing is written any more

	mu    sync.Mutex
	more  *sync.Cond
	parts [][]byte // of lines
	ended bool
}

func newStreamOutput(id string, w *patientWriter, u *unread, giveUp context.CancelCauseFunc) *streamOutput {
	o := &streamOutput{id: id, w: w, unread: u, giveUp: giveUp, sent: make(chan struct{})}
	o.more = sync.NewCond(&o.mu)
	go o.send()
	return o
}

// partCost is what a part of a line takes in memory: its buffer and its place in the queue.
func partCost(part []byte) int64 { return int64(cap(part)) + 64 }

func costOf(parts [][]byte) (n int64) {
	for _, part := range parts {
		n += partCost(part)
	}
	return n
}

func (o *streamOutput) event(_ *supervisor.Session, e supervisor.Event) {
	if o.w.failed() {
		return
	}
	e.RequestID = o.id
	parts, err := encodeEvent(e)
	if err != nil {
		o.w.cut(err)
		o.giveUp(err)
		return
	}
	if !o.unread.take(costOf(parts)) {
		return
	}
	o.mu.Lock()
	o.parts = append(o.parts, parts...)
	o.mu.Unlock()
	o.more.Signal()
}

// encodeEvent is e as a line of JSON, in parts: what may be large of it is one of them and not copied.
func encodeEvent(e supervisor.Event) ([][]byte, error) {
	head := eventHead{Type: e.Type, RequestID: e.RequestID}
	key, end := `,"params":`, "}\n"
	var large []byte
	var err error
	switch e.Type {
	case supervisor.EventDataRequest:
		head.DataRequestID, head.Method, large = e.DataRequestID, e.Method, e.Params
	case supervisor.EventResult:
		var stats []byte
		if stats, err = encode(e.Stats); err == nil {
			large, err = value.MarshalJSON(e.Payload)
		}
		key, end = `,"payload":`, `,"stats":`+strings.TrimSpace(string(stats))+end
	default:
		large, err = encode(e)
		return [][]byte{large}, err
	}
	if err != nil {
		return nil, err
	}
	first, err := encode(head)
	return [][]byte{append(bytes.TrimRight(first, "}\n"), key...), large, []byte(end)}, err
}

// eventHead is what comes before the parameters of a data request or the payload of a result.
type eventHead struct {
	Type          supervisor.EventType `json:"type"`
	RequestID     string               `json:"requestId"`
	DataRequestID string               `json:"dataRequestId,omitempty"`
	Method        string               `json:"method,omitempty"`
}

// send writes what there is until the end.
func (o *streamOutput) send() {
	defer close(o.sent)
	o.w.head(o.id, ndjson)
	o.w.flush()
	for part := range o.queued {
		o.w.write(part)
		if bytes.HasSuffix(part, []byte("\n")) { // the line is whole
			o.w.flush()
		}
		o.unread.give(partCost(part))
		if o.w.failed() {
			o.giveUp(nil) // nobody reads any more
		}
	}
}

func (o *streamOutput) queued(yield func([]byte) bool) {
	for {
		o.mu.Lock()
		for len(o.parts) == 0 && !o.ended {
			o.more.Wait()
		}
		if len(o.parts) == 0 {
			o.mu.Unlock()
			return
		}
		part := o.parts[0]
		o.parts[0] = nil
		o.parts = o.parts[1:]
		o.mu.Unlock()
		yield(part)
	}
}

func (o *streamOutput) end(res *supervisor.Result, _ error) error {
	res.Release()
	o.mu.Lock()
	o.ended = true
	o.mu.Unlock()
	o.more.Signal()
	<-o.sent
	return nil
}

// documentOutput writes one document at the end.
type documentOutput struct {
	id     string
	w      *patientWriter
	unread *unread
}

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

func (o *documentOutput) end(res *supervisor.Result, failed error) error {
	parts, err := o.encode(res, failed)
	n := costOf(parts)
	taken := err == nil && failed == nil && o.unread.budget.take(o.unread.who, n)
	if err == nil && failed == nil && !taken {
		parts, err = o.encode(res, tooMuchUnread(n))
		n = costOf(parts)
	}
	if err != nil {
		res.Release()
		return err
	}
	if taken || o.unread.take(n) {
		defer o.unread.give(n)
	}
	res.Release()
	o.w.head(o.id, "application/json")
	for _, part := range parts {
		o.w.write(part)
	}
	return nil
}

// encode is the document in parts.
func (o *documentOutput) encode(res *supervisor.Result, err error) ([][]byte, error) {
	doc := resultDocument{RequestID: o.id, Status: "ok"}
	rest := resultRest{Logs: res.Logs, LogsTruncated: res.LogsTruncated, Stats: res.Stats, Receipt: res.Receipt}
	if rest.Logs == nil {
		rest.Logs = []supervisor.Log{}
	}
	var value json.RawMessage
	if err != nil {
		e := supervisor.AsError(err)
		switch e.Code {
		case supervisor.CodeUnenforceable, supervisor.CodeCapacity, supervisor.CodeInternal: // the host's failure, not the run's
			p := runProblem(e)
			p.RequestID = o.id
			return nil, p
		}
		doc.Status, rest.Error = "error", e
	} else if value, err = res.ValueJSON(); err != nil {
		return nil, err
	}
	first, err := encode(doc)
	if err != nil {
		return nil, err
	}
	last, err := encode(rest)
	if err != nil {
		return nil, err
	}
	first, last = bytes.TrimRight(first, "}\n"), last[1:]
	if value == nil {
		return [][]byte{append(first, ','), last}, nil
	}
	return [][]byte{append(first, `,"value":`...), value, []byte(","), last}, nil
}

// tooMuchUnread is what became of a result whose answer would have been so many bytes.
func tooMuchUnread(bytes int64) *supervisor.Error {
	return &supervisor.Error{
		Code: supervisor.CodeValidation, Phase: "serialize",
		Message: fmt.Sprintf("the answer is %d bytes of JSON, and with those of yours that are not read yet too much to be held", bytes),
		Hint:    "read the answers of your other runs first, or return less, such as a summary",
	}
}
