package engine

import (
	"path"
	"strings"

	"realm.internal/supervisor/internal/engine/erase"
	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// shape is one way to read a text: as it stands, or with something put around it so that it is one expression.
type shape struct {
	open, close string
	// wrapped: it is the expression of an async function.
	wrapped bool
}

var (
	plain  = shape{}
	object = shape{open: "(", close: "\n)"}
	body   = shape{open: "(async function(){", close: "\n})", wrapped: true}
)

// shapes lists how the source may be read, the likeliest first: what begins with a brace is an object, as consoles have it, if it
// can be one.
func (r *run) shapes() []shape {
	text := uncommented(r.source.text)
	if (r.form == auto || r.form == script) && strings.HasPrefix(text, "{") && !strings.HasSuffix(text, ";") {
		return []shape{object, plain}
	}
	return []shape{plain}
}

// uncommented is text without white space around it and without the comments that it begins with.
func uncommented(text string) string {
	for {
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "//"):
			text = strings.TrimLeftFunc(text, func(c rune) bool { return !strings.ContainsRune("\n\r\u2028\u2029", c) })
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text[len("/*"):], "*/")
		default:
			return text
		}
	}
}

// leaves reports whether text, taken as an object, closes the parenthesis around it and opens another. Then it is nothing in brackets
// of another kind, of which fine tells.
func leaves(s shape, text string, fine func(string) bool) bool {
	_, rest, _ := strings.Cut(text, "}")
	_, rest, _ = strings.Cut(rest, ")")
	return s == object && strings.Contains(rest, "(") && !fine("["+text+"\n]")
}

// compiles reports whether V8 takes an expression.
func (r *run) compiles(js string) bool {
	_, status := r.engine.realm.CommonJSModule("", "async()=>"+js)
	r.engine.realm.Forget()
	return status == v8.OK
}

// strips reports whether the type stripper takes a text.
func (r *run) strips(ts string) bool {
	_, bad := strip(r.source.name, ts)
	return bad == nil
}

// begin compiles the source in the form that it has and starts it. It answers nil when the guest's code runs.
//
// Plain JavaScript is compiled at once, and the engine's refusal tells what else the source may be. What V8 refuses, or would
// misread, is tried once more with its plain types blanked; only what is TypeScript in more than that goes through the type
// stripper.
func (r *run) begin() *rpc.Failure {
	shapes := r.shapes()
	var refused *v8.Error
	named := javascript(path.Ext(r.source.name))
	if named || !r.source.generic() {
		if refused = r.compileAs(shapes, r.source.text); refused == nil {
			r.isJS = named
			return nil
		}
		if tooDeep(refused) {
			return r.failure(*refused, codeValidation, phaseCompile)
		}
	}
	if erased, ok := erase.Types(r.source.text); ok {
		bad := r.compileAs(shapes, erased)
		if bad == nil {
			return nil
		}
		if tooDeep(bad) {
			return r.failure(*bad, codeValidation, phaseCompile)
		}
	}
	var failure *rpc.Failure
	for _, s := range shapes {
		if leaves(s, r.source.text, r.strips) {
			continue
		}
		if failure = r.beginStripped(s, refused); failure == nil {
			break
		}
	}
	return failure
}

// compileAs starts text, the source or what is left of it without types, in the first of the shapes that V8 takes. The answer is what
// it said about the last.
func (r *run) compileAs(shapes []shape, text string) (refused *v8.Error) {
	for _, s := range shapes {
		if leaves(s, text, r.compiles) {
			continue
		}
		r.engine.realm.SetPrefix(len(s.open))
		if refused = r.compile(s.open+text+s.close, s.wrapped); refused == nil || tooDeep(refused) {
			break
		}
	}
	return refused
}

// tooDeep reports whether a text nests deeper than V8's stack reaches. Such a text is not given to another compiler, whose stack would
// be the realm's memory. What V8 refuses for another reason before it comes to the depth goes there all the same, and ends the run.
func tooDeep(refused *v8.Error) bool { return refused.Name == "RangeError" }

// beginStripped takes the source as TypeScript. refused is what V8 said about it as JavaScript.
func (r *run) beginStripped(s shape, refused *v8.Error) *rpc.Failure {
	if s == plain && r.form == auto && erase.Module(r.source.text) {
		r.form = module // its imports and exports may be of types, and go
	}
	out, bad := strip(r.source.name, s.open+r.source.text+s.close)
	if bad != nil && bad.awaitAndReturn && r.mayBe(function) {
		s = body
		out, bad = strip(r.source.name, s.open+r.source.text+s.close)
	}
	r.engine.realm.SetPrefix(len(s.open))
	if bad != nil {
		if bad.line == 1 {
			bad.column -= len(s.open)
		}
		return r.syntax(refused, bad)
	}
	r.engine.realm.SetMap(r.source.name, out.mappings)
	again := r.compile(out.js, s.wrapped)
	if again == nil {
		return nil
	}
	if refused != nil && refused.Message == again.Message {
		again = refused // placed without a source map's detour
	}
	return r.failure(*again, codeValidation, phaseCompile)
}

// syntax chooses between two refusals of one text: the one that got further understood more of it.
func (r *run) syntax(refused *v8.Error, bad *syntaxError) *rpc.Failure {
	bad.line, bad.column = r.source.clamp(bad.line, bad.column)
	bad.message += r.source.strange(bad.message, bad.line, bad.column)
	if refused != nil {
		line, column := r.source.clamp(refused.Line, refused.Column)
		if line == bad.line && column == bad.column && strings.HasSuffix(bad.message, "end of file") {
			bad.message = "Unexpected end of input" // the engine saw the end of what is put around a function's body
		} else if line > bad.line || line == bad.line && column >= bad.column {
			return r.failure(*refused, codeValidation, phaseCompile)
		}
	}
	return r.failure(v8.Error{IsError: true, Name: "SyntaxError", Message: bad.message, Line: bad.line, Column: bad.column},
		codeValidation, phaseCompile)
}

// The forms of a source.
type form string

const (
	auto     form = "auto"
	module   form = "module"
	function form = "function"
	script   form = "script"
)

func (r *run) mayBe(f form) bool { return r.form == auto || r.form == f }

// compile starts JavaScript. With wrapped it is a function expression.
func (r *run) compile(js string, wrapped bool) *v8.Error {
	realm := r.engine.realm
	switch {
	case wrapped || r.form == function:
		return r.refusal(realm.RunFunction(js, wrapped))
	case r.form == module:
		return r.compileModule(js)
	}
	refused := r.refusal(realm.RunScript(js))
	if refused == nil || r.form == script {
		return refused
	}
	switch {
	case strings.HasPrefix(refused.Message, "Illegal return"):
		return r.refusal(realm.RunFunction(js, false))
	case strings.HasPrefix(refused.Message, "Cannot use import statement"),
		strings.HasPrefix(refused.Message, "Cannot use 'import.meta'"),
		refused.Message == "Unexpected token 'export'":
		return r.compileModule(js)
	}
	return refused
}

// refusal answers what the engine refused to compile. Anything that was thrown later belongs to the running guest.
func (r *run) refusal(s v8.Status) *v8.Error {
	if s == v8.Syntax {
		e := r.engine.realm.Error()
		e.Message += r.source.strange(e.Message, e.Line, e.Column)
		r.engine.realm.Forget()
		return &e
	}
	r.status = s
	return nil
}

func (r *run) compileModule(js string) *v8.Error {
	realm := r.engine.realm
	m, status := realm.CompileModule(r.source.name, js)
	if refused := r.refusal(status); refused != nil {
		return refused
	}
	if status != v8.OK {
		return nil
	}
	r.main = m
	r.isModule = true
	return nil
}
