package engine

import (
	"fmt"
	"unicode"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// run is the one run of an Engine.
type run struct {
	engine *Engine
	link   Link
	source userSource
	form   form
	heapMb int64

	started  bool      // guest code may have run
	status   v8.Status // how starting it ended
	main     v8.Module
	isModule bool
}

// Run executes x and answers with the message that ends the run: a Result or a Failure. An error means that the supervisor is gone.
func (e *Engine) Run(x *rpc.Execute, link Link) (rpc.Message, error) {
	r := &run{engine: e, link: link, form: form(x.Mode), heapMb: x.Limits.MemoryMb}
	if r.form == "" {
		r.form = auto
	}
	e.host.link, e.host.limits = link, x.Limits
	if failure := r.prepare(x); failure != nil {
		return failure, nil
	}
	if failure := r.bindings(x.Wasm); failure != nil {
		return failure, nil
	}
	if failure := r.begin(); failure != nil {
		return failure, nil
	}
	if failure := r.startModule(); failure != nil {
		return failure, nil
	}
	return r.finish(x.Limits.MaxResultBytes)
}

// prepare applies what the run asks for and everything that needs no guest code.
func (r *run) prepare(x *rpc.Execute) *rpc.Failure {
	realm := r.engine.realm
	if x.Limits.MemoryMb > 0 && uint64(x.Limits.MemoryMb)<<20 != r.engine.options.HeapBytes {
		realm.SetHeapLimit(uint64(x.Limits.MemoryMb) << 20)
	}
	if x.TimeZone != "" && x.TimeZone != r.engine.options.TimeZone {
		realm.SetTimeZone(x.TimeZone)
	}
	realm.SetWriteLimit(x.Limits.MaxWriteBytes)
	r.engine.host.linker = newLinker(realm, x.Modules)
	source, bad := newUserSource(x.Name, x.Source)
	if bad != nil {
		return &rpc.Failure{Code: codeValidation, Phase: phaseCompile, Name: "SyntaxError", Message: bad.message, Line: int64(bad.line), Column: int64(bad.column)}
	}
	r.source = source
	r.source.name = realm.SetSource(x.Name)
	for _, name := range x.Tools {
		if identifier(name) {
			realm.SetTool(name)
		}
	}
	realm.Start()
	if realm.SetArguments(x.Args, x.Input) != v8.OK {
		return r.thrown()
	}
	return nil
}

// startModule links and evaluates, if the source is a module.
func (r *run) startModule() *rpc.Failure {
	if !r.isModule {
		return nil
	}
	realm := r.engine.realm
	if no := r.engine.host.linker.link(r.main, r.source.name); no != nil {
		return r.refusedImport(no)
	}
	if s := realm.Instantiate(r.main); s == v8.Syntax {
		return r.failure(realm.Error(), codeValidation, phaseCompile)
	} else if s != v8.OK {
		return r.stopped(phaseCompile)
	}
	r.status = realm.RunModule(r.main)
	return nil
}

func (r *run) refusedImport(no *refused) *rpc.Failure {
	if no.compile != nil {
		f := r.failure(*no.compile, codeValidation, phaseCompile)
		f.Message = fmt.Sprintf("%s (in %s:%d:%d)", f.Message, no.file, no.line, no.column)
		f.Line, f.Column = 0, 0
		return f
	}
	e := v8.Error{IsError: true, Name: "ImportError", Message: no.message, Hint: no.hint}
	if no.file == r.source.name {
		e.Line, e.Column = no.line, no.column
	} else {
		e.Message += fmt.Sprintf(" (in %s:%d:%d)", no.file, no.line, no.column)
	}
	return r.failure(e, codeValidation, phaseCompile)
}

// bindings runs the scripts of the WebAssembly grants, each to its end, before any code of the user.
func (r *run) bindings(grants []rpc.Wasm) *rpc.Failure {
	for _, w := range grants {
		r.status = r.engine.realm.RunBinding(w.Name, string(w.Binding), w.Binary)
		if r.status == v8.Syntax {
			return r.failure(r.engine.realm.Error(), codeValidation, phaseCompile)
		}
		failure, err := r.loop()
		if err != nil || failure != nil {
			return failure
		}
	}
	return nil
}

// finish drives the run to its end and encodes the value.
func (r *run) finish(limit int64) (rpc.Message, error) {
	failure, err := r.loop()
	if failure == nil && err == nil && r.isModule {
		r.status = r.engine.realm.CallDefault(r.main)
		failure, err = r.loop()
	}
	if err != nil {
		return nil, err
	}
	if failure != nil {
		return failure, nil
	}
	realm := r.engine.realm
	value, problem, status := realm.EncodeMain(limit)
	switch status {
	case v8.OK:
		return &rpc.Result{HeapBytes: realm.HeapUsed(), Value: value}, nil
	case v8.Syntax:
		return r.unrepresentable(problem), nil
	case v8.Threw:
		return r.failure(realm.Error(), codeRuntime, phaseSerialize), nil
	}
	return r.stopped(phaseSerialize), nil
}

// identifier reports whether name can be a global's name.
func identifier(name string) bool {
	for i, c := range name {
		if c != '_' && c != '$' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return name != ""
}
