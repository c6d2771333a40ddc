package supervisor

import (
	"encoding/json"

	"realm.internal/supervisor/pkg/value"
)

// EventType names what an Event tells.
type EventType string

// The events of a session, the last two terminal.
const (
	EventStatus      EventType = "status"
	EventDataRequest EventType = "data_request"
	EventResult      EventType = "result"
	EventError       EventType = "error"
)

// Event is one message of a session.
type Event struct {
	Type      EventType
	RequestID string

	// Status: console output has stage "console", its level, and a message that
	// begins with "[level] ".
	Stage, Message, Level string

	// DataRequest: answer with Session.Respond or Session.Fail.
	DataRequestID string
	Method        string
	Params        json.RawMessage

	// Result.
	Payload any
	Stats   *Stats

	// Error.
	Err *Error
}

// Terminal reports whether e is the session's last event.
func (e Event) Terminal() bool { return e.Type == EventResult || e.Type == EventError }

// MarshalJSON gives the NDJSON form: one flat object with type and requestId.
func (e Event) MarshalJSON() ([]byte, error) {
	type head struct {
		Type      EventType `json:"type"`
		RequestID string    `json:"requestId"`
	}
	h := head{e.Type, e.RequestID}
	switch e.Type {
	case EventStatus:
		return json.Marshal(struct {
			head
			Stage   string `json:"stage"`
			Level   string `json:"level,omitempty"`
			Message string `json:"message"`
		}{h, e.Stage, e.Level, e.Message})
	case EventDataRequest:
		return json.Marshal(struct {
			head
			DataRequestID string          `json:"dataRequestId"`
			Method        string          `json:"method"`
			Params        json.RawMessage `json:"params"`
		}{h, e.DataRequestID, e.Method, e.Params})
	case EventResult:
		payload, err := value.MarshalJSON(e.Payload)
		if err != nil {
			return nil, err
		}
		return json.Marshal(struct {
			head
			Payload json.RawMessage `json:"payload"`
			Stats   *Stats          `json:"stats"`
		}{h, payload, e.Stats})
	default:
		return json.Marshal(struct {
			head
			*Error
			Stats *Stats `json:"stats,omitempty"`
		}{h, e.Err, e.Stats})
	}
}
