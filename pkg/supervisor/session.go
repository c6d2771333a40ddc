package supervisor

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"time"

	"realm.internal/supervisor/internal/broker"
)

// Session is one run that has been submitted.
type Session struct {
	id     string
	events *queue // nil when nobody will read them
	done   chan struct{}
	abort  chan struct{}
	why    string // abort was closed; written before
	once   sync.Once

	mu      sync.Mutex
	started time.Time // when the source was sent
	logs    []Log
	pending map[string]chan response
	serial  int
	aborted bool // by Abort: nothing is asked or answered any more
	result  *Result
}

// response is what a caller said to one data request.
type response struct {
	data any
	err  error
}

func newSession(id string, events bool) *Session {
	s := &Session{id: id, done: make(chan struct{}), abort: make(chan struct{}), pending: map[string]chan response{}, started: time.Now()}
	if events {
		s.events = newQueue()
	}
	return s
}

// ID is the request's id.
func (s *Session) ID() string { return s.id }

// Events yields the session's events in order and ends after exactly one
// terminal event. It can be left and taken up again; events that one loop has
// seen, another does not.
func (s *Session) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		if s.events == nil {
			return
		}
		for {
			e, ok := s.events.next()
			if !ok || !yield(e) {
				return
			}
		}
	}
}

// Respond answers the data request id. An id that is unknown, answered or late
// has no effect. The error says that data cannot cross; the guest gets it too.
func (s *Session) Respond(id string, data any) error {
	if err := crossable(data); err != nil {
		_ = s.Fail(id, "EBADVALUE", "the answer cannot cross: "+err.Error())
		return fmt.Errorf("respond to %s: %w", id, err)
	}
	s.answer(id, response{data: data})
	return nil
}

// Fail answers the data request id with an error that the guest's promise
// rejects with.
func (s *Session) Fail(id string, code, message string) error {
	s.answer(id, response{err: &ToolError{ErrCode: code, Message: message}})
	return nil
}

func (s *Session) answer(id string, r response) {
	s.mu.Lock()
	ch := s.pending[id]
	if s.aborted {
		ch = nil
	}
	delete(s.pending, id)
	s.mu.Unlock()
	if ch != nil {
		ch <- r // has room for one
	}
}

// Abort ends the run: the guest's pending calls reject, and the session ends
// with ABORTED. Further calls do nothing.
func (s *Session) Abort() { s.abortFor("aborted by the caller") }

func (s *Session) abortFor(why string) {
	s.once.Do(func() {
		s.mu.Lock()
		s.aborted, s.why = true, why
		s.mu.Unlock()
		close(s.abort)
	})
}

// Wait waits for the end. The error, if any, is an *Error; the Result is never nil.
func (s *Session) Wait() (*Result, error) {
	<-s.done
	return s.result, s.result.Err()
}

// Done is closed when the session has its result.
func (s *Session) Done() <-chan struct{} { return s.done }

// ask puts a data request to the reader of the events.
func (s *Session) ask(ctx context.Context, method string, params json.RawMessage) (any, error) {
	ch := make(chan response, 1)
	s.mu.Lock()
	s.serial++
	id := "d" + strconv.Itoa(s.serial)
	s.pending[id] = ch
	if !s.aborted {
		s.events.push(Event{Type: EventDataRequest, RequestID: s.id, DataRequestID: id, Method: method, Params: params})
	}
	s.mu.Unlock()
	select {
	case r := <-ch:
		return r.data, r.err
	case <-ctx.Done():
		s.mu.Lock()
		delete(s.pending, id)
		s.mu.Unlock()
		return nil, ctx.Err()
	}
}

// Console and Status make a Session the broker's Events.

// Console keeps one console line and passes it on.
func (s *Session) Console(level, message string) {
	s.mu.Lock()
	s.logs = append(s.logs, Log{Level: level, Message: message, Ms: time.Since(s.started).Milliseconds()})
	s.mu.Unlock()
	if s.events != nil {
		s.events.push(Event{Type: EventStatus, RequestID: s.id, Stage: "console", Level: level, Message: "[" + level + "] " + message})
	}
}

// Status passes one status event on.
func (s *Session) Status(stage, message string) {
	if s.events != nil {
		s.events.push(Event{Type: EventStatus, RequestID: s.id, Stage: bounded(stage), Message: bounded(message)})
	}
}

func bounded(text string) string {
	if len(text) > broker.MaxStatusBytes {
		return text[:broker.MaxStatusBytes] + "…"
	}
	return text
}

func (s *Session) start(now time.Time) {
	s.mu.Lock()
	s.started = now
	s.mu.Unlock()
}

// finish publishes the result: the terminal event first, then Wait.
func (s *Session) finish(r *Result) {
	s.mu.Lock()
	r.Logs = s.logs
	s.mu.Unlock()
	s.result = r
	if s.events != nil {
		e := Event{Type: EventResult, RequestID: s.id, Payload: r.Value, Stats: &r.Stats}
		if r.err != nil {
			e = Event{Type: EventError, RequestID: s.id, Err: r.err, Stats: &r.Stats}
		}
		s.events.push(e)
	}
	close(s.done)
}
