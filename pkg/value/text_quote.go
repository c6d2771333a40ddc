package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

func numberText(f float64) string {
	switch {
	case f != f:
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0 && math.Signbit(f):
		return "-0"
	}
	return string(appendJSNumber(nil, f))
}

// element is the text of element i of a view.
func (t *TypedArray) element(i, size int) string {
	b := t.Bytes[i*size:]
	switch t.Kind {
	case "Int8Array":
		return strconv.Itoa(int(int8(b[0])))
	case "Int16Array":
		return strconv.Itoa(int(int16(binary.LittleEndian.Uint16(b))))
	case "Uint16Array":
		return strconv.Itoa(int(binary.LittleEndian.Uint16(b)))
	case "Float16Array":
		return numberText(float16(binary.LittleEndian.Uint16(b)))
	case "Int32Array":
		return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(b))))
	case "Uint32Array":
		return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b)), 10)
	case "Float32Array":
		return numberText(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
	case "Float64Array":
		return numberText(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	case "BigInt64Array":
		return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10) + "n"
	case "BigUint64Array":
		return strconv.FormatUint(binary.LittleEndian.Uint64(b), 10) + "n"
	}
	return strconv.Itoa(int(b[0]))
}

func float16(u uint16) float64 {
	sign := 1.0
	if u&0x8000 != 0 {
		sign = -1
	}
	exponent, fraction := int(u>>10&31), float64(u&0x3ff)
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return math.Inf(int(sign))
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// quote writes s as a JavaScript literal with the quotes that need no escape.
func quote(s string) string {
	rest := 0
	if len(s) > textString {
		short := cut(s, textString)
		rest = len(s) - len(short)
		s = short
	}
	q := byte('\'')
	if strings.Contains(s, "'") {
		switch {
		case !strings.Contains(s, `"`):
			q = '"'
		case !strings.Contains(s, "`") && !strings.Contains(s, "${"):
			q = '`'
		}
	}
	b := append(make([]byte, 0, len(s)+2), q)
	b = append(appendEscaped(b, s, q), q)
	if rest > 0 {
		return string(b) + fmt.Sprintf("... %d more bytes", rest)
	}
	return string(b)
}

// escapeControls is for text outside quotes; line feeds stay.
func escapeControls(s string) string {
	return string(appendEscaped(nil, s, 0))
}

// appendEscaped escapes controls, what is invisible or turns text around, lone
// surrogates, and, inside quotes q, the quote, the backslash and the line feed.
func appendEscaped(b []byte, s string, q byte) []byte {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case q != 0 && (r == rune(q) || r == '\\'):
			b = append(b, '\\', byte(r))
		case r == '\n' && q == 0:
			b = append(b, '\n')
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t' && q == 0:
			b = append(b, '\t')
		case r == '\t':
			b = append(b, '\\', 't')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r < ' ' || r >= 0x7f && r < 0xa0:
			b = fmt.Appendf(b, `\x%02X`, r)
		case r == utf8.RuneError && n == 1:
			units := unitsOf(s[i:min(i+3, len(s))])
			if units[0]>>11 == surrogateMin>>11 {
				n = 3
			}
			b = fmt.Appendf(b, `\u%04X`, units[0])
		case hidden(r):
			b = fmt.Appendf(b, `\u%04X`, r)
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return b
}

// hidden reports separators and direction marks, which make a terminal show
// something else than is there.
func hidden(r rune) bool {
	return r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2060 && r <= 0x2069 || r == 0xfeff || r == 0x061c
}
