package v8

// #include "realm.h"
import "C"

import "strings"

// Module numbers a module of its realm.
type Module int

// Request is one import of a module.
type Request struct {
	Specifier string
	// Type is the import attribute `type`, or empty.
	Type string
	// Line and Column are where it stands, 1-based, in the source the user wrote.
	Line, Column int
}

func module(n C.int) (Module, Status) {
	if n < 0 {
		return -1, Status(-n)
	}
	return Module(n), OK
}

// CompileModule compiles a module.
func (r *Realm) CompileModule(name, source string) (Module, Status) {
	p, n := str(name)
	s, sn := str(source)
	return module(C.rv8_module_compile(r.ptr, p, n, s, sn))
}

// CommonJSModule compiles a CommonJS file. It runs when it is first required, or before a module that imports it is bound: what
// its exports are then called is what the module exports, beside the default that bundlers would give it.
func (r *Realm) CommonJSModule(name, source string) (Module, Status) {
	p, n := str(name)
	s, sn := str(source)
	return module(C.rv8_module_commonjs(r.ptr, p, n, s, sn))
}

// JSONModule makes a module whose default export is the parsed text.
func (r *Realm) JSONModule(name, source string) (Module, Status) {
	p, n := str(name)
	s, sn := str(source)
	return module(C.rv8_module_json(r.ptr, p, n, s, sn))
}

// PartModule makes a module that exports names of a part of the prelude. The part is evaluated with the module.
func (r *Realm) PartModule(part string, exports []string) Module {
	p, n := str(part)
	e, en := str(strings.Join(exports, "\n"))
	return Module(C.rv8_module_part(r.ptr, p, n, e, en))
}

// Requests lists what the module imports.
func (r *Realm) Requests(m Module) []Request {
	list := make([]Request, int(C.rv8_module_requests(r.ptr, C.int(m))))
	for i := range list {
		var q C.rv8_request
		C.rv8_module_request(r.ptr, C.int(m), C.int(i), &q)
		list[i] = Request{text(q.specifier), text(q._type), int(q.line), int(q.column)}
	}
	return list
}

// Link makes specifier in m mean target.
func (r *Realm) Link(m Module, specifier string, target Module) {
	p, n := str(specifier)
	C.rv8_module_link(r.ptr, C.int(m), p, n, C.int(target))
}

// Instantiate binds imports to exports. CommonJS files among what is imported run first: Threw is theirs.
func (r *Realm) Instantiate(m Module) Status {
	return Status(C.rv8_module_instantiate(r.ptr, C.int(m)))
}

// RunModule evaluates m; the end of that becomes the main value.
func (r *Realm) RunModule(m Module) Status { return Status(C.rv8_module_run(r.ptr, C.int(m))) }

// CallDefault calls the default export with the arguments, or takes it as the main value.
func (r *Realm) CallDefault(m Module) Status {
	return Status(C.rv8_module_call_default(r.ptr, C.int(m)))
}
