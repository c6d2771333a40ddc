package redact

import "unsafe"

// MinBytes is the length from which a value is replaced. Shorter values would be found in innocent text.
const MinBytes = 8

// Secret is one value that must not leave the supervisor.
type Secret struct {
	Name  string // shown in place of the value
	Value string // values shorter than MinBytes are ignored
	// Readable says that the guest may read the value: it then stays in bodies and results, which are the
	// guest's own, and is replaced in logs, errors and audit records.
	Readable bool
}

// Set holds the two redactors of a run.
type Set struct {
	// Everywhere replaces the secrets that the guest must never see. It is for all that reaches the guest or
	// the caller.
	Everywhere *Redactor
	// Diagnostics replaces every secret. It is for logs, errors, audit records, metrics.
	Diagnostics *Redactor
}

// NewSet sorts the secrets of a run into the two classes.
func NewSet(secrets []Secret) Set {
	var hidden []Secret
	for _, s := range secrets {
		if !s.Readable {
			hidden = append(hidden, s)
		}
	}
	set := Set{Everywhere: New(hidden)}
	if set.Diagnostics = set.Everywhere; len(hidden) != len(secrets) {
		set.Diagnostics = New(secrets)
	}
	return set
}

// Redactor replaces the values of a fixed set of secrets. A nil *Redactor replaces nothing.
type Redactor struct {
	names []string
	forms [256][]form  // by first byte
	pairs [1024]uint64 // one bit for each two bytes that a form can begin with
}

// New returns a redactor of the given secrets, nil when none of them is long enough to be replaced.
func New(secrets []Secret) *Redactor {
	var r *Redactor
	for _, s := range secrets {
		if len(s.Value) < MinBytes {
			continue
		}
		if r == nil {
			r = &Redactor{}
		}
		r.add(s)
	}
	return r
}

func (r *Redactor) add(s Secret) {
	name := len(r.names)
	r.names = append(r.names, s.Name)
	for _, m := range spellings(s.Value) {
		f := form{name: name, matcher: m}
		var pair [2]byte
		// The matcher itself is asked what it can begin with, so that the table cannot disagree with it.
		for first := range 256 {
			pair[0] = byte(first)
			if _, more := m.match(pair[:1], false); !more {
				continue
			}
			r.forms[first] = append(r.forms[first], f)
			for second := range 256 {
				pair[1] = byte(second)
				if _, more := m.match(pair[:], false); more {
					r.pairs[first<<2|second>>6] |= 1 << (second & 63)
				}
			}
		}
	}
}

// form is one spelling of the secret with the index name.
type form struct {
	name int
	matcher
}

// Bytes returns b with every secret replaced, and the names of those that were found, sorted. Without a hit the
// result is b itself; b is never written to.
func (r *Redactor) Bytes(b []byte) (out []byte, found []string) {
	if r == nil {
		return b, nil
	}
	var s scan
	out, tail, _ := r.replace(b, true, &s)
	if len(s.hits) == 0 {
		return b, nil
	}
	return append(out, tail...), r.found(s)
}

// String is Bytes for strings.
func (r *Redactor) String(s string) (out string, found []string) {
	if r == nil {
		return s, nil
	}
	b, found := r.Bytes(unsafe.Slice(unsafe.StringData(s), len(s)))
	if found == nil {
		return s, nil
	}
	return string(b), found
}

// Text is String for callers that do not record what was found.
func (r *Redactor) Text(s string) string {
	s, _ = r.String(s)
	return s
}
