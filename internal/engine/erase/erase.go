// Package erase removes the types of plain TypeScript by overwriting them with
// blanks: what remains is JavaScript with every character where it was, so that
// no source map is needed. It takes microseconds, where the complete transform
// takes milliseconds in a fresh process.
//
// It knows a part of the language: annotations of variables, parameters and
// results, interfaces and type aliases, imports of types, "as" and "satisfies",
// "!", and type arguments of calls. It is for sources that the engine has refused
// as JavaScript, and whoever uses it lets the engine judge what comes out: classes
// with types, enums and all else that it leaves alone is refused there, and goes
// to the complete transform. What it erases must therefore be certain, not
// complete: each rule holds only where no JavaScript could be meant.
//
// # Trust
//
// The source is hostile. Work is linear but for types, which nest as deep as
// their brackets; sources with more than maxDepth of those are declined.
//
// # Concurrency
//
// Functions may be called concurrently.
package erase

import (
	"slices"
	"strings"
)

// maxBytes and maxDepth bound what is looked at.
const (
	maxBytes = 256 << 10
	maxDepth = 100
)

// Types returns source with its types blanked. False means that it is not sure
// of the source, or found nothing to erase.
func Types(source string) (string, bool) {
	if len(source) > maxBytes || strings.Contains(source, "use strict") { // a directive must come first
		return "", false
	}
	s, ok := scan(source, false)
	if !ok {
		return "", false
	}
	e := &eraser{scanner: s}
	tokens := s.tokens
	for i := 0; i < len(tokens)-1; {
		if tokens[i].gone {
			i++
			continue
		}
		if i = e.rule(i); i < 0 {
			return "", false
		}
	}
	if e.out == nil || e.unsure || e.generic() || slices.Contains(e.types, e.result) {
		return "", false
	}
	return string(e.out), true
}

// Ambiguous reports whether source may hold type arguments that are an expression
// too, as in f()<T>(x): as JavaScript that compiles, and means something else.
func Ambiguous(source string) bool {
	if strings.IndexByte(source, '<') < 0 || strings.IndexByte(source, '>') < 0 {
		return false
	}
	if len(source) > maxBytes {
		return true
	}
	s, ok := scan(source, false)
	return !ok || (&eraser{scanner: s}).generic()
}

// generic reports whether type arguments may be left that are an expression too.
// They are where what follows cannot go on with a value, or begins a line.
func (e *eraser) generic() bool {
	opened := false
	for i, t := range e.tokens {
		switch {
		case t.gone:
		case e.is(i, "<"):
			opened = true
		case opened && e.is(i, ">"):
			if next := e.tokens[i+1]; next.line || next.kind == regex || e.any(i+1, "(", "as", "satisfies") ||
				next.kind != end && e.source[next.from] == '`' {
				return true
			}
		}
	}
	return false
}

// eraser walks the tokens once.
type eraser struct {
	*scanner
	out    []byte // the source, once something was erased
	depth  int    // of the type that is being read
	unsure bool
	types  []string // the names of erased declarations
	result string   // what the default export begins with
}

// is reports whether token i is this name or mark.
func (e *eraser) is(i int, word string) bool {
	if i < 0 || i >= len(e.tokens) {
		return false
	}
	k := e.tokens[i].kind
	return (k == name || k == mark) && e.word(i) == word
}

// any reports whether token i is one of these.
func (e *eraser) any(i int, words ...string) bool {
	for _, w := range words {
		if e.is(i, w) {
			return true
		}
	}
	return false
}

// blank erases the tokens from, …, to-1 but not their line ends. Columns count
// UTF-16 units, so that only ASCII can be replaced by as many blanks.
func (e *eraser) blank(from, to int) {
	if e.out == nil {
		e.out = []byte(e.source)
	}
	for i := e.tokens[from].from; i < e.tokens[to-1].to; i++ {
		switch c := e.source[i]; {
		case c >= 0x80:
			e.unsure = true
		case c != '\n' && c != '\r':
			e.out[i] = ' '
		}
	}
	for i := from; i < to; i++ {
		e.tokens[i].gone = true
	}
}
