package erase

import "strings"

// reserved words are never names of values, but for those that are values.
var reserved = set(`break case catch class const continue debugger default delete do else enum export extends finally for
	function if import in instanceof new return switch throw try typeof var void while with`)

// contextual words are names, or words of the language that a value follows.
var contextual = set("as async await get is let of satisfies set static type yield")

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
