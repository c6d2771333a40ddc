package erase

// Throw is a throw statement.
type Throw struct {
	// At is the offset of its first byte.
	At int
	// Operand is the first word, literal or mark of what it throws.
	Operand string
}

// Throws returns the throw statements of a source, in TypeScript or JavaScript. False means that it is not sure of the source, or
// that there may be other ways to reject a promise in it.
func Throws(source string) ([]Throw, bool) {
	if len(source) > maxBytes {
		return nil, false
	}
	s, ok := scan(source)
	if !ok {
		return nil, false
	}
	e := &eraser{scanner: s}
	var list []Throw
	for i := range e.tokens {
		switch {
		case e.any(i, "reject", "abort", "throw", "eval", "Function") && e.any(i-1, ".", "?."), e.any(i, "reject", "eval", "Function"):
			return nil, false
		case e.is(i, "throw") && !e.any(i+1, ":", ",", "}", "="):
			operand := i + 1
			for e.is(operand, "(") {
				operand++
			}
			list = append(list, Throw{At: e.tokens[i].from, Operand: e.word(operand)})
		}
	}
	return list, true
}
