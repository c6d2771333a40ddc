// Package probe holds hostile native code that runs inside a realm's
// confinement in place of the engine: what a guest could try that has broken V8
// and executes machine code. Each probe tries one thing with harmless arguments
// and says so when it works. It is built only with the tag probe, for tests; no
// other package imports it.
//
// Probes run against all layers of a realm, most of them a second time against
// all but the system call filter, so that none hides behind it, and a third time
// as a granted command in its jail. A control run without confinement shows that
// the probes would work where nothing holds them.
//
// # Trust
//
// A probe trusts its arguments, which come from the test that launches it.
//
// # Concurrency
//
// One probe per process, on one locked thread.
package probe
