package value

import (
	"encoding/base64"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"
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
	if err := w.survey(v); err != nil {
		return nil, err
	}
	if err := w.value(v); err != nil {
		return nil, err
	}
	return w.buf, nil
}

// maxPointers bounds the bytes that all references of a document take, since
// each may repeat a long path: what every document may have, and how many times
// as much as everything else in it.
const (
	maxPointers      = 1 << 20
	maxPointersTimes = 8
)

type jsonWriter struct {
	buf      []byte
	shared   map[jsonID]*place // what stands in several places: the first, once it is written
	path     []step            // to the value that is being written
	depth    int
	pointers int
}

func (w *jsonWriter) raw(s string)   { w.buf = append(w.buf, s...) }
func (w *jsonWriter) open(t string)  { w.raw(`{"$type":"` + t + `","value":`) }
func (w *jsonWriter) quote(s string) { w.buf = appendJSONString(w.buf, s) }
func (w *jsonWriter) simple(t, s string) {
	w.open(t)
	w.quote(s)
	w.raw("}")
}

func (w *jsonWriter) value(v any) error {
	if w.depth > defaultDepth {
		return tooDeepForJSON()
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
		return w.bytes("", v, v)
	case []any:
		return w.array(v)
	case *Object:
		return w.object(v)
	default:
		return w.rich(v)
	}
	return nil
}

func (w *jsonWriter) rich(v any) error {
	switch v := v.(type) {
	case *RegExp:
		if w.repeated(v) {
			return w.limit()
		}
		w.open("regexp")
		w.raw(`{"source":`)
		w.quote(v.Source)
		w.raw(`,"flags":`)
		w.quote(v.Flags)
		w.raw("}}")
	case *ArrayBuffer:
		return w.bytes("ArrayBuffer", v.Bytes, v)
	case *TypedArray:
		return w.bytes(v.Kind, v.Bytes, v)
	case *Map:
		return w.mapEntries(v)
	case *Set:
		if w.repeated(v) {
			return w.limit()
		}
		w.open("set")
		w.push(typed)
		if err := w.list(v.Values); err != nil {
			return err
		}
		w.pop()
		w.raw("}")
	case *SparseArray:
		return w.sparse(v)
	case *Error:
		return w.error(v)
	default:
		return w.foreign(v)
	}
	return nil
}

// foreign writes other Go types through the wire form.
func (w *jsonWriter) foreign(v any) error {
	b, err := Encode(v)
	if err != nil {
		return err
	}
	tree, err := Decode(b, Limits{MaxBytes: math.MaxInt})
	if err != nil {
		return err
	}
	if err := w.survey(tree); err != nil {
		return err
	}
	return w.value(tree)
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

// bytes writes the bytes of object.
func (w *jsonWriter) bytes(kind string, data []byte, object any) error {
	if w.repeated(object) {
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
