//go:build !v8go_upstream

package v8

// #cgo CXXFLAGS: -I${SRCDIR}/include
import "C"

import _ "github.com/tommie/v8go" // the engine, its platform and its start

// Binding names the module that brings the engine.
const Binding = "github.com/tommie/v8go"
