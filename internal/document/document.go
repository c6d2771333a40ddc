// Package document reads one YAML or JSON document into a Go value and accepts nothing that could be read in two ways.
//
// Unknown and repeated keys, several documents in one file, anchors, aliases, tags, merge keys, numbers where a string
// is meant and text where a number is meant are errors; each names line, column and key path, and all of them are
// reported at once. Go types are described by their json tags.
//
// # Trust
//
// Documents may come from whoever may call the service: their size, their depth and their number of values are
// bounded before anything recursive looks at them.
//
// # Concurrency
//
// No state is shared: every function may be called from many goroutines.
package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"unicode/utf8"
)

const (
	maxBytes  = 1 << 20 // of one document
	maxDepth  = 32      // of collections in each other
	maxValues = 10_000  // keys, items and scalars; the YAML parser is quadratic in the keys of one mapping
)

// MaxProblems is how many problems are reported at once.
const MaxProblems = 50

// TextSetter is implemented by a struct that a plain string may stand for.
type TextSetter interface{ SetText(string) }

// Bounded is implemented by a struct with integers that have bounds. The minimum is always 1: Bound gives the
// maximum of the integer under key and tells how to mend one that is out of bounds.
type Bounded interface {
	Bound(key string) (maximum int64, fix string, ok bool)
}

// Source remembers where the values of a document stand.
type Source struct {
	positions map[string]position
	empty     bool
}

// Empty reports whether there was no value in the document.
func (s *Source) Empty() bool { return s.empty }

type position struct{ line, column int }

// Decode reads the one document of r into the struct that into points to. An empty document leaves it unchanged. The
// error is an *Error unless reading itself failed.
func Decode(r io.Reader, into any) (*Source, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	d := &decoder{source: &Source{positions: map[string]position{}, empty: root.kind == kindNull}}
	if root.kind != kindNull {
		d.decode(root, "", reflect.ValueOf(into).Elem())
	}
	if len(d.problems) > 0 {
		return nil, &Error{Problems: d.problems}
	}
	return d.source, nil
}

// Locate gives the problems of an *Error the positions of their paths, or of the nearest value that holds them.
func (s *Source) Locate(err error) error {
	var list *Error
	if s == nil || !errors.As(err, &list) {
		return err
	}
	located := make([]Problem, len(list.Problems))
	for i, p := range list.Problems {
		at := p.Path
		found, ok := s.positions[at]
		for !ok && at != "" {
			at = parent(at)
			found, ok = s.positions[at]
		}
		p.Line, p.Column = found.line, found.column
		located[i] = p
	}
	return &Error{Problems: located}
}

// parse chooses the reader: what begins like a JSON object and is valid JSON is read as JSON, so that tabs and all
// escapes mean what JSON says; all else is YAML.
func parse(text []byte) (*node, error) {
	if len(text) > maxBytes {
		return nil, single(0, 0, fmt.Sprintf("the document is larger than %d bytes", maxBytes), "split or shorten it")
	}
	text = bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF"))
	if !utf8.Valid(text) {
		return nil, single(0, 0, "the document is not UTF-8", "save it as UTF-8")
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		line, column := locate(text, i)
		return nil, single(line, column, "the document holds a NUL byte", "remove it")
	}
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(text) {
		return parseJSON(text)
	}
	return parseYAML(text)
}

// locate turns an offset into line and column, both from 1.
func locate(text []byte, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	line = bytes.Count(before, []byte("\n")) + 1
	return line, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}
