package erase

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind uint8

const (
	end kind = iota
	name
	number
	text     // a string, or a template without substitutions
	template // a piece of one with substitutions: "`…${", "}…${" or "}…`"
	regex
	mark // punctuation, one character each but for => and ?. and ?? and ... and || and && and == and !=
)

// token is a piece of the source.
type token struct {
	kind     kind
	from, to int
	line     bool // the first on its line
	match    int  // of a bracket, the index of its partner
	inside   int  // the index of the bracket or template piece around it, or -1
	gone     bool // erased
}

// scanner cuts a source into tokens. What it is not sure of makes it fail.
type scanner struct {
	source string
	loose  bool // characters that it does not know are marks: names and brackets are all that is asked for
	at     int
	line   bool
	tokens []token
	open   []int // indices of open brackets and template pieces
}

// scan cuts source into its tokens and, last, one of kind end.
func scan(source string, loose bool) (*scanner, bool) {
	s := &scanner{source: source, loose: loose, line: true, tokens: make([]token, 0, len(source)/4)}
	for {
		if !s.blank() {
			return nil, false
		}
		if s.at == len(source) {
			s.add(end, s.at)
			return s, len(s.open) == 0
		}
		if !s.token() {
			return nil, false
		}
	}
}

func (s *scanner) add(k kind, to int) {
	inside := -1
	if len(s.open) > 0 {
		inside = s.open[len(s.open)-1]
	}
	s.tokens = append(s.tokens, token{kind: k, from: s.at, to: to, line: s.line, match: -1, inside: inside})
	s.at, s.line = to, false
}

func (s *scanner) rest() string { return s.source[s.at:] }

// has reports whether the source goes on with prefix.
func (s *scanner) has(prefix string) bool {
	return len(s.source)-s.at >= len(prefix) && s.source[s.at:s.at+len(prefix)] == prefix
}

// blank skips white space and comments.
func (s *scanner) blank() bool {
	for s.at < len(s.source) {
		switch c := s.source[s.at]; {
		case c == '\n' || c == '\r':
			s.line = true
			s.at++
		case c == ' ' || c == '\t':
			s.at++
		case s.has("//"):
			for s.at < len(s.source) && s.source[s.at] != '\n' && s.source[s.at] != '\r' && !s.separator(s.at) {
				s.at++
			}
		case s.has("/*"):
			if !s.comment() {
				return false
			}
		default:
			return true
		}
	}
	return true
}

func (s *scanner) comment() bool {
	for i := s.at + 2; i+1 < len(s.source); i++ {
		switch c := s.source[i]; {
		case c == '*' && s.source[i+1] == '/':
			s.at = i + 2
			return true
		case c == '\n' || c == '\r' || s.separator(i):
			s.line = true
		}
	}
	return false
}

// separator reports whether one of Unicode's line ends is at i.
func (s *scanner) separator(i int) bool {
	return strings.HasPrefix(s.source[i:], "\u2028") || strings.HasPrefix(s.source[i:], "\u2029")
}

func (s *scanner) token() bool {
	c := s.source[s.at]
	switch {
	case c == '"' || c == '\'':
		return s.quoted(c)
	case c == '`':
		return s.piece(s.at + 1)
	case c >= '0' && c <= '9', c == '.' && s.at+1 < len(s.source) && isDigit(s.source[s.at+1]):
		return s.number()
	case isNameStart(s.rest()):
		return s.name()
	case c == '/':
		return s.slash()
	case c == '}' && len(s.open) > 0 && s.tokens[s.open[len(s.open)-1]].kind == template:
		s.open = s.open[:len(s.open)-1]
		return s.piece(s.at + 1)
	}
	return s.mark(c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || r == '$' || unicode.IsLetter(r)
}

func (s *scanner) name() bool {
	i := s.at
	for i < len(s.source) {
		r, n := utf8.DecodeRuneInString(s.source[i:])
		if r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		i += n
	}
	if !s.loose && i < len(s.source) && (s.source[i] >= utf8.RuneSelf || s.source[i] == '\\') {
		return false // a combining character or an escape
	}
	s.add(name, i)
	return true
}

// number takes digits, letters and dots: what a literal may hold, and, in an
// invalid one, more. Signs of exponents are marks then; nobody looks.
func (s *scanner) number() bool {
	i := s.at
	for i < len(s.source) && (isDigit(s.source[i]) || s.source[i] == '_' || s.source[i] == '.' || s.source[i]|0x20 >= 'a' && s.source[i]|0x20 <= 'z') {
		i++
	}
	s.add(number, i)
	return true
}

func (s *scanner) quoted(quote byte) bool {
	for i := s.at + 1; i < len(s.source); i++ {
		switch s.source[i] {
		case '\\':
			i++
		case '\n', '\r':
			return false
		case quote:
			s.add(text, i+1)
			return true
		}
	}
	return false
}

// piece takes a template from i to its next substitution or its end.
func (s *scanner) piece(i int) bool {
	first := s.source[s.at] == '`'
	for ; i < len(s.source); i++ {
		switch {
		case s.source[i] == '\\':
			i++
		case s.source[i] == '`' && first:
			s.add(text, i+1)
			return true
		case s.source[i] == '`':
			s.add(template, i+1)
			return true
		case s.source[i] == '$' && i+1 < len(s.source) && s.source[i+1] == '{':
			s.add(template, i+2)
			s.open = append(s.open, len(s.tokens)-1)
			return true
		}
	}
	return false
}

// slash is a division behind a value and a regular expression elsewhere. Where it
// could be either the source is declined.
func (s *scanner) slash() bool {
	if len(s.tokens) == 0 {
		return s.regex()
	}
	last := len(s.tokens) - 1
	word := s.source[s.tokens[last].from:s.tokens[last].to]
	divides := false
	switch s.tokens[last].kind {
	case number, text:
		divides = true
	case template:
		divides = word[len(word)-1] == '`'
	case name:
		if contextual[word] && !s.property(last) {
			return false
		}
		divides = !reserved[word] || s.property(last)
	case mark:
		switch word {
		case "}":
			return false // a block's or a value's
		case "]":
			divides = true
		case ")":
			divides = !s.condition(s.tokens[last].match)
		case "!":
			if s.ends(last - 1) {
				return false // x! / y, and what is not on one line
			}
		case "+", "-":
			if last > 0 && s.tokens[last-1].to == s.tokens[last].from && s.source[s.tokens[last-1].from:s.tokens[last-1].to] == word {
				return false // x++ or ++x
			}
		}
	}
	if divides {
		s.add(mark, s.at+1)
		return true
	}
	return s.regex()
}

// word is the text of token i, if there is one.
func (s *scanner) word(i int) string {
	if i < 0 {
		return ""
	}
	return s.source[s.tokens[i].from:s.tokens[i].to]
}

// property reports whether token i is the name of one.
func (s *scanner) property(i int) bool {
	return i > 0 && s.tokens[i-1].kind == mark && (s.word(i-1) == "." || s.word(i-1) == "?.")
}

// ends reports whether token i may end a value.
func (s *scanner) ends(i int) bool {
	if i < 0 {
		return false
	}
	switch s.tokens[i].kind {
	case name:
		return !reserved[s.word(i)] || s.property(i)
	case mark:
		return s.word(i) == ")" || s.word(i) == "]" || s.word(i) == "}" || s.word(i) == "!"
	}
	return true
}

// condition reports whether the parenthesis at open belongs to a statement.
func (s *scanner) condition(open int) bool {
	before := open - 1
	if s.word(before) == "await" {
		before--
	}
	switch s.word(before) {
	case "if", "while", "for", "with":
		return !s.property(before)
	}
	return false
}

func (s *scanner) regex() bool {
	class := false
	for i := s.at + 1; i < len(s.source); i++ {
		switch s.source[i] {
		case '\\':
			i++
		case '\n', '\r':
			return false
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if class {
				continue
			}
			for i++; i < len(s.source) && s.source[i] >= 'a' && s.source[i] <= 'z'; i++ {
			}
			s.add(regex, i)
			return true
		}
	}
	return false
}

// long are the marks of several characters that must not be taken apart.
var long = [...]string{"...", "=>", "?.", "??", "||", "&&", "==", "!="}

func (s *scanner) mark(c byte) bool {
	if s.has("<!--") || s.has("-->") {
		return false // a comment in scripts
	}
	switch c {
	case '(', '[', '{':
		s.add(mark, s.at+1)
		s.open = append(s.open, len(s.tokens)-1)
		return true
	case ')', ']', '}':
		return s.closeBracket(c)
	case ';', ',', '<', '>', '=', '+', '-', '*', '%', '&', '|', '^', '!', '~', '?', ':', '.':
		for _, m := range long {
			if s.has(m) {
				s.add(mark, s.at+len(m))
				return true
			}
		}
		s.add(mark, s.at+1)
		return true
	}
	if s.loose { // #private, @decorator, \escape and what is no source
		s.add(mark, s.at+1)
	}
	return s.loose
}

func (s *scanner) closeBracket(c byte) bool {
	if len(s.open) == 0 {
		return false
	}
	last := s.open[len(s.open)-1]
	opening := s.source[s.tokens[last].from]
	if s.tokens[last].kind != mark || opening != map[byte]byte{')': '(', ']': '[', '}': '{'}[c] {
		return false
	}
	s.open = s.open[:len(s.open)-1]
	s.tokens[last].match = len(s.tokens)
	s.add(mark, s.at+1)
	s.tokens[len(s.tokens)-1].match = last
	return true
}
