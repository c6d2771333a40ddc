package service

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"realm.internal/supervisor/internal/document"
	"realm.internal/supervisor/pkg/grants"
	"realm.internal/supervisor/pkg/value"
)

// members splits a JSON object into its members. Unlike encoding/json it takes keys as they are written, each once, and
// none that is not known.
func members(what string, text []byte, known ...string) (map[string]json.RawMessage, error) {
	if !utf8.Valid(text) {
		return nil, malformed("%s is not UTF-8", what)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, malformed("%s is no JSON object", what)
	}
	all := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, malformed("%s is malformed JSON: %v", what, err)
		}
		name := key.(string)
		if !slices.Contains(known, name) {
			return nil, malformed("%s has the unknown key %q; use some of %s", what, grants.Shorten(name), strings.Join(known, ", "))
		}
		if _, twice := all[name]; twice {
			return nil, malformed("%s has the key %q twice", what, name)
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, malformed("%s is malformed JSON: %v", what, err)
		}
		all[name] = raw
	}
	if _, err := d.Token(); err != nil {
		return nil, malformed("%s is malformed JSON: %v", what, err)
	}
	if _, err := d.Token(); err != io.EOF { // More would take a stray bracket for the end
		return nil, malformed("there is something after %s", what)
	}
	return all, nil
}

// text reads a string; "" where it is absent.
func text(all map[string]json.RawMessage, key string) (string, error) {
	raw, ok := all[key]
	if !ok {
		return "", nil
	}
	return textOf(key, raw)
}

// textOf reads a string that is Unicode.
func textOf(what string, raw json.RawMessage) (s string, err error) {
	switch {
	case raw[0] != '"' || json.Unmarshal(raw, &s) != nil:
		return "", malformed("%s is no string", what)
	case document.HalfPair(raw):
		return "", malformed("%s holds half of a surrogate pair", what)
	}
	return s, nil
}

// boolean reads true or false, and reports whether it is one of them.
func boolean(raw json.RawMessage, to *bool) bool {
	*to = string(raw) == "true"
	return *to || string(raw) == "false"
}

// limits reads an object of limits as strictly as a grants document; where it is absent, into stays.
func limits(under string, raw json.RawMessage, into any) error {
	if raw == nil {
		return nil
	}
	if raw[0] != '{' {
		return malformed("%s is no object", under)
	}
	if _, err := document.Decode(bytes.NewReader(raw), into); err != nil {
		return malformed("%s: %v", under, err).with(under, err)
	}
	return nil
}

const (
	maxTools      = 1000    // of a request: each becomes a global of the guest's, and the list is searched
	maxToolsBytes = 1 << 20 // of their list
	maxItems      = 1 << 20 // values in what a caller sends: read, and again while it is encoded, each takes a hundred bytes
)

// data reads plain JSON as the guest will see it.
func data(key string, raw json.RawMessage) (any, error) {
	if n := items(raw); n > maxItems {
		return nil, malformed("%s holds more than %d values", key, maxItems)
	}
	v, err := value.FromJSON(raw)
	if err != nil {
		return nil, malformed("%s: %v", key, err)
	}
	if v == nil {
		return json.RawMessage("null"), nil
	}
	return v, nil
}

// items is how many values JSON holds.
func items(raw []byte) int {
	n, quoted, last := 1, false, byte(0)
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted, last = !quoted, c
		case quoted || c <= ' ':
		case c == ']' && last == '[', c == '}' && last == '{': // nothing is in it
			n, last = n-1, c
		default:
			if c == ',' || c == '[' || c == '{' {
				n++
			}
			last = c
		}
	}
	return n
}

// toolList splits a list of tools.
func toolList(key string, raw json.RawMessage) (list []json.RawMessage, err error) {
	switch {
	case len(raw) > maxToolsBytes:
		return nil, malformed("%s has more than %d bytes", key, maxToolsBytes)
	case raw[0] != '[' || json.Unmarshal(raw, &list) != nil:
		return nil, malformed("%s is no array", key)
	case len(list) > maxTools:
		return nil, malformed("%s has %d items, %d are the most", key, len(list), maxTools)
	}
	return list, nil
}

// toolNames reads a list of the names of tools.
func toolNames(key string, raw json.RawMessage) ([]string, error) {
	list, err := toolList(key, raw)
	if err != nil {
		return nil, err
	}
	all := make([]string, len(list))
	for i, item := range list {
		if all[i], err = textOf("an item of "+key, item); err != nil {
			return nil, err
		}
	}
	return all, nil
}
