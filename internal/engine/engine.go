package engine

import (
	_ "embed" // the parts that are the engine's own

	"realm.internal/supervisor/internal/engine/prelude"
	"realm.internal/supervisor/internal/v8"
)

// Options configure an Engine. They are the process's.
type Options struct {
	// HeapBytes limits V8's heap until a run says otherwise.
	HeapBytes uint64
	// Jitless is the hardened tier.
	Jitless bool
	// TimeZone is the IANA zone that the process was started with.
	TimeZone string
}

// Engine is one V8 isolate, made ready for one run.
type Engine struct {
	options Options
	realm   *v8.Realm
	host    *host
}

//go:embed capabilities.js
var capabilitiesSource string

//go:embed errors.js
var errorsSource string

// New starts V8. The caller's goroutine must be locked to its thread.
func New(o Options) *Engine {
	e := &Engine{options: o, host: &host{}}
	e.realm = v8.Open(v8.Options{HeapBytes: o.HeapBytes, Jitless: o.Jitless}, e.host)
	e.host.realm = e.realm
	e.install()
	return e
}

// install defines the globals beside the language's own, none of which is evaluated yet.
func (e *Engine) install() {
	e.realm.DefinePart("errors", errorsSource)
	e.realm.DefinePart("capabilities", capabilitiesSource)
	e.realm.DefinePart("primordials", prelude.Primordials())
	for _, p := range prelude.Parts() {
		e.realm.DefinePart(p.Name, p.Source)
		for _, name := range p.Globals {
			e.realm.SetLazy(name, p.Name)
		}
	}
	e.realm.SetLazy("dataProxy", "capabilities")
	e.realm.SetLazy("reportStatus", "capabilities")
}

// Realm gives access to the control thread's functions.
func (e *Engine) Realm() *v8.Realm { return e.realm }

// Close disposes of V8. A process that is about to exit need not.
func (e *Engine) Close() { e.realm.Close() }
