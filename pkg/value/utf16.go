package value

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

const surrogateMin, surrogateMax = 0xd800, 0xdfff

// appendString writes s as a str, or as UTF-16 when s holds lone surrogates in
// generalised UTF-8, as the key of an Object may. Other bytes that are not
// UTF-8 become U+FFFD, as in encoding/json.
func appendString(b []byte, s string) []byte {
	if utf8.ValidString(s) {
		return appendStr(b, s)
	}
	return appendString16(b, unitsOf(s))
}

// appendString16 writes units as a str when they are well-formed.
func appendString16(b []byte, units []uint16) []byte {
	if wellFormed(units) {
		return appendStr(b, string(utf16.Decode(units)))
	}
	b = appendExtHead(b, extString16, 2*len(units))
	for _, u := range units {
		b = binary.LittleEndian.AppendUint16(b, u)
	}
	return b
}

func wellFormed(units []uint16) bool {
	for i := 0; i < len(units); i++ {
		switch u := units[i]; {
		case u < surrogateMin || u > surrogateMax:
		case u < 0xdc00 && i+1 < len(units) && units[i+1]>>10 == 0xdc00>>10:
			i++
		default:
			return false
		}
	}
	return true
}

// unitsOf reads generalised UTF-8, in which a lone surrogate is three bytes.
func unitsOf(s string) []uint16 {
	units := make([]uint16, 0, len(s))
	for len(s) > 0 {
		if len(s) >= 3 && s[0] == 0xed && s[1]&0xe0 == 0xa0 && s[2]&0xc0 == 0x80 {
			units = append(units, surrogateMin|uint16(s[1]&0x1f)<<6|uint16(s[2]&0x3f))
			s = s[3:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		units = utf16.AppendRune(units, r)
		s = s[n:]
	}
	return units
}

// generalised is the inverse of unitsOf.
func generalised(units []uint16) string {
	b := make([]byte, 0, 3*len(units))
	for i := 0; i < len(units); i++ {
		u := units[i]
		if u < surrogateMin || u > surrogateMax {
			b = utf8.AppendRune(b, rune(u))
			continue
		}
		if i+1 < len(units) {
			if r := utf16.DecodeRune(rune(u), rune(units[i+1])); r != utf8.RuneError {
				b = utf8.AppendRune(b, r)
				i++
				continue
			}
		}
		b = append(b, 0xed, 0x80|byte(u>>6&0x3f), 0x80|byte(u&0x3f))
	}
	return string(b)
}
