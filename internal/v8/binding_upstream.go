//go:build v8go_upstream

package v8

// #cgo CXXFLAGS: -I${SRCDIR}/include_upstream
import "C"

import _ "rogchap.com/v8go" // the engine, its platform and its start

// Binding names the module that brings the engine.
const Binding = "rogchap.com/v8go"
