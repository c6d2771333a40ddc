package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"realm.internal/supervisor/pkg/value"
)

// readInput reads JSON or @FILE.
func (a *app) readInput(text string) (any, error) {
	if text == "" {
		return nil, nil
	}
	doc := []byte(text)
	if text == "@" {
		return nil, errors.New("@ names no file: write @FILE, or @- for standard input")
	}
	if text[0] == '@' {
		var err error
		if doc, err = a.read(text[1:], maxInputBytes); err != nil {
			return nil, err
		}
		doc = bytes.TrimPrefix(doc, []byte(byteOrderMark))
	}
	if blank(doc) {
		return nil, errors.New("it is empty; the least JSON is a value such as null")
	}
	v, err := value.FromJSON(doc)
	if err != nil && text[0] != '@' {
		err = fmt.Errorf("%w; it is taken for the value itself: @FILE reads a file, @- standard input", err)
	}
	if err == nil && v == nil {
		return json.RawMessage("null"), nil
	}
	return v, err
}

// arguments are those of the JSON array, then the words.
func arguments(text string, words []string) ([]any, error) {
	var args []any
	if text != "" {
		if blank([]byte(text)) {
			return nil, errors.New("it is empty; the least array is []")
		}
		v, err := value.FromJSON([]byte(text))
		if err != nil {
			return nil, err
		}
		list, ok := v.([]any)
		if !ok {
			return nil, errors.New("it is no JSON array")
		}
		args = list
	}
	for _, w := range words {
		args = append(args, w)
	}
	return args, nil
}
