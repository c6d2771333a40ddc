package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxLineBytes bounds a line with its newline. What is written takes an eighth of
// it; who reads a log takes it for a line up to here.
const MaxLineBytes = 64 << 10

const hexDigits = "0123456789abcdef"

// appendBody appends what the hash covers: the whole record but its hash.
func appendBody(dst []byte, r *Record) []byte {
	dst = strconv.AppendUint(append(dst, `{"seq":`...), r.Seq, 10)
	dst = strconv.AppendInt(append(dst, `,"timestamp":`...), r.Timestamp, 10)
	dst = appendField(dst, `,"run":`, r.Run)
	dst = strconv.AppendUint(append(dst, `,"op":`...), r.Op, 10)
	dst = appendString(append(dst, `,"capability":`...), r.Capability)
	dst = appendField(dst, `,"target":`, r.Target)
	dst = appendString(append(dst, `,"outcome":`...), string(r.Outcome))
	dst = appendField(dst, `,"reason":`, r.Reason)
	if r.Bytes != nil {
		dst = strconv.AppendInt(append(dst, `,"bytes":`...), *r.Bytes, 10)
	}
	if r.DurationMs != nil {
		dst = strconv.AppendInt(append(dst, `,"durationMs":`...), *r.DurationMs, 10)
	}
	dst = appendString(append(dst, `,"prev":`...), r.Prev)
	return append(dst, '}')
}

// appendHash completes a body that appendBody made.
func appendHash(body []byte, hash string) []byte {
	body = appendString(append(body[:len(body)-1], `,"hash":`...), hash)
	return append(body, '}')
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func appendField(dst []byte, key, value string) []byte {
	if value == "" {
		return dst
	}
	return appendString(append(dst, key...), value)
}

// appendString appends s as a JSON string. ASCII controls, what unseen names and
// # are escaped, each byte that is not UTF-8 becomes \ufffd, and all other
// characters stand for themselves. (CI runners take ##[…] and ##vso[…] in what a
// job prints for commands.)
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i, size := 0, 0; i < len(s); i += size {
		dst, size = appendFirst(dst, s[i:])
	}
	return append(dst, '"')
}

// appendFirst appends the first character of s, and tells how many bytes of s it is.
func appendFirst(dst []byte, s string) ([]byte, int) {
	switch c := s[0]; {
	case c >= utf8.RuneSelf:
	case c == '"' || c == '\\':
		return append(dst, '\\', c), 1
	case c < ' ' || c == 0x7f || c == '#':
		return appendEscape(dst, rune(c)), 1
	default:
		return append(dst, c), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError || unseen(r) {
		return appendEscape(dst, r), size
	}
	return append(dst, s[:size]...), size
}

// unseen reports whether r could end a line, change a terminal's state or hide
// text: C1 controls, line and paragraph separators, zero-width characters,
// direction changes, tags. It is a list of our own, because Unicode's tables
// differ from one Go release to the next and a log outlives both.
func unseen(r rune) bool {
	switch {
	case r <= 0x9f, r == 0xad, r == 0x61c, r == 0x180e, r == 0xfeff,
		0x200b <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202e,
		0x2060 <= r && r <= 0x206f, 0xfff9 <= r && r <= 0xfffb,
		0xe0000 <= r && r <= 0xe007f:
		return true
	}
	return false
}

func appendEscape(dst []byte, r rune) []byte {
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		return appendEscape(appendEscape(dst, high), low)
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// cut shortens s to what takes at most limit bytes in a line, the ellipsis included.
func cut(s string, limit int) string {
	var one [12]byte
	for i, keep, taken := 0, 0, 0; i < len(s); {
		escaped, size := appendFirst(one[:0], s[i:])
		if taken += len(escaped); taken > limit {
			return s[:keep] + "…"
		}
		if i += size; taken <= limit-len("…") {
			keep = i
		}
	}
	return s
}
