package value

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"
	"unsafe"
)

// MarshalJSON returns v as JSON, compact and with keys in their order. What
// JSON cannot say is {"$type": …, "value": …}:
//
//	undefined            {"$type":"undefined"}, for a hole in an array too
//	NaN, ±Infinity, -0   {"$type":"number","value":"NaN"}
//	bigint               {"$type":"bigint","value":"123"}; "0x…" beyond 4 KiB
//	Date                 {"$type":"date","value":"2024-01-31T12:00:00.000Z"}; null: invalid
//	RegExp               {"$type":"regexp","value":{"source":"a","flags":"g"}}
//	Map                  {"$type":"map","value":[[key,value],…]}
//	Set                  {"$type":"set","value":[…]}
//	Uint8Array           {"$type":"bytes","value":"<base64>"}
//	other buffers        the same with "kind":"ArrayBuffer", "Float64Array", …
//	Error                {"$type":"error","value":{"name":…,"message":…,…}}
//	sparse array         {"$type":"array","length":9,"value":[[index,value],…]}
//	repeated object      {"$type":"ref","value":"/a/0"}, the JSON Pointer of its
//	                     first occurrence in this document; "" is the root
//	own key "$type"      {"$type":"object","value":{…}}
//
// Lone surrogates are \uXXXX escapes. Go values of other types are written as
// Encode sees them. References that would blow the text up are an error that
// wraps ErrLimit.
func MarshalJSON(v any) ([]byte, error) {
	w := jsonWriter{}
	if err := w.value(v, nil); err != nil {
		return nil, err
	}
	return w.buf, nil
}

// maxPointers bounds the bytes that all references of a document take: each may
// repeat a long path.
const maxPointers = 64 << 20

type jsonWriter struct {
	buf      []byte
	seen     map[identity]*place
	depth    int
	pointers int
}

// place is a step of a JSON Pointer. Paths are spelled only for references.
type place struct {
	parent *place
	key    string
	index  int // when key is ""
	isKey  bool
}

func (p *place) at(i int) *place     { return &place{parent: p, index: i} }
func (p *place) in(k string) *place  { return &place{parent: p, key: k, isKey: true} }
func typed(p *place) *place          { return p.in("value") }
func (w *jsonWriter) raw(s string)   { w.buf = append(w.buf, s...) }
func (w *jsonWriter) open(t string)  { w.raw(`{"$type":"` + t + `","value":`) }
func (w *jsonWriter) quote(s string) { w.buf = appendJSONString(w.buf, s) }
func (w *jsonWriter) simple(t, s string) {
	w.open(t)
	w.quote(s)
	w.raw("}")
}

func (w *jsonWriter) value(v any, at *place) error {
	if w.depth > defaultDepth {
		return fmt.Errorf("%w: nested deeper than %d", ErrLimit, defaultDepth)
	}
	w.depth++
	defer func() { w.depth-- }()

	if nilPointer(v) {
		w.raw("null")
		return nil
	}
	switch v := v.(type) {
	case nil:
		w.raw("null")
	case bool:
		w.buf = strconv.AppendBool(w.buf, v)
	case float64:
		w.number(v)
	case string:
		w.quote(v)
	case String16:
		w.quote(generalised(v))
	case UndefinedType, HoleType:
		w.raw(`{"$type":"undefined"}`)
	case *big.Int:
		w.simple("bigint", bigText(v))
	case time.Time:
		w.simple("date", dateText(v))
	case InvalidDateType:
		w.raw(`{"$type":"date","value":null}`)
	case []byte:
		return w.bytes(identity{unsafe.Pointer(unsafe.SliceData(v)), len(v), nil}, "", v, at)
	case []any:
		return w.array(v, at)
	case *Object:
		return w.object(v, at)
	default:
		return w.rich(v, at)
	}
	return nil
}

func (w *jsonWriter) rich(v any, at *place) error {
	switch v := v.(type) {
	case *RegExp:
		if w.repeated(unsafe.Pointer(v), at) {
			return w.limit()
		}
		w.open("regexp")
		w.raw(`{"source":`)
		w.quote(v.Source)
		w.raw(`,"flags":`)
		w.quote(v.Flags)
		w.raw("}}")
	case *ArrayBuffer:
		return w.bytes(identity{at: unsafe.Pointer(v)}, "ArrayBuffer", v.Bytes, at)
	case *TypedArray:
		return w.bytes(identity{at: unsafe.Pointer(v)}, v.Kind, v.Bytes, at)
	case *Map:
		return w.mapEntries(v, at)
	case *Set:
		if w.repeated(unsafe.Pointer(v), at) {
			return w.limit()
		}
		w.open("set")
		if err := w.list(v.Values, typed(at)); err != nil {
			return err
		}
		w.raw("}")
	case *SparseArray:
		return w.sparse(v, at)
	case *Error:
		return w.error(v, at)
	default:
		return w.foreign(v, at)
	}
	return nil
}

// foreign writes other Go types through the wire form.
func (w *jsonWriter) foreign(v any, at *place) error {
	b, err := Encode(v)
	if err != nil {
		return err
	}
	tree, err := Decode(b, Limits{MaxBytes: math.MaxInt})
	if err != nil {
		return err
	}
	return w.value(tree, at)
}

func (w *jsonWriter) number(f float64) {
	switch {
	case f != f:
		w.simple("number", "NaN")
	case math.IsInf(f, 1):
		w.simple("number", "Infinity")
	case math.IsInf(f, -1):
		w.simple("number", "-Infinity")
	case f == 0 && math.Signbit(f):
		w.simple("number", "-0")
	default:
		w.buf = appendJSNumber(w.buf, f)
	}
}

// repeated writes a reference to an object that stands elsewhere already.
func (w *jsonWriter) repeated(p unsafe.Pointer, at *place) bool {
	return w.repeatedID(identity{at: p}, at)
}

func (w *jsonWriter) repeatedID(id identity, at *place) bool {
	first, ok := w.seen[id]
	if !ok {
		if w.seen == nil {
			w.seen = make(map[identity]*place)
		}
		w.seen[id] = at
		return false
	}
	if w.limit() == nil {
		pointer := first.pointer()
		w.pointers += len(pointer)
		w.simple("ref", pointer)
	}
	return true
}

func (w *jsonWriter) limit() error {
	if w.pointers > maxPointers {
		return fmt.Errorf("%w: the references take more than %d bytes as JSON", ErrLimit, maxPointers)
	}
	return nil
}

func (p *place) pointer() string {
	var steps []*place
	for ; p != nil; p = p.parent {
		steps = append(steps, p)
	}
	var b []byte
	for i := len(steps) - 1; i >= 0; i-- {
		b = append(b, '/')
		if !steps[i].isKey {
			b = strconv.AppendInt(b, int64(steps[i].index), 10)
			continue
		}
		for _, c := range []byte(steps[i].key) {
			switch c {
			case '~':
				b = append(b, "~0"...)
			case '/':
				b = append(b, "~1"...)
			default:
				b = append(b, c)
			}
		}
	}
	return string(b)
}

func (w *jsonWriter) bytes(id identity, kind string, data []byte, at *place) error {
	if id.at != nil && (id.len > 0 || cap(data) > 0 || kind != "") && w.repeatedID(id, at) {
		return w.limit()
	}
	w.raw(`{"$type":"bytes",`)
	if kind != "" {
		w.raw(`"kind":`)
		w.quote(kind)
		w.raw(",")
	}
	w.raw(`"value":"`)
	w.buf = base64.StdEncoding.AppendEncode(w.buf, data)
	w.raw(`"}`)
	return nil
}

const hexDigits = "0123456789abcdef"

// appendJSONString escapes what JSON requires, and lone surrogates, which s
// holds in generalised UTF-8. Other invalid bytes become U+FFFD.
func appendJSONString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			b = append(b, s[start:i]...)
			if units := unitsOf(s[i:min(i+3, len(s))]); units[0]>>11 == surrogateMin>>11 {
				u := units[0]
				b = append(b, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
				n = 3
			} else {
				b = append(b, "\ufffd"...)
			}
			i += n
			start = i
			continue
		}
		b = append(b, s[start:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}
