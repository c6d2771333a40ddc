package v8

// #include <stdint.h>
// #include <stdlib.h>
// #include "realm.h"
import "C"

import (
	"runtime/cgo"
)

// What the C++ files call. Each takes the handle of the realm's Host.

func hostOf(h C.uintptr_t) Host { return cgo.Handle(h).Value().(Host) }

func goText(p *C.char, n C.size_t) string { return C.GoStringN(p, C.int(n)) }

// toC answers with malloc'ed text, which the caller frees; none is nil.
func toC(s string, ok bool, size *C.size_t) *C.char {
	if !ok {
		return nil
	}
	*size = C.size_t(len(s))
	return C.CString(s)
}

//export rv8Log
func rv8Log(h C.uintptr_t, level *C.char, ln C.size_t, message *C.char, mn C.size_t) {
	hostOf(h).Log(goText(level, ln), goText(message, mn))
}

//export rv8Status
func rv8Status(h C.uintptr_t, stage *C.char, sn C.size_t, message *C.char, mn C.size_t) {
	hostOf(h).Status(goText(stage, sn), goText(message, mn))
}

//export rv8Import
func rv8Import(h C.uintptr_t, from *C.char, fn C.size_t, specifier *C.char, sn C.size_t, kind *C.char, kn C.size_t, refusal **C.char, size *C.size_t) C.int {
	m, err := hostOf(h).Import(goText(from, fn), goText(specifier, sn), goText(kind, kn))
	if err != nil {
		*refusal = toC(err.Error(), true, size)
		return -1
	}
	return C.int(m)
}

//export rv8UrlParse
func rv8UrlParse(h C.uintptr_t, input *C.char, in C.size_t, hasBase C.int, base *C.char, bn C.size_t, size *C.size_t) *C.char {
	s, ok := hostOf(h).ParseURL(goText(input, in), goText(base, bn), hasBase != 0)
	return toC(s, ok, size)
}

//export rv8UrlSet
func rv8UrlSet(h C.uintptr_t, href *C.char, hn C.size_t, property *C.char, pn C.size_t, value *C.char, vn C.size_t, size *C.size_t) *C.char {
	return toC(hostOf(h).SetURL(goText(href, hn), goText(property, pn), goText(value, vn)), true, size)
}
