package redact

import (
	"bytes"
	"unicode/utf16"
)

// unescaper reads the escape at the start of b, which is never empty. size is 0 when there is none; open says
// that b ends before the escape does.
type unescaper func(b []byte) (c char, size int, open bool)

// percent reads %41, and + for a space as forms have it.
func percent(b []byte) (c char, size int, open bool) {
	if b[0] == '+' {
		return char{code: ' '}, 1, false
	}
	if b[0] != '%' {
		return char{}, 0, false
	}
	code, size, open := digits(b, 1, 2)
	return char{code, true}, size, open
}

// backslash reads \", \/, \n, \x41, \u0041, \ud83d\ude00, \u{1f600} and \U0001f600.
func backslash(b []byte) (c char, size int, open bool) {
	if b[0] != '\\' {
		return char{}, 0, false
	}
	if len(b) == 1 {
		return char{}, 0, true
	}
	switch b[1] {
	case 'x':
		code, size, open := digits(b, 2, 2)
		return char{code, true}, size, open
	case 'u':
		return unicodeEscape(b)
	case 'U':
		code, size, open := digits(b, 2, 8)
		return char{code: code}, size, open
	}
	if i := bytes.IndexByte([]byte("btnvfr0"), b[1]); i >= 0 {
		return char{code: rune("\b\t\n\v\f\r\x00"[i])}, 2, false
	}
	return char{rune(b[1]), true}, 2, false
}

func unicodeEscape(b []byte) (c char, size int, open bool) {
	if len(b) > 2 && b[2] == '{' {
		return terminated(b, 3, 16, '}')
	}
	code, size, open := digits(b, 2, 4)
	if size == 0 || !utf16.IsSurrogate(code) {
		return char{code: code}, size, open
	}
	// The second half of a pair.
	tail := b[size:]
	switch {
	case len(tail) == 0, len(tail) == 1 && tail[0] == '\\':
		return char{}, 0, true
	case tail[0] != '\\' || tail[1] != 'u':
		return char{code: code}, size, false
	}
	low, n, open := digits(tail, 2, 4)
	return char{code: utf16.DecodeRune(code, low)}, size + n, open
}

// named are the entities that escaping functions write; the thousands of others nobody uses for this.
var named = [...]struct {
	name string
	code rune
}{{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&sol;", '/'}, {"&plus;", '+'}, {"&equals;", '='}}

// entity reads &amp;, &#38; and &#x26;.
func entity(b []byte) (c char, size int, open bool) {
	if b[0] != '&' {
		return char{}, 0, false
	}
	if len(b) == 1 {
		return char{}, 0, true
	}
	if b[1] == '#' {
		switch {
		case len(b) == 2:
			return char{}, 0, true
		case b[2] == 'x', b[2] == 'X':
			return terminated(b, 3, 16, ';')
		}
		return terminated(b, 2, 10, ';')
	}
	for _, e := range named {
		switch {
		case bytes.HasPrefix(b, []byte(e.name)):
			return char{code: e.code}, len(e.name), false
		case len(b) < len(e.name) && e.name[:len(b)] == string(b):
			open = true
		}
	}
	return char{}, 0, open
}

// digits reads exactly count hexadecimal digits after the first skip bytes.
func digits(b []byte, skip, count int) (code rune, size int, open bool) {
	for i := skip; i < skip+count; i++ {
		if i >= len(b) {
			return 0, 0, true
		}
		d := digit(b[i])
		if d < 0 {
			return 0, 0, false
		}
		code = code<<4 | rune(d)
	}
	return code, skip + count, false
}

// terminated reads up to 8 digits of the given base after the first skip bytes, and the byte that ends them.
func terminated(b []byte, skip, base int, end byte) (c char, size int, open bool) {
	const most = 8
	for i := skip; i <= skip+most; i++ {
		if i >= len(b) {
			return char{}, 0, true
		}
		if b[i] == end && i > skip {
			return c, i + 1, false
		}
		d := digit(b[i])
		if d < 0 || d >= base {
			break
		}
		c.code = c.code*rune(base) + rune(d)
	}
	return char{}, 0, false
}
