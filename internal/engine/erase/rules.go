package erase

// rule applies what holds at token i, and returns the index to go on with, or -1
// to decline the source.
func (e *eraser) rule(i int) int {
	switch {
	case e.tokens[i].kind == name && e.any(i-1, ".", "?."):
		return e.called(i)
	case e.tokens[i].kind == name:
		return e.named(i)
	case e.is(i, "("):
		return e.arrow(i)
	case e.is(i, "!"):
		return e.nonNull(i)
	}
	return i + 1
}

func (e *eraser) named(i int) int {
	switch e.word(i) {
	case "const", "let", "var":
		return e.declaration(i)
	case "function":
		return e.function(i)
	case "catch":
		return e.caught(i)
	case "interface", "type":
		return e.declaredType(i)
	case "import":
		return e.imported(i)
	case "as", "satisfies":
		return e.cast(i)
	case "class", "enum", "namespace", "module", "declare", "abstract":
		if !e.any(i+1, ":", "=", ".", "(") { // else a name or a key
			return -1
		}
	case "default":
		if e.is(i-1, "export") {
			value := i + 1
			for e.is(value, "(") {
				value++
			}
			e.result = e.word(value)
		}
	case "case":
		return -1 // its colon is too much like the others
	}
	return e.called(i)
}

// declaration is const, let or var, with a name or a pattern and its type.
func (e *eraser) declaration(i int) int {
	if e.is(i, "let") && i > 0 && !e.tokens[i].line && !e.any(i-1, ";", "{", "}", "(", ")", "export") ||
		e.is(i, "let") && e.any(i-1, "=", "return") {
		return -1 // perhaps a name
	}
	if i++; e.tokens[i].line {
		return -1
	}
	colon := i + 1
	if e.any(i, "{", "[") {
		colon = e.tokens[i].match + 1
	} else if e.tokens[i].kind != name {
		return i
	}
	if !e.is(colon, ":") {
		if !e.bound(i, colon) {
			return -1
		}
		return i
	}
	after := e.typ(colon + 1)
	if after < 0 || !e.bound(i, after) || !e.any(after, "=", ";", ",", ")", "}", "of", "in") && !e.begins(after) {
		return -1
	}
	e.blank(colon, after)
	return i + 1
}

// begins reports whether token i, behind an erased type, begins a statement of its
// own: it is on a new line, and nothing that the type could have gone on with.
func (e *eraser) begins(i int) bool {
	t := e.tokens[i]
	if t.kind == end {
		return true
	}
	return t.line && (t.kind == name && !e.any(i, "in", "instanceof", "extends", "is") ||
		t.kind == text || t.kind == number || e.any(i, "(", "[", "{", "+", "-", "!", ")", "]", "}"))
}

// function is the keyword with what follows up to the body.
func (e *eraser) function(i int) int {
	i++
	if e.is(i, "*") {
		i++
	}
	if e.tokens[i].kind == name {
		i++
	}
	if e.is(i, "<") {
		after := e.parameters(i)
		if after < 0 {
			return -1
		}
		e.blank(i, after)
		i = after
	}
	if !e.is(i, "(") || !e.signature(i) {
		return -1
	}
	after := e.tokens[i].match + 1
	if e.is(after, ":") {
		body := e.returned(after + 1)
		if !e.is(body, "{") {
			return -1
		}
		e.blank(after, body)
		after = body
	}
	if !e.is(after, "{") {
		return -1 // an overload
	}
	return i + 1
}

// signature erases the types of the parameters in the parentheses that open at i.
func (e *eraser) signature(i int) bool {
	closing := e.tokens[i].match
	for i++; i < closing; i++ { // over the comma
		if e.is(i, "...") {
			i++
		}
		switch {
		case e.any(i, "{", "["):
			if !e.plain(i) {
				return false
			}
			i = e.tokens[i].match + 1
		case e.tokens[i].kind == name && !e.is(i, "this"):
			i++
		default:
			return false
		}
		from := i
		if e.is(i, "?") {
			i++
		}
		if e.is(i, ":") {
			if i = e.typ(i + 1); i < 0 {
				return false
			}
		}
		if i > from {
			e.blank(from, i)
		}
		if e.is(i, "=") {
			for i < closing && !e.is(i, ",") {
				i = e.skip(i)
			}
		}
		if i != closing && !e.is(i, ",") {
			return false
		}
	}
	return true
}

// skip goes over a token, or a group in brackets.
func (e *eraser) skip(i int) int { return max(i, e.tokens[i].match) + 1 }

// arrow is a parenthesis that may hold the parameters of an arrow function.
func (e *eraser) arrow(i int) int {
	before, after := i-1, e.tokens[i].match+1
	if e.is(before, "async") && !e.any(before-1, ".", "?.") {
		before--
	} else if before >= 0 && e.tokens[before].kind == name && !reserved[e.word(before)] {
		return i + 1 // a call
	}
	if e.is(after, ":") && e.any(before, "=", "(", ",", "[", "=>", "return", "default", "?") {
		arrow := e.returned(after + 1)
		if !e.is(arrow, "=>") {
			return i + 1
		}
		if e.conditional(before) { // the colon may be its own
			return -1
		}
		e.blank(after, arrow)
	} else if !e.is(after, "=>") {
		return i + 1
	}
	if !e.signature(i) {
		return -1
	}
	return i + 1
}

// conditional reports whether token i, or one before it in its statement, is the
// first half of a conditional operator.
func (e *eraser) conditional(i int) bool {
	around := e.tokens[i].inside
	for far := max(0, i-200); i > around; i-- {
		if i < far || e.is(i, "?") && !e.tokens[i].gone {
			return true
		}
		if e.tokens[i].match >= 0 && e.tokens[i].match < i {
			i = e.tokens[i].match
		} else if e.is(i, ";") {
			return false
		}
	}
	return false
}

// caught is the parameter of a catch clause.
func (e *eraser) caught(i int) int {
	i++
	if !e.is(i, "(") {
		return i
	}
	if !e.signature(i) {
		return -1
	}
	return i + 1
}

// declaredType is an interface or an alias: all of it goes.
func (e *eraser) declaredType(i int) int {
	if e.tokens[i+1].line || !e.newName(i+1) {
		if e.is(i, "interface") && !e.is(i+1, ":") {
			return -1
		}
		return e.called(i) // a name
	}
	exported := e.is(i-1, "export")
	if exported && e.tokens[i].line || !exported && !e.tokens[i].line && !e.statement(i) {
		return -1 // no statement begins here: "return type A = b"
	}
	after := i + 2
	if e.is(after, "<") {
		if after = e.parameters(after); after < 0 {
			return -1
		}
	}
	if e.is(i, "interface") {
		after = e.members(after)
	} else {
		after = e.alias(after)
	}
	if after < 0 {
		return -1
	}
	e.types = append(e.types, e.word(i+1))
	from, rest := i, ";"
	if exported {
		from, rest = i-1, "export{};" // it is a module all the same
	}
	e.blank(from, after)
	copy(e.out[e.tokens[from].from:], rest)
	return after
}

// statement reports whether one may begin at token i, on the line of the token before.
func (e *eraser) statement(i int) bool {
	switch {
	case i > 0 && e.tokens[i-1].gone:
		return true
	case e.is(i-1, "}"):
		before := e.tokens[i-1].match - 1
		return e.any(before, "else", "try", "finally") || e.is(before, ")") && e.condition(e.tokens[before].match)
	case e.is(i-1, ")"):
		return e.condition(e.tokens[i-1].match)
	}
	return e.any(i-1, ";", "{", ":")
}

// members are an interface's from its name on.
func (e *eraser) members(i int) int {
	if e.is(i, "extends") {
		for i = e.entity(i + 1); e.is(i, ","); {
			i = e.entity(i + 1)
		}
	}
	if !e.is(i, "{") {
		return -1
	}
	return e.object(i)
}

// alias is a type alias from the equals sign on.
func (e *eraser) alias(i int) int {
	if !e.is(i, "=") {
		return -1
	}
	after := e.typ(i + 1)
	switch {
	case after < 0:
		return -1
	case e.is(after, ";"):
		return after + 1
	case e.is(after, "}"), e.begins(after):
		return after
	}
	return -1
}

// cast is "as T" or "satisfies T" behind a value, on its line.
func (e *eraser) cast(i int) int {
	if e.tokens[i].line || !e.value(i-1) || e.renames(i) {
		return e.called(i) // a name
	}
	after := i + 2
	if !e.is(i+1, "const") {
		if after = e.typ(i + 1); after < 0 {
			return -1
		}
	}
	if !e.follows(after) || !e.operand(i-1, after) {
		return -1
	}
	e.blank(i, after)
	return after
}

// follows reports whether token i may stand behind a cast. What opens a bracket or
// a template may not: on a line of its own it begins a statement in TypeScript, and
// goes on with the value in JavaScript. Nor may operators that bind tighter than the
// cast did: "a in b as T + 1" is a sum.
func (e *eraser) follows(i int) bool {
	switch t := e.tokens[i]; t.kind {
	case end:
		return true
	case template:
		return e.source[t.from] == '}'
	case mark:
		return e.any(i, ")", "]", "}", ",", ";", ":", "?", "||", "&&", "??", "==", "!=")
	case name:
		return t.line || e.any(i, "as", "satisfies")
	}
	return false
}

// value reports whether token i certainly ends a value.
func (e *eraser) value(i int) bool {
	if i < 0 {
		return false
	}
	switch e.tokens[i].kind {
	case name:
		return e.any(i-1, ".", "?.") || !reserved[e.word(i)] && !contextual[e.word(i)]
	case number, text:
		return true
	case template:
		return e.source[e.tokens[i].to-1] == '`'
	case mark:
		if e.is(i, ")") {
			return !e.condition(e.tokens[i].match)
		}
		if e.is(i, "}") { // an object's, not a block's
			open := e.tokens[i].match
			return e.any(open-1, "=", "(", ",", "[", "?", "??", "||", "&&") || e.is(open-1, "return") && !e.tokens[open].line
		}
		return e.is(i, "]")
	}
	return false
}

// renames reports whether "as" at i gives an import or export another name.
func (e *eraser) renames(i int) bool {
	open := e.tokens[i].inside
	if !e.is(open, "{") {
		return false
	}
	return e.any(open-1, "import", "export", "type") || e.is(open-1, ",") && e.is(open-3, "import")
}

// nonNull is the postfix "!".
func (e *eraser) nonNull(i int) int {
	behind := e.is(i-1, "]") || e.tokens[i].kind == mark && i > 0 && e.tokens[i-1].kind == name && e.value(i-1)
	next := e.tokens[i+1]
	if !e.tokens[i].line && behind && (next.line || next.kind == end || e.any(i+1, ".", "?.", "[", "(", ")", ",", ";", "]", "}")) {
		if !e.operand(i-1, i+1) {
			return -1
		}
		e.blank(i, i+1)
	}
	return i + 1
}

// called is a name, perhaps with type arguments and a call.
func (e *eraser) called(i int) int {
	if !e.is(i+1, "<") || e.tokens[i+1].line || reserved[e.word(i)] && !e.any(i-1, ".", "?.") {
		return i + 1
	}
	if contextual[e.word(i)] && !e.is(i, "async") && !e.any(i-1, ".", "?.") {
		return -1 // await <T>x and the like
	}
	list := e.arguments
	if e.is(i, "async") {
		list = e.parameters // of an arrow function
	}
	after := list(i + 1)
	if after < 0 || !e.is(after, "(") && (e.tokens[after].kind < text || e.source[e.tokens[after].from] != '`') {
		return i + 1
	}
	if e.method(after) {
		return -1
	}
	e.blank(i+1, after)
	return after
}
