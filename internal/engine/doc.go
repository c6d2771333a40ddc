// Package engine runs one source: it finds the form of the source, strips types, links modules, drives the event loop and
// turns the outcome into the one message that ends a run.
//
// # Trust
//
// Everything that comes out of the guest is data. The engine runs inside the realm, beside the guest; a guest that broke V8
// can make it say anything, so nothing here is relied on by the supervisor but the shape of the frames.
//
// # Concurrency
//
// An Engine belongs to one goroutine that is locked to its thread.
package engine
