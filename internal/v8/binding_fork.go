//go:build !v8go_upstream

package v8

// #cgo CXXFLAGS: -I${SRCDIR}/include
import "C"

import binding "github.com/tommie/v8go"

// Binding names the module that brings the engine.
const Binding = "github.com/tommie/v8go"

// ownFlags are set whatever the options say. Loop unrolling of this V8 loses stack checks: it marks that of a short inner loop, such
// as the filling of a new array, for removal, and when that has none removes the outer loop's instead. An endless loop then
// answers neither deadline nor abort.
var ownFlags = []string{"--no-turboshaft-loop-unrolling"}

func newIsolate(heapBytes uint64) *binding.Isolate {
	return binding.NewIsolate(binding.WithResourceConstraints(0, heapBytes))
}

func adoptWith(iso *binding.Isolate, adopt func()) *binding.Context {
	ctx := binding.NewContext(iso)
	fn := binding.NewFunctionTemplate(iso, func(*binding.FunctionCallbackInfo) *binding.Value {
		adopt()
		return nil
	})
	// Called once, here; the guest never sees it.
	_, _ = fn.GetFunction(ctx).Call(binding.Undefined(iso))
	return ctx
}

func engineFlags(flags []string) { binding.SetFlags(flags...) }
