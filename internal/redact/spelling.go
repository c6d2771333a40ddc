package redact

import "unicode/utf8"

// matcher finds one spelling of one secret.
type matcher interface {
	// match returns the length of the secret's spelling at the start of b, 0 when b does not begin with it.
	// more says that b is a proper prefix of a spelling; it is never set when final is.
	match(b []byte, final bool) (n int, more bool)
}

// spellings returns the matchers of one value.
func spellings(value string) []matcher {
	all := []matcher{
		text{value, nil},
		text{value, percent},
		text{value, backslash},
		text{value, entity},
		hexadecimal(value),
	}
	if low := lower(value); low != value {
		all = append(all, text{low, percent})
	}
	for shift := range 3 {
		all = append(all, newBase64(value, shift))
	}
	return all
}

// lower is the value as names of headers and of hosts come out on their way: with small ASCII letters.
func lower(value string) string {
	b := []byte(value)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// text matches the value with any of its characters escaped as unescape understands it.
type text struct {
	value    string
	unescape unescaper
}

func (t text) match(b []byte, final bool) (n int, more bool) {
	for rest := t.value; rest != ""; {
		if n == len(b) {
			return 0, !final
		}
		if t.unescape != nil {
			c, size, open := t.unescape(b[n:])
			if open && !final {
				return 0, true
			}
			if size > 0 {
				if k := c.prefix(rest); k > 0 {
					rest, n = rest[k:], n+size
					continue
				}
			}
		}
		if b[n] != rest[0] {
			return 0, false
		}
		rest, n = rest[1:], n+1
	}
	return n, false
}

// char is what an escape stands for: a code point, or a byte that need not be a character by itself.
type char struct {
	code rune
	byte bool
}

// prefix returns how many bytes of s the character covers, 0 when s does not begin with it.
func (c char) prefix(s string) int {
	if s[0] == byte(c.code) && (c.byte || c.code < utf8.RuneSelf) {
		return 1
	}
	if first, size := utf8.DecodeRuneInString(s); first == c.code && size > 1 {
		return size
	}
	return 0
}

// hexadecimal matches the value as pairs of hexadecimal digits.
type hexadecimal string

func (v hexadecimal) match(b []byte, final bool) (n int, more bool) {
	for ; n < 2*len(v); n++ {
		if n == len(b) {
			return 0, !final
		}
		want := v[n/2] >> 4
		if n%2 == 1 {
			want = v[n/2] & 15
		}
		if digit(b[n]) != int(want) {
			return 0, false
		}
	}
	return n, false
}

// digit returns the value of a hexadecimal digit, -1 for any other byte.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
