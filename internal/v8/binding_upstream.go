//go:build v8go_upstream

package v8

// #cgo CXXFLAGS: -I${SRCDIR}/include_upstream
import "C"

import (
	"fmt"

	binding "rogchap.com/v8go"
)

// Binding names the module that brings the engine.
const Binding = "rogchap.com/v8go"

// ownFlags are set whatever the options say.
var ownFlags []string

func newIsolate(heapBytes uint64) *binding.Isolate {
	// This binding has no constraints; the flag works as long as no isolate exists.
	binding.SetFlags(fmt.Sprintf("--max-heap-size=%d", heapBytes>>20))
	return binding.NewIsolate()
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
