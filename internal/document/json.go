package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// parseJSON reads a text that is known to be one valid JSON value.
func parseJSON(text []byte) (*node, error) {
	p := &jsonParser{text: text, decoder: json.NewDecoder(bytes.NewReader(text)), line: 1, column: 1}
	p.decoder.UseNumber()
	return p.value(0)
}

type jsonParser struct {
	text    []byte
	decoder *json.Decoder
	values  int

	offset, line, column int // of the position that was last asked for
}

// next reads a token and where it begins.
func (p *jsonParser) next() (json.Token, position, error) {
	start := int(p.decoder.InputOffset())
	for start < len(p.text) && bytes.IndexByte([]byte(" \t\r\n,:"), p.text[start]) >= 0 {
		start++
	}
	p.advance(start)
	at := position{p.line, p.column}
	if p.values++; p.values > maxValues {
		return nil, at, single(at.line, at.column, fmt.Sprintf("the document has more than %d values", maxValues), "shorten it")
	}
	token, err := p.decoder.Token()
	if err != nil {
		return nil, at, single(at.line, at.column, "malformed JSON: "+err.Error(), "")
	}
	if _, ok := token.(string); ok && HalfPair(p.text[start:p.decoder.InputOffset()]) {
		return nil, at, single(at.line, at.column, "the text holds half of a surrogate pair", "write both halves, or the character itself")
	}
	return token, at, nil
}

// HalfPair reports whether one of the strings in valid JSON holds an escape that is half of a surrogate pair and no
// character: encoding/json puts another in its place.
func HalfPair(text []byte) bool {
	high := false // a first half is just before
	for i := 0; i < len(text); i++ {
		unit := uint64(0)
		if text[i] == '\\' {
			if i++; text[i] == 'u' {
				unit, _ = strconv.ParseUint(string(text[i+1:i+5]), 16, 16)
				i += 4
			}
		}
		if second := unit>>10 == 0xdc00>>10; second != high {
			return true
		}
		high = unit>>10 == 0xd800>>10
	}
	return false
}

func (p *jsonParser) advance(to int) {
	for p.offset < to {
		r, size := utf8.DecodeRune(p.text[p.offset:])
		if r == '\n' {
			p.line, p.column = p.line+1, 0
		}
		p.column++
		p.offset += size
	}
}

func (p *jsonParser) value(depth int) (*node, error) {
	token, at, err := p.next()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if depth >= maxDepth {
			return nil, tooDeep(at)
		}
		if t == '{' {
			return p.mapping(at, depth+1)
		}
		return p.list(at, depth+1)
	case string:
		return &node{kind: kindText, at: at, text: t}, nil
	case json.Number:
		return &node{kind: kindNumber, at: at, text: t.String()}, nil
	case bool:
		return &node{kind: kindBoolean, at: at, text: fmt.Sprint(t)}, nil
	}
	return &node{kind: kindNull, at: at}, nil
}

func (p *jsonParser) mapping(at position, depth int) (*node, error) {
	n := &node{kind: kindMapping, at: at}
	for p.decoder.More() {
		key, keyAt, err := p.next()
		if err != nil {
			return nil, err
		}
		value, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		n.pairs = append(n.pairs, pair{key.(string), keyAt, value})
	}
	_, _, err := p.next()
	return n, err
}

func (p *jsonParser) list(at position, depth int) (*node, error) {
	n := &node{kind: kindList, at: at}
	for p.decoder.More() {
		item, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, _, err := p.next()
	return n, err
}

func tooDeep(at position) error {
	return single(at.line, at.column, fmt.Sprintf("values are nested more than %d deep", maxDepth), "")
}
