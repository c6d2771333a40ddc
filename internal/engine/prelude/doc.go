// Package prelude holds the guest's platform globals as JavaScript parts.
//
// A bare V8 context offers the language and nothing of the platform. Each part supplies some of the missing globals and
// is evaluated when one of them is first read, so that a run which uses none of them pays for none. The engine installs
// every name of [Parts] as a lazy data property of the global object: writable, configurable, not enumerable.
//
// # Form of a part
//
// A part is a strict script of ASCII characters whose completion value is a function:
//
//	'use strict';
//	(function (native, primordials) { …; return { Name: value, … }; });
//
// Written so, and not as an arrow function, V8 compiles the body at once and not twice.
//
// The engine compiles it under the script name "realm:prelude/NAME" (frames of such scripts are ours and never shown in
// a stack), calls it once, and keeps the answer. The names in [Part.Globals] become globals; what else it holds
// serves other parts through native.part.
// A part costs by its length: the common ones are short, and hand what few runs need to parts without globals.
//
// primordials is the answer of [Primordials], a part that is evaluated before the first other one. What a guest patched
// before that moment is patched for the prelude too: it is the guest's own realm, and no security rests on it. Only
// native is ours, and no part lets a guest-reachable object hold it.
//
// # Trust
//
// The parts run inside the guest's realm and believe nothing about their arguments. The natives in [Native] are called
// with values that a hostile guest chose, from a V8 that it may have broken: each checks what it is given.
//
// # Concurrency
//
// Everything here is stateless and safe for concurrent use; state lives in the JavaScript values of one realm.
package prelude
