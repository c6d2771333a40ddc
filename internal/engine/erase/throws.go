package erase

// Throw is a throw statement, or a call of Promise.reject.
type Throw struct {
	// At is the offset of the first byte of throw or reject.
	At int
	// Operand is the first word, literal or mark of what it throws.
	Operand string
}

// Throws returns the throw statements and the calls of Promise.reject of a source, in TypeScript or JavaScript. False means that
// it is not sure of the source, or that there may be other ways to reject a promise in it.
func Throws(source string) ([]Throw, bool) {
	if len(source) > maxBytes {
		return nil, false
	}
	s, ok := scan(source, false)
	if !ok {
		return nil, false
	}
	e := &eraser{scanner: s}
	var list []Throw
	for i := range e.tokens {
		switch {
		case e.is(i, "reject") && e.is(i-1, ".") && e.is(i-2, "Promise") && e.is(i+1, "("):
			list = append(list, Throw{At: e.tokens[i].from, Operand: e.word(i + 2)})
		case e.is(i, "Promise") && !e.tame(i), e.is(i, "withResolvers"):
			return nil, false
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

// tame reports whether Promise at token i stands where it gives nobody a function that rejects: before one of its own, in a type or
// a test, or with an executor that takes one parameter, or does not use the second.
func (e *eraser) tame(i int) bool {
	if !e.is(i-1, "new") {
		return e.any(i+1, ".", "<") || e.is(i-1, "instanceof")
	}
	if i++; e.is(i, "<") {
		if i = e.arguments(i); i < 0 {
			return false
		}
	}
	call, executor := i, i+1
	switch {
	case !e.is(call, "("):
		return false
	case !e.is(executor, "("):
		return e.is(executor+1, "=>")
	}
	closing, second := e.tokens[executor].match, ""
	for i = executor + 1; i < closing; i = e.skip(i) {
		switch {
		case e.any(i, "...", "{", "["), e.is(i, ",") && second != "":
			return false
		case e.is(i, ","):
			second = e.word(i + 1)
		}
	}
	for i = closing + 1; second != "" && i < e.tokens[call].match; i++ {
		if e.is(i, second) {
			return false
		}
	}
	return e.is(closing+1, "=>")
}
