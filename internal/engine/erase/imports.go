package erase

// Module reports whether source imports or exports something at its top level, be it types alone. It is for sources that the engine
// has refused as scripts. Where it cannot tell a division from a regular expression, and for more than maxBytes, it answers false.
func Module(source string) bool {
	if len(source) > maxBytes {
		return false
	}
	s, ok := scan(source, true)
	if !ok {
		return false
	}
	e := &eraser{scanner: s}
	for i, t := range s.tokens {
		if t.inside < 0 && t.kind == name && (e.is(i, "export") || e.is(i, "import") && !e.any(i+1, "(", ".") && !e.aliases(i)) && !e.any(i-1, ".", "?.") {
			return true
		}
	}
	return false
}

// aliases reports whether the import at i gives a part of a namespace a name of its own, as in import a = N.b: that makes no module.
func (e *eraser) aliases(i int) bool {
	i++
	if e.is(i, "type") && !e.is(i+1, "=") {
		i++
	}
	return e.is(i+1, "=") && !e.is(i+2, "require")
}

// imported is an import. One of types goes, but for the source's being a module.
func (e *eraser) imported(i int) int {
	first, after := i+2, 0
	switch {
	case !e.is(i+1, "type"):
		return i + 1
	case e.is(first, "{"):
		after = e.tokens[first].match + 1
	case e.is(first, "*") && e.is(first+1, "as"):
		after = first + 3
	case e.tokens[first].kind == name && !e.is(first, "from"):
		after = first + 1
	default:
		return i + 1 // a default export by that name, or one that is called from
	}
	from := after + 1
	if e.tokens[i+1].line || !e.is(after, "from") || e.tokens[from].kind != text || e.source[e.tokens[from].from] == '`' || e.tokens[i].inside >= 0 ||
		i > 0 && !e.tokens[i].line && !e.statement(i) || !e.is(from+1, ";") && !e.begins(from+1) {
		return -1
	}
	for t := first; t < after; t++ {
		if e.tokens[t].kind == name {
			e.types = append(e.types, e.word(t))
		}
	}
	e.blank(i, from+1)
	copy(e.out[e.tokens[i].from:], "export{};")
	return from + 1
}
