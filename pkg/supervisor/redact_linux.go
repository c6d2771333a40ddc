package supervisor

import (
	"encoding/json"

	"realm.internal/supervisor/internal/redact"
	"realm.internal/supervisor/pkg/value"
)

// redact replaces secrets in what the caller is about to see: those that the
// guest may not read in the value, every one in the error.
func (x *execution) redact(res *Result) {
	if r := x.secrets.Everywhere; r != nil {
		res.Value = rewrite(res.Value, r)
	}
	if r := x.secrets.Diagnostics; r != nil {
		res.conceal = r.Text
	}
	e, r := res.err, x.secrets.Diagnostics
	if e == nil || r == nil {
		return
	}
	for _, s := range []*string{&e.Name, &e.Message, &e.Stack, &e.Capability, &e.Target, &e.Hint} {
		*s = r.Text(*s)
	}
	for i := range e.Pending {
		e.Pending[i] = r.Text(e.Pending[i])
	}
	e.Thrown = rewrite(e.Thrown, r)
	e.Cause = concealed(e.Cause, r)
}

// concealed replaces secrets in JSON; where one was not just a part of a string, the rest becomes one.
func concealed(document json.RawMessage, r *redact.Redactor) json.RawMessage {
	text := r.Text(string(document))
	if len(document) == 0 || json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text)
	return quoted
}

func rewrite(v any, r *redact.Redactor) any {
	return value.Rewrite(v, r.Text, func(b []byte) []byte {
		out, _ := r.Bytes(b)
		return out
	})
}
