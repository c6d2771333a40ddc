package document

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/scanner"
	"github.com/goccy/go-yaml/token"
)

// maxBlockColumn bounds how far a block collection may be indented, and with it how deep the parser recurses.
const maxBlockColumn = 200

// maxMarkers bounds the "-", "?" and keys that open collections on one line: "- - - x".
const maxMarkers = maxDepth

// parseYAML reads the one YAML document of text.
func parseYAML(text []byte) (n *node, err error) {
	defer func() {
		if r := recover(); r != nil { // a parser of hostile text that panics has refused it
			n, err = nil, single(0, 0, fmt.Sprintf("malformed YAML: %v", r), "")
		}
	}()
	tokens, err := scan(string(text))
	if err != nil {
		return nil, err
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(err)
	}
	var body ast.Node
	for _, document := range file.Docs {
		if document.Body == nil {
			continue
		}
		if body != nil {
			at := positionOf(document.Body)
			return nil, single(at.line, at.column, "there is more than one document", "keep one")
		}
		body = document.Body
	}
	if body == nil {
		return &node{}, nil
	}
	return convert(body, 0)
}

// scan splits text into tokens and refuses, before the recursive parser sees them, what is nested too deeply and the
// parts of YAML that make a document mean more than it shows.
func scan(text string) (token.Tokens, error) {
	var s scanner.Scanner
	var tokens token.Tokens
	s.Init(text)
	guard := nesting{}
	for {
		batch, err := s.Scan()
		if errors.Is(err, io.EOF) {
			return tokens, nil
		}
		if err != nil {
			return nil, syntaxError(err)
		}
		for _, tk := range batch {
			if err := guard.check(tk); err != nil {
				return nil, err
			}
			if n := len(tokens); n > 1 {
				if whole := joined(tokens[n-2], tokens[n-1], tk); whole != nil {
					if strings.Contains(whole.Value, ": ") { // a key with a colon in it, which the scanner takes for text up to the end
						return nil, single(whole.Position.Line, whole.Position.Column, "malformed YAML: a key with a colon in it", "put the key in quotes")
					}
					tokens, tk = tokens[:n-2], whole
				}
			}
			tokens.Add(tk)
		}
		if len(tokens) > 3*maxValues {
			return nil, single(0, 0, fmt.Sprintf("the document has more than %d values", maxValues), "shorten it")
		}
	}
}

// joined is the text that key, colon and value make together, nil when they do not. Within nested brackets the scanner takes
// every colon for the end of a key; in YAML it is one where something separates it from what follows, so that
// [http://host:80] is a list of one text.
func joined(key, colon, value *token.Token) *token.Token {
	if colon.Type != token.MappingValueType || !isPlain(key) || !isPlain(value) ||
		key.Position.Offset+utf8.RuneCountInString(key.Value) != colon.Position.Offset || colon.Position.Offset+1 != value.Position.Offset {
		return nil
	}
	return token.String(key.Value+":"+value.Value, key.Origin+":"+value.Origin, key.Position)
}

// isPlain reports whether a token is a scalar without quotes.
func isPlain(tk *token.Token) bool {
	return tk.CharacterType == token.CharacterTypeMiscellaneous && tk.Type != token.CommentType
}

// nesting follows how deep the tokens seen so far can nest.
type nesting struct {
	flow    int // open brackets and braces
	line    int
	markers int // collections opened on line
	headers int // "---"
}

func (g *nesting) check(tk *token.Token) error {
	at := position{tk.Position.Line, tk.Position.Column}
	refuse := func(message, fix string) error { return single(at.line, at.column, message, fix) }
	if at.line != g.line {
		g.line, g.markers = at.line, 0
	}
	switch tk.Type {
	case token.InvalidType:
		return refuse("malformed YAML: "+tk.Error, "")
	case token.AnchorType, token.AliasType, token.MergeKeyType:
		return refuse("anchors, aliases and merge keys are not accepted", "write the value out")
	case token.TagType:
		return refuse("tags are not accepted", "remove it")
	case token.DirectiveType:
		return refuse("directives are not accepted", "remove it")
	case token.DocumentHeaderType:
		if g.headers++; g.headers > 1 {
			return refuse("there is more than one document", "keep one")
		}
	case token.SequenceStartType, token.MappingStartType:
		if g.flow++; g.flow > maxDepth {
			return tooDeep(at)
		}
	case token.SequenceEndType, token.MappingEndType:
		g.flow = max(0, g.flow-1)
	case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
		if g.markers++; g.flow == 0 && (g.markers > maxMarkers || at.column > maxBlockColumn) {
			return tooDeep(at)
		}
	}
	return nil
}

// convert turns the parser's tree into ours.
func convert(n ast.Node, depth int) (*node, error) {
	at := positionOf(n)
	if depth > maxDepth {
		return nil, tooDeep(at)
	}
	switch n := n.(type) {
	case *ast.NullNode:
		return &node{at: at}, nil
	case *ast.BoolNode:
		return &node{kind: kindBoolean, at: at, text: fmt.Sprint(n.Value)}, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return &node{kind: kindNumber, at: at, text: n.GetToken().Value}, nil
	case *ast.StringNode:
		if n.Token.Type == token.StringType && strings.Trim(n.Value, "0123456789") == "" && n.Value != "" {
			return &node{kind: kindNumber, at: at, text: n.Value}, nil // the parser gives up on integers of more than 64 bits
		}
		return &node{kind: kindText, at: at, text: n.Value}, nil
	case *ast.LiteralNode:
		return &node{kind: kindText, at: at, text: n.Value.Value}, nil
	case *ast.MappingNode:
		return convertMapping(n.Values, at, depth)
	case *ast.MappingValueNode:
		return convertMapping([]*ast.MappingValueNode{n}, at, depth)
	case *ast.SequenceNode:
		list := &node{kind: kindList, at: at}
		for _, value := range n.Values {
			item, err := convert(value, depth+1)
			if err != nil {
				return nil, err
			}
			list.items = append(list.items, item)
		}
		return list, nil
	}
	return nil, single(at.line, at.column, fmt.Sprintf("%s is not accepted here", n.Type()), "")
}

func convertMapping(values []*ast.MappingValueNode, at position, depth int) (*node, error) {
	mapping := &node{kind: kindMapping, at: at}
	for _, entry := range values {
		keyAt := positionOf(entry.Key)
		key, err := convertKey(entry.Key, keyAt)
		if err != nil {
			return nil, err
		}
		value := &node{at: keyAt}
		if entry.Value != nil {
			if value, err = convert(entry.Value, depth+1); err != nil {
				return nil, err
			}
		}
		mapping.pairs = append(mapping.pairs, pair{key, keyAt, value})
	}
	return mapping, nil
}

// convertKey accepts a scalar, as it is written; quotes are needed for none of the keys we know.
func convertKey(key ast.MapKeyNode, at position) (string, error) {
	var inner ast.Node = key
	if explicit, ok := key.(*ast.MappingKeyNode); ok {
		inner = explicit.Value
	}
	switch k := inner.(type) {
	case *ast.StringNode:
		return k.Value, nil
	case *ast.LiteralNode:
		return k.Value.Value, nil
	case *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.NullNode:
		return k.GetToken().Value, nil
	}
	return "", single(at.line, at.column, "a key must be text", "")
}

func positionOf(n ast.Node) position {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return positionOf(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return positionOf(n.Key)
	}
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return position{}
	}
	p := n.GetToken().Position
	return position{p.Line, p.Column}
}

// syntaxError keeps the parser's position and message, and leaves out its drawing of the source: that may hold secrets.
func syntaxError(err error) error {
	if invalid, ok := errors.AsType[*scanner.InvalidTokenError](err); ok {
		at := invalid.Token.Position
		return single(at.Line, at.Column, "malformed YAML: "+shorten(invalid.Error()), slip(invalid.Error()))
	}
	var located interface {
		GetMessage() string
		GetToken() *token.Token
	}
	if !errors.As(err, &located) {
		return single(0, 0, "malformed YAML", "")
	}
	at := position{}
	if tk := located.GetToken(); tk != nil && tk.Position != nil {
		at = position{tk.Position.Line, tk.Position.Column}
	}
	return single(at.line, at.column, "malformed YAML: "+shorten(located.GetMessage()), "")
}

// slip is what mends the commonest ones, by the scanner's words.
func slip(message string) string {
	switch {
	case strings.Contains(message, "reserved character"):
		return "put the text in quotes"
	case strings.Contains(message, "end character"):
		return "close the quote"
	case strings.Contains(message, "'\t'"):
		return "indent with spaces"
	}
	return ""
}
