package erase

import "strings"

// typ returns the index behind the type that begins at token i, or -1 where there
// is none, or one that is not known here: conditional types, constructor types,
// generic function types, imports.
func (e *eraser) typ(i int) int {
	if e.depth++; e.depth > maxDepth {
		return -1
	}
	defer func() { e.depth-- }()
	if e.is(i, "|") || e.is(i, "&") {
		i++
	}
	for {
		if i = e.unary(i); i < 0 {
			return -1
		}
		if !e.is(i, "|") && !e.is(i, "&") {
			break
		}
		i++
	}
	if e.is(i, "extends") && !e.tokens[i].line {
		return -1
	}
	return i
}

func (e *eraser) unary(i int) int {
	switch {
	case e.is(i, "keyof"), e.is(i, "readonly"):
		if e.tokens[i+1].line {
			return -1
		}
		return e.unary(i + 1)
	case e.is(i, "typeof"):
		return e.postfix(e.entity(i + 1)) // whose line does not matter
	case e.is(i, "unique"), e.is(i, "infer"), e.is(i, "asserts"), e.is(i, "abstract"), e.is(i, "new"), e.is(i, "import"):
		return -1
	}
	return e.postfix(e.primary(i))
}

// postfix takes the brackets of arrays and of types that are looked up.
func (e *eraser) postfix(i int) int {
	for i >= 0 && e.is(i, "[") && !e.tokens[i].line {
		inside := i + 1
		if closing := e.tokens[i].match; inside != closing && e.typ(inside) != closing {
			return -1
		}
		i = e.tokens[i].match + 1
	}
	return i
}

func (e *eraser) primary(i int) int {
	t := e.tokens[i]
	switch {
	case t.kind == text && e.source[t.from] != '`', e.digits(i):
		return i + 1
	case e.is(i, "-") && e.digits(i+1):
		return i + 2
	case t.kind == name:
		switch e.word(i) {
		case "null", "undefined", "void", "this", "true", "false":
			return i + 1
		}
		return e.entity(i)
	case e.is(i, "["):
		return e.tuple(i)
	case e.is(i, "{"):
		return e.object(i)
	case e.is(i, "("):
		if e.is(t.match+1, "=>") && !e.tokens[t.match+1].line {
			if !e.declared(i) {
				return -1
			}
			return e.returned(t.match + 2)
		}
		if e.typ(i+1) != t.match {
			return -1
		}
		return t.match + 1
	}
	return -1
}

// tuple is [A, ...B[], C?].
func (e *eraser) tuple(i int) int {
	closing := e.tokens[i].match
	for i++; i < closing; i++ {
		if e.is(i, "...") {
			i++
		}
		if i = e.typ(i); i < 0 {
			return -1
		}
		if e.is(i, "?") {
			i++
		}
		if i != closing && !e.is(i, ",") {
			return -1
		}
	}
	return closing + 1
}

// object is { a: A; readonly b?: B, c(d: D): E } or, with a line each, no marks.
func (e *eraser) object(i int) int {
	closing := e.tokens[i].match
	for i++; i < closing; {
		if e.is(i, "readonly") && e.tokens[i+1].kind == name {
			i++
		}
		switch {
		case e.is(i, "["): // an index signature
			at := e.tokens[i].match
			if e.tokens[i+1].kind != name || !e.is(i+2, ":") || e.typ(i+3) != at || !e.is(at+1, ":") {
				return -1
			}
			i = at + 1
		case e.tokens[i].kind == name, e.digits(i), e.tokens[i].kind == text && e.source[e.tokens[i].from] != '`':
			i++
		default:
			return -1
		}
		if e.is(i, "?") {
			i++
		}
		if e.is(i, "(") {
			if !e.declared(i) {
				return -1
			}
			i = e.tokens[i].match + 1
		}
		if e.is(i, ":") {
			if i = e.returned(i + 1); i < 0 {
				return -1
			}
		}
		switch {
		case e.any(i, ";", ","):
			i++
		case i != closing && !e.tokens[i].line:
			return -1
		}
	}
	return closing + 1
}

// declared reports whether the parentheses at i hold parameters without defaults.
func (e *eraser) declared(i int) bool {
	closing := e.tokens[i].match
	for i++; i < closing; i++ { // over the comma
		if e.is(i, "...") {
			i++
		}
		if e.tokens[i].kind != name || reserved[e.word(i)] {
			return false
		}
		if i++; e.is(i, "?") {
			i++
		}
		if e.is(i, ":") {
			if i = e.typ(i + 1); i < 0 {
				return false
			}
		}
		if i != closing && !e.is(i, ",") {
			return false
		}
	}
	return true
}

// returned is a type, or the predicate "x is T".
func (e *eraser) returned(i int) int {
	if e.tokens[i].kind == name && e.is(i+1, "is") && !e.tokens[i+1].line {
		return e.typ(i + 2)
	}
	return e.typ(i)
}

// entity is a dotted name with type arguments.
func (e *eraser) entity(i int) int {
	if e.tokens[i].kind != name || reserved[e.word(i)] {
		return -1
	}
	for i++; e.is(i, "."); i += 2 {
		if e.tokens[i+1].kind != name {
			return -1
		}
	}
	if !e.is(i, "<") {
		return i
	}
	if e.tokens[i].line {
		return -1
	}
	return e.arguments(i)
}

// arguments are the type arguments that begin with the < at i.
func (e *eraser) arguments(i int) int {
	for {
		if i = e.typ(i + 1); i < 0 {
			return -1
		}
		if e.is(i, ">") {
			return i + 1
		}
		if !e.is(i, ",") {
			return -1
		}
	}
}

// parameters are the type parameters that begin with the < at i.
func (e *eraser) parameters(i int) int {
	for {
		i++
		if !e.newName(i) || e.is(i, "out") {
			return -1
		}
		i++
		if e.is(i, "extends") {
			if i = e.typ(i + 1); i < 0 {
				return -1
			}
		}
		if e.is(i, "=") {
			if i = e.typ(i + 1); i < 0 {
				return -1
			}
		}
		if e.is(i, ">") {
			return i + 1
		}
		if !e.is(i, ",") {
			return -1
		}
	}
}

// newName reports whether token i can name a type.
func (e *eraser) newName(i int) bool {
	if e.tokens[i].kind != name || reserved[e.word(i)] || contextual[e.word(i)] {
		return false
	}
	return !e.any(i, "this", "super", "null", "true", "false")
}

func (e *eraser) digits(i int) bool {
	if e.tokens[i].kind != number {
		return false
	}
	w := e.word(i)
	return strings.Trim(w, "0123456789") == "" && (w[0] != '0' || w == "0")
}
