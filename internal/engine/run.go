package engine

import (
	"errors"
	"fmt"
	"unicode"

	"realm.internal/supervisor/internal/v8"
	"realm.internal/supervisor/pkg/rpc"
)

// run is the one run of an Engine.
type run struct {
	engine *Engine
	source userSource
	form   form
	heapMb int64

	status   v8.Status // how starting it ended
	main     v8.Module
	isModule bool
	isJS     bool // it is called JavaScript, and the engine took it as it stands
	alone    bool // there are no granted modules, which could be what throws
}

// ErrGone means that the supervisor closed its end.
var ErrGone = errors.New("the supervisor is gone")

// Run executes x and sends the message that ends the run through w, which leads where the realm is connected to. The error, if
// there is one, wraps ErrGone.
func (e *Engine) Run(x *rpc.Execute, w *rpc.Writer) error {
	r := &run{engine: e, form: form(x.Mode), heapMb: x.Limits.MemoryMb, alone: len(x.Modules) == 0}
	if r.form == "" {
		r.form = auto
	}
	e.host.writer, e.host.limits = w, x.Limits
	failure, err := r.run(x)
	if failure == nil || err != nil {
		return err
	}
	if err := w.Send(0, failure); err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return nil
}

// run answers with the failure of the run, or has sent its result.
func (r *run) run(x *rpc.Execute) (*rpc.Failure, error) {
	if failure := r.prepare(x); failure != nil {
		return failure, nil
	}
	if failure, err := r.bindings(x.Wasm); failure != nil || err != nil {
		return failure, err
	}
	if failure := r.begin(); failure != nil {
		return failure, nil
	}
	if failure := r.startModule(); failure != nil {
		return failure, nil
	}
	realm := r.engine.realm
	if r.isModule { // what it has under way goes on in its default export
		if failure, err := r.loop(realm.LoopMain); failure != nil || err != nil {
			return failure, err
		}
		r.status = realm.CallDefault(r.main)
	}
	if failure, err := r.loop(realm.Loop); failure != nil || err != nil {
		return failure, err
	}
	return r.send(x.Limits.MaxResultBytes)
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
	if x.TimeZone != "" && x.TimeZone != "UTC" && !realm.KnowsTimeZone() {
		return &rpc.Failure{
			Code: codeValidation, Phase: phaseCompile, Name: "RangeError", Message: fmt.Sprintf("the engine knows no time zone %q", x.TimeZone),
			Hint: "engine: {timeZone} takes IANA names as they are spelled, such as Europe/Berlin",
		}
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
		if identifier(name) && name != "input" { // the program's own
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
	status := realm.Instantiate(r.main)
	if status == v8.Syntax {
		refused := realm.Error()
		if !r.isJS && r.elide() {
			if status = realm.Instantiate(r.main); status == v8.Syntax {
				refused = realm.Error() // of the names that are left
			}
		}
		if status == v8.Syntax {
			return r.failure(refused, codeValidation, phaseCompile)
		}
	}
	switch status {
	case v8.Threw:
		return r.thrown()
	case v8.Terminated:
		return r.stopped(phaseCompile)
	}
	r.status = realm.RunModule(r.main)
	return nil
}

// elide compiles and links the source once more, when a name that it imports is not exported, without the names that it uses for no
// value: they may be types. Whether a source is TypeScript is not known before.
func (r *run) elide() bool {
	realm := r.engine.realm
	realm.Forget()
	out, bad := strip(r.source.name, r.source.text)
	if bad != nil {
		return false
	}
	realm.SetMap(r.source.name, out.mappings)
	m, status := realm.CompileModule(r.source.name, out.js)
	if status != v8.OK || r.engine.host.linker.link(m, r.source.name) != nil {
		return false
	}
	r.main = m
	return true
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
func (r *run) bindings(grants []rpc.Wasm) (*rpc.Failure, error) {
	for _, w := range grants {
		r.status = r.engine.realm.RunBinding(w.Name, string(w.Binding), w.Binary)
		if r.status == v8.Syntax {
			e := r.engine.realm.Error()
			e.Message += userSource{text: string(w.Binding)}.strange(e.Message, e.Line, e.Column)
			e.Message = fmt.Sprintf("%s (in %s:%d:%d)", e.Message, w.Name, e.Line, e.Column)
			e.Line, e.Column = 0, 0 // the user's source is not to blame
			return r.failure(e, codeValidation, phaseCompile), nil
		}
		if failure, err := r.loop(r.engine.realm.Loop); failure != nil || err != nil {
			return failure, err
		}
	}
	return nil, nil
}

// loop drives the run, if it was started, until there is nothing to wait for.
func (r *run) loop(drive func() v8.End) (*rpc.Failure, error) {
	switch r.status {
	case v8.Threw:
		return r.thrown(), nil
	case v8.Terminated:
		return r.stopped(phaseRun), nil
	}
	switch drive() {
	case v8.Failed:
		return r.thrown(), nil
	case v8.Halted:
		return r.stopped(phaseRun), nil
	case v8.Deadlocked:
		return r.deadlock(), nil
	case v8.Gone:
		return nil, ErrGone
	}
	return nil, nil
}

// send encodes and sends the value.
func (r *run) send(limit int64) (*rpc.Failure, error) {
	problem, status, sent := r.engine.realm.SendMain(limit)
	switch {
	case !sent:
		return nil, ErrGone
	case status == v8.Syntax:
		return r.unrepresentable(problem), nil
	case status == v8.Threw:
		return r.threw(phaseSerialize), nil
	case status == v8.Terminated:
		return r.stopped(phaseSerialize), nil
	}
	return nil, nil
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
