package erase

// A cast or "!" belongs to a value. Where a name stands for none, because it is bound, a key, imported or a label, neither is
// TypeScript, and what would be left of it is JavaScript.

// bound reports whether the name or pattern at token i, which a declaration begins with, and those behind its commas have no
// cast. after is where the first one's type ends.
func (e *eraser) bound(i, after int) bool {
	if !e.plain(i) {
		return false
	}
	for i = after; ; i = e.skip(i) {
		t := e.tokens[i]
		switch {
		case t.kind == end, e.any(i, ";", ")", "]", "}"), t.kind == template && e.source[t.from] == '}',
			t.line && t.kind == name && e.ends(i-1) && !e.any(i, "in", "instanceof"):
			return true
		case e.is(i, ",") && !e.plain(i+1):
			return false
		}
	}
}

// plain reports whether the name or pattern at token i, which is bound, has no cast but in defaults and computed keys.
func (e *eraser) plain(i int) bool {
	if !e.any(i, "{", "[") {
		return !e.any(i+1, "as", "satisfies", "!")
	}
	closing := e.tokens[i].match
	for i++; i < closing; {
		switch {
		case e.is(i, "[") && e.any(i-1, "{", ",") && e.is(e.tokens[i].inside, "{"):
			i = e.skip(i)
		case e.is(i, "="):
			for !e.any(i, ",", "]", "}") {
				i = e.skip(i)
			}
		case e.any(i, "as", "satisfies", "!") && !e.any(i-1, "{", "[", ",", ":", "..."):
			return false
		default:
			i++
		}
	}
	return true
}

// operand reports whether token i, which a cast or "!" follows, ends a value and no name. next is what stands behind that.
func (e *eraser) operand(i, next int) bool {
	before := i - 1
	if e.is(i, "]") {
		before = e.tokens[i].match - 1
	}
	if e.renames(i) || e.any(before, "break", "continue") || e.tokens[i].kind == text && e.any(before, "import", "from") {
		return false
	}
	open := e.tokens[i].inside
	if e.is(open, "{") && e.any(before, "{", ",") && e.any(next, "}", ",", ":") && !e.block(open) {
		return false
	}
	for e.is(open, "[") {
		open = e.tokens[open].inside
	}
	return !e.method(open) && !e.method(next)
}

// block reports whether the brace at token i certainly opens statements.
func (e *eraser) block(i int) bool {
	return i > 0 && (e.tokens[i-1].gone || e.any(i-1, ")", "=>", ";", "else", "do", "try", "finally")) && !e.is(i-2, ".")
}

// method reports whether the parenthesis at token i may hold a method's parameters.
func (e *eraser) method(i int) bool {
	if !e.is(i, "(") || !e.is(e.tokens[i].match+1, "{") || e.condition(i) || e.any(i-1, "switch", "function") {
		return false
	}
	return !e.is(i-2, "function") && !e.is(i-3, "function")
}
