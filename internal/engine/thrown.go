package engine

import (
	"strconv"
	"strings"

	"realm.internal/supervisor/internal/engine/erase"
	"realm.internal/supervisor/internal/v8"
)

// throwPlace finds where a value that is no Error was thrown, when the engine does not know: at the only throw statement of the
// source that fits. Zeros mean that there is none, or a choice.
func (s userSource) throwPlace(e v8.Error) (line, column int) {
	throws, _ := erase.Throws(s.text)
	found := -1
	for _, t := range throws {
		if !fits(t.Operand, e) {
			continue
		}
		if found >= 0 {
			return 0, 0
		}
		found = t.At
	}
	if found < 0 {
		return 0, 0
	}
	line, begin := lastLine(s.text[:found])
	return line, 1 + utf16Length(s.text[begin:found])
}

// fits reports whether an expression that begins with operand can have given what was thrown.
func fits(operand string, e v8.Error) bool {
	kind := thrownKind(e.Thrown)
	switch c := operand[:min(1, len(operand))]; {
	case c == `"` || c == "'":
		text := strings.Trim(operand, c)
		return kind == "string" && (strings.Contains(text, `\`) || strings.HasPrefix(e.Message, text))
	case c == "`":
		return kind == "string"
	case c >= "0" && c <= "9":
		n, err := strconv.ParseFloat(operand, 64)
		return err != nil || strings.HasPrefix(e.Message, strconv.FormatFloat(n, 'f', -1, 64))
	case c == "{" || c == "[":
		return kind == "object"
	case operand == "new":
		return kind == "object" || kind == "instance" || kind == ""
	case operand == "null" || operand == "undefined" || operand == "true" || operand == "false":
		return e.Message == operand && kind != "string"
	}
	return true
}

// thrownKind reads the first byte of an encoded value.
func thrownKind(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	switch c := b[0]; {
	case c&0xe0 == 0xa0, c >= 0xd9 && c <= 0xdb:
		return "string"
	case c&0xe0 == 0x80, c >= 0xdc && c <= 0xdf:
		return "object"
	case c >= 0xc4 && c <= 0xc6, c == 0xd7 && len(b) > 1 && b[1] == 5: // bytes, a Date
		return "instance"
	}
	return "other"
}
