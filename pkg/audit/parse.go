package audit

import (
	"bytes"
	"encoding/json"
)

// parse reads one line, without its newline, and checks everything that the
// line alone can tell.
func parse(line []byte) (*Record, error) {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, &CorruptError{Reason: "not an audit record"}
	}
	body := appendBody(make([]byte, 0, len(line)), &r)
	hash := hashOf(body)
	// Only the canonical text of a record is a record: no further keys, no
	// second spelling, no key twice.
	if !bytes.Equal(appendHash(body, r.Hash), line) || r.check() != nil {
		return nil, &CorruptError{Reason: "not the canonical text of an audit record"}
	}
	if r.Hash != hash {
		return nil, &CorruptError{Reason: "the hash does not match the record"}
	}
	return &r, nil
}
