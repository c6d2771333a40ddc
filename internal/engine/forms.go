package engine

import (
	"strings"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// begin compiles the source in the form that it has and starts it. It answers nil when the guest's code runs.
//
// Plain JavaScript is compiled at once, and the engine's refusal tells what else the source may be. Only what V8 refuses, or
// would misread, goes through the type stripper.
func (r *run) begin() *rpc.Failure {
	if !r.source.generic() {
		refused := r.compile(r.source.text, false)
		if refused == nil {
			return nil
		}
		if failure := r.beginStripped(refused); failure != nil {
			return failure
		}
		return nil
	}
	return r.beginStripped(nil)
}

// beginStripped takes the source as TypeScript. refused is what V8 said about it as JavaScript.
func (r *run) beginStripped(refused *v8.Error) *rpc.Failure {
	text, wrapped := r.source.text, false
	out, bad := strip(r.source.name, text)
	if bad != nil && bad.awaitAndReturn && r.mayBe(function) {
		wrapped = true
		out, bad = strip(r.source.name, functionOpen+text+functionClose)
		if bad != nil && bad.line == 1 {
			bad.column -= len(functionOpen)
		}
	}
	if bad != nil {
		return r.syntax(refused, bad)
	}
	prefix := 0
	if wrapped {
		prefix = len(functionOpen)
	}
	r.engine.realm.Forget()
	r.engine.realm.SetMap(r.source.name, out.mappings, prefix)
	again := r.compile(out.js, wrapped)
	if again == nil {
		return nil
	}
	if refused != nil && out.js == text {
		again = refused
	}
	return r.failure(*again, codeValidation, phaseCompile)
}

// syntax chooses between two refusals of one text: the one that got further understood more of it.
func (r *run) syntax(refused *v8.Error, bad *syntaxError) *rpc.Failure {
	bad.line, bad.column = r.source.clamp(bad.line, bad.column)
	if refused != nil {
		line, column := r.source.clamp(refused.Line, refused.Column)
		if line > bad.line || line == bad.line && column >= bad.column {
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

// functionOpen and functionClose make a body a function that the type stripper accepts.
const (
	functionOpen  = "(async function(){"
	functionClose = "\n})"
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
		realm.Forget()
		return r.refusal(realm.RunFunction(js, false))
	case strings.HasPrefix(refused.Message, "Cannot use import statement"),
		strings.HasPrefix(refused.Message, "Cannot use 'import.meta'"),
		refused.Message == "Unexpected token 'export'":
		realm.Forget()
		return r.compileModule(js)
	}
	return refused
}

// refusal answers what the engine refused to compile. Anything that was thrown later belongs to the running guest.
func (r *run) refusal(s v8.Status) *v8.Error {
	r.started = s != v8.Syntax
	if s == v8.Syntax {
		e := r.engine.realm.Error()
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
