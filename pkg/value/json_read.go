package value

import (
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// FromJSON reads plain JSON as JSON.parse does: objects keep the order of their
// keys, of equal keys the last value wins, "__proto__" and "$type" are data,
// numbers are float64 and lone surrogates survive. Anything but one JSON text
// in UTF-8 is an error that names the byte; nesting beyond 10 000 wraps ErrLimit.
func FromJSON(b []byte) (any, error) {
	r := jsonReader{b: b}
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	r.space()
	if r.pos < len(b) {
		return nil, r.fail("text after the value")
	}
	return v, nil
}

type jsonReader struct {
	b     []byte
	pos   int
	depth int
}

func (r *jsonReader) fail(what string) error {
	if r.pos >= len(r.b) {
		return fmt.Errorf("JSON ends too early, at byte %d", len(r.b))
	}
	return fmt.Errorf("JSON byte %d: %s", r.pos, what)
}

func (r *jsonReader) space() {
	for r.pos < len(r.b) {
		switch r.b[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// next skips space and returns the byte that follows; 0 at the end.
func (r *jsonReader) next() byte {
	r.space()
	return r.peek()
}

func (r *jsonReader) peek() byte {
	if r.pos < len(r.b) {
		return r.b[r.pos]
	}
	return 0
}

func (r *jsonReader) value() (any, error) {
	switch c := r.next(); {
	case c == '{':
		return r.object()
	case c == '[':
		return r.array()
	case c == '"':
		return r.string()
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	case r.word("null"):
		return nil, nil
	case r.word("true"):
		return true, nil
	case r.word("false"):
		return false, nil
	}
	return nil, r.fail("no value")
}

func (r *jsonReader) word(w string) bool {
	if len(r.b)-r.pos < len(w) || string(r.b[r.pos:r.pos+len(w)]) != w {
		return false
	}
	r.pos += len(w)
	return true
}

func (r *jsonReader) enter() error {
	if r.depth == defaultDepth {
		return fmt.Errorf("%w: JSON byte %d: nested deeper than %d", ErrLimit, r.pos, defaultDepth)
	}
	r.depth++
	r.pos++
	return nil
}

func (r *jsonReader) object() (any, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer func() { r.depth-- }()
	o := &Object{}
	for c := r.next(); c != '}'; c = r.next() {
		if o.Len() > 0 {
			if c != ',' {
				return nil, r.fail("no comma between members")
			}
			r.pos++
			c = r.next()
		}
		if c != '"' {
			return nil, r.fail("no key")
		}
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		if r.next() != ':' {
			return nil, r.fail("no colon after a key")
		}
		r.pos++
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		if units, ok := key.(String16); ok {
			key = generalised(units)
		}
		o.Set(key.(string), v)
	}
	r.pos++
	return o, nil
}

func (r *jsonReader) array() (any, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer func() { r.depth-- }()
	a := make([]any, 0, 1)
	for c := r.next(); c != ']'; c = r.next() {
		if len(a) > 0 {
			if c != ',' {
				return nil, r.fail("no comma between elements")
			}
			r.pos++
		}
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		a = append(a, v)
	}
	r.pos++
	return a, nil
}

func (r *jsonReader) number() (any, error) {
	start := r.pos
	if r.peek() == '-' {
		r.pos++
	}
	if r.peek() == '0' {
		r.pos++
	} else if !r.digits() {
		return nil, r.fail("no digit")
	}
	if r.peek() == '.' {
		r.pos++
		if !r.digits() {
			return nil, r.fail("no digit after the point")
		}
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		r.pos++
		if c := r.peek(); c == '+' || c == '-' {
			r.pos++
		}
		if !r.digits() {
			return nil, r.fail("no digit in the exponent")
		}
	}
	f, _ := strconv.ParseFloat(string(r.b[start:r.pos]), 64) // its one error left is the range: ±Infinity
	return f, nil
}

func (r *jsonReader) digits() bool {
	start := r.pos
	for c := r.peek(); c >= '0' && c <= '9'; c = r.peek() {
		r.pos++
	}
	return r.pos > start
}

// string reads a string: a Go string, or String16 when it must be.
func (r *jsonReader) string() (any, error) {
	r.pos++
	start := r.pos
	for r.pos < len(r.b) && r.b[r.pos] >= ' ' && r.b[r.pos] != '"' && r.b[r.pos] != '\\' {
		r.pos++
	}
	if r.peek() == '"' {
		part := r.b[start:r.pos]
		if !utf8.Valid(part) {
			return nil, r.fail("the string before is not UTF-8")
		}
		r.pos++
		return string(part), nil
	}
	return r.escaped(append([]byte{}, r.b[start:r.pos]...))
}

// escaped reads on from the first escape; out collects generalised UTF-8.
func (r *jsonReader) escaped(out []byte) (any, error) {
	lone, raw := false, len(out)
	if !utf8.Valid(out) {
		return nil, r.fail("the string before is not UTF-8")
	}
	for r.pos < len(r.b) {
		switch c := r.b[r.pos]; {
		case c == '"':
			if !utf8.Valid(out[raw:]) {
				return nil, r.fail("the string before is not UTF-8")
			}
			r.pos++
			if lone {
				return String16(unitsOf(string(out))), nil
			}
			return string(out), nil
		case c < ' ':
			return nil, r.fail("a control character in a string")
		case c != '\\':
			out = append(out, c)
			r.pos++
		default:
			if !utf8.Valid(out[raw:]) {
				return nil, r.fail("the string before is not UTF-8")
			}
			r.pos++
			unit, err := r.escape()
			if err != nil {
				return nil, err
			}
			if unit >= surrogateMin && unit <= surrogateMax {
				if pair := r.lowSurrogate(unit); pair != utf8.RuneError {
					unit = pair
				} else {
					lone = true
					out = append(out, generalised([]uint16{uint16(unit)})...)
					raw = len(out)
					continue
				}
			}
			out = utf8.AppendRune(out, unit)
			raw = len(out)
		}
	}
	return nil, r.fail("")
}

// lowSurrogate completes a pair when an escaped low surrogate follows.
func (r *jsonReader) lowSurrogate(high rune) rune {
	if r.peek() != '\\' {
		return utf8.RuneError
	}
	back := r.pos
	r.pos++
	low, err := r.escape()
	pair := utf16.DecodeRune(high, low)
	if err != nil || pair == utf8.RuneError {
		r.pos = back
		return utf8.RuneError
	}
	return pair
}

func (r *jsonReader) escape() (rune, error) {
	c := r.peek()
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		if len(r.b)-r.pos >= 5 {
			if u, err := strconv.ParseUint(string(r.b[r.pos+1:r.pos+5]), 16, 16); err == nil {
				r.pos += 5
				return rune(u), nil
			}
		}
		return 0, r.fail("no escape")
	default:
		return 0, r.fail("no escape")
	}
	r.pos++
	return rune(c), nil
}
