package redact

// base64 matches the value inside a base64 text in which it begins shift bytes after a multiple of three.
//
// The characters at either end can hold bits of what stands beside the value; those bits are masked out.
type base64 struct{ want []sextet }

// sextet is one character of the text: the bits that are known, in place.
type sextet struct{ bits, mask byte }

func newBase64(value string, shift int) base64 {
	first, last := shift*8, (shift+len(value))*8 // the value's bits
	var want []sextet
	for at := first / 6 * 6; at < last; at += 6 {
		var s sextet
		for bit := at; bit < at+6; bit++ {
			s.bits, s.mask = s.bits<<1, s.mask<<1
			if bit >= first && bit < last {
				s.mask |= 1
				s.bits |= value[(bit-first)/8] >> (7 - (bit-first)%8) & 1
			}
		}
		want = append(want, s)
	}
	return base64{want}
}

// maxFold is the length of the longest line break inside a folded text: \r\n, each an escape.
const maxFold = 4

func (m base64) match(b []byte, final bool) (n int, more bool) {
	fold := 0
	for i := 0; i < len(m.want); {
		if n == len(b) {
			return 0, !final
		}
		c, size, open := base64Char(b[n:])
		if open && !final {
			return 0, true
		}
		if size == 0 {
			return 0, false
		}
		if c == '\r' || c == '\n' {
			if fold += size; i == 0 || fold > maxFold {
				return 0, false
			}
			n += size
			continue
		}
		v, ok := sextetOf(c)
		if !ok || v&m.want[i].mask != m.want[i].bits {
			return 0, false
		}
		i, n, fold = i+1, n+size, 0
	}
	return n, false
}

// base64Char reads one character, escaped or not. None of the three that begin an escape is in the alphabet.
func base64Char(b []byte) (c byte, size int, open bool) {
	var unescape unescaper
	switch b[0] {
	case '%':
		unescape = percent
	case '\\':
		unescape = backslash
	case '&':
		unescape = entity
	default:
		return b[0], 1, false
	}
	e, size, open := unescape(b)
	if e.code > 0x7f {
		return 0, 0, false
	}
	return byte(e.code), size, open
}

// sextetOf returns the value of a character of the standard or the URL alphabet.
func sextetOf(c byte) (byte, bool) {
	switch {
	case 'A' <= c && c <= 'Z':
		return c - 'A', true
	case 'a' <= c && c <= 'z':
		return c - 'a' + 26, true
	case '0' <= c && c <= '9':
		return c - '0' + 52, true
	case c == '+', c == '-':
		return 62, true
	case c == '/', c == '_':
		return 63, true
	}
	return 0, false
}
