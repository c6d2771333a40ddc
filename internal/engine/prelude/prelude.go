// Package prelude holds the globals that a guest sees beside the language's own: console, timers, URL, encoders and
// the like, each as a JavaScript part that is compiled and run only when the guest first touches one of its names.
//
// # Shape of a part
//
// A part is one JavaScript function expression that takes the native object and returns the globals that it defines:
//
//	(native) => { class URL { … } return { URL, URLSearchParams }; }
//
// Every name in Part.Globals becomes a lazy data property of the global object (writable, configurable, not
// enumerable; enumerable when Part.Enumerable is set). The first read of any of them evaluates the part once, and
// all names of the part take the values that it returned. A part may need another part's global: it reads
// it as native.use('EventTarget') and gets the pristine value, whatever the guest has done to globalThis meanwhile.
// A part must not rely on globalThis, and runs in sloppy isolation: wrap it in 'use strict' of its own.
//
// # The native object
//
//	native.use(name)                     value of another part's global, pristine
//	native.log(level, args)              one console call; args is an Array, formatted natively
//	native.setTimer(fn, delayMs, repeat) → id; fn is called without arguments on the event loop
//	native.clearTimer(id)                unknown ids are ignored
//	native.now()                         milliseconds since the run began, with fraction
//	native.microtask(fn)                 queues fn; what it throws fails the run
//	native.report(error)                 fails the run as an uncaught error does
//	native.random(uint8array)            fills the view from the kernel's generator
//	native.encodeUtf8(string)            → Uint8Array; lone surrogates become U+FFFD
//	native.encodeUtf8Into(string, u8)    → [read, written] (UTF-16 units read, bytes written)
//	native.decodeUtf8(u8, fatal)         → string; undefined when fatal and the bytes are not UTF-8 (a BOM is kept)
//	native.decodeLatin1(u8)              → string, one unit a byte
//	native.decodeUtf16(u8)               → string of little-endian units; an odd last byte is dropped
//	native.encodeLatin1(string)          → Uint8Array; undefined when a unit is above 0xff
//	native.clone(value, transfer)        → structured clone; throws an Error named DataCloneError
//	native.inspect(value)                → the text that console would print for it
//	native.host(name, ...args)           → what the Go function Hosts[name] returns (strings, numbers, booleans, null, bytes, arrays, maps)
//
// # Trust
//
// Parts and Hosts run inside the realm, beside hostile code that can patch every prototype before a part is evaluated.
// They protect nothing: whatever they answer, only the supervisor decides. They should still be right when the guest is friendly.
//
// # Concurrency
//
// Everything runs on the realm's one JavaScript thread.
package prelude

// Part is one lazily evaluated piece of the guest's globals.
type Part struct {
	// Name appears in no guest-visible text; it names the script to V8 so that its frames are left out of stacks.
	Name string
	// Globals are the names that the part's result defines. Each name belongs to exactly one part.
	Globals []string
	// Enumerable makes the globals enumerable. Default false.
	Enumerable bool
	// Source is the function expression described in the package comment.
	Source string
}

// Host is a Go function that parts call synchronously as native.host(name, …). Its argument is the wire form (package
// value) of the array of arguments, and so is its answer. What it returns as an error is thrown as a TypeError with that message.
type Host func(args []byte) ([]byte, error)
