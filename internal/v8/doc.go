// Package v8 is the one place where the JavaScript engine is touched.
//
// Isolates and contexts come from the binding (binding_*.go: the maintained fork by default, the original under the build
// tag v8go_upstream). What the binding lacks is done by the C++ files here, split by noun: eval and modules (source forms),
// calls, timers and loop (the event loop), parts and natives (the prelude), errors and sourcemap (positions of the user's
// own source), hooks and watch (limits, interrupts, fatal errors), values (the codec's use). realm.h is their C face.
//
// # Trust
//
// The guest is hostile and may take the engine over, and with it this process. Nothing here protects the supervisor. What it
// does is to keep a guest that did not break the engine from reaching more than the realm was given, and to tell the truth
// about how a run ended as long as the engine is intact.
//
// # Concurrency
//
// A Realm belongs to the goroutine, locked to its thread, that called Enter. Only the control thread (Watch) acts besides.
package v8
