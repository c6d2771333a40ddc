package v8

// #include <stdlib.h>
// #include "realm.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// Host is what the guest's native functions reach. Its methods run inside calls on the Realm, on the same thread.
type Host interface {
	// Log emits one console message.
	Log(level, message string)
	// Status emits one status event.
	Status(stage, message string)
	// Import answers a dynamic import with the number of a linked module, or refuses.
	Import(referrer, specifier, kind string) (Module, error)
	// ParseURL and SetURL are the WHATWG URL algorithms, as package prelude defines them.
	ParseURL(input, base string, hasBase bool) (string, bool)
	SetURL(href, property, value string) string
}

// Options configure a Realm.
type Options struct {
	// HeapBytes limits the heap. It can be changed later.
	HeapBytes uint64
	// Jitless keeps the engine from generating code. The process's first Realm decides.
	Jitless bool
}

// Realm is one isolate with one context.
type Realm struct {
	ptr    *C.rv8_realm
	handle cgo.Handle
}

// Open makes a realm. The caller must have locked its goroutine to the thread, and closes the realm.
func Open(o Options, host Host) *Realm {
	handle := cgo.NewHandle(host)
	return &Realm{
		ptr:    C.rv8_open(C.uintptr_t(handle), C.size_t(o.HeapBytes), C.bool(o.Jitless)),
		handle: handle,
	}
}

// Close disposes of the isolate.
func (r *Realm) Close() {
	C.rv8_close(r.ptr)
	r.handle.Delete()
}

// SetHeapLimit changes the heap's limit, up or down.
func (r *Realm) SetHeapLimit(bytes uint64) { C.rv8_set_heap_limit(r.ptr, C.size_t(bytes)) }

// SetWriteLimit bounds the data of one call that is sent at all.
func (r *Realm) SetWriteLimit(bytes int64) { C.rv8_set_write_limit(r.ptr, C.size_t(bytes)) }

// HeapUsed returns the bytes of live and not yet collected objects.
func (r *Realm) HeapUsed() int64 { return int64(C.rv8_heap_used(r.ptr)) }

// KnowsTimeZone reports whether the engine knows the zone that was set, or that the process was started with. It must be asked
// before any code of the guest runs.
func (r *Realm) KnowsTimeZone() bool { return bool(C.rv8_knows_time_zone(r.ptr)) }

// SetTimeZone sets the IANA zone of Date and Intl.
func (r *Realm) SetTimeZone(name string) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	C.rv8_set_time_zone(r.ptr, c)
}

// Start sets the zero of performance.now.
func (r *Realm) Start() { C.rv8_start(r.ptr) }

// Watch starts the control thread: it reads single bytes from fd ('T' deadline, anything else abort, end of file hang-up) and
// stops the engine.
func (r *Realm) Watch(fd int) bool { return C.rv8_watch(r.ptr, C.int(fd)) == 0 }

// Stop makes the engine stop at the next chance. It may be called from any thread.
func (r *Realm) Stop(s Stop) { C.rv8_stop(r.ptr, C.int(s)) }

// Stopped tells why the engine was stopped, if it was.
func (r *Realm) Stopped() Stop { return Stop(C.rv8_stopped(r.ptr)) }

// Stop is why the engine was stopped.
type Stop int

// Reasons to stop. The first one wins.
const (
	Running  Stop = C.RV8_RUNNING
	Deadline Stop = C.RV8_DEADLINE
	Abort    Stop = C.RV8_ABORT
	HeapFull Stop = C.RV8_HEAP
	HangUp   Stop = C.RV8_HANGUP
)

// Status is how a call into the engine ended.
type Status int

// Statuses. After Threw and Syntax, Error tells more; after Terminated, Stopped.
const (
	OK         Status = C.RV8_OK
	Threw      Status = C.RV8_THREW
	Syntax     Status = C.RV8_SYNTAX
	Terminated Status = C.RV8_TERMINATED
)

// Version returns the engine's version.
func Version() string { return C.GoString(C.rv8_version()) }

func str(s string) (*C.char, C.size_t) {
	return (*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.size_t(len(s))
}

func bytesOf(b []byte) (*C.uint8_t, C.size_t) {
	return (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(b))), C.size_t(len(b))
}

func text(b C.rv8_bytes) string { return C.GoStringN(b.data, C.int(b.size)) }

func copied(b C.rv8_bytes) []byte {
	if b.size == 0 {
		return nil
	}
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(b.data)), int(b.size))...)
}
