//go:build linux

// Package realm is the main program of the confined child: it starts V8, locks itself in, says that it is ready, runs the one
// source it is sent, and exits.
//
// The launcher has made the process what it is (namespaces, empty root, no capabilities, no_new_privs, these descriptors only):
//
//	0, 1  /dev/null
//	2     standard error, read by the supervisor
//	3     frames from the supervisor
//	4     frames to the supervisor
//	5     control: one byte, 'T' for the deadline, 'A' for an abort; its end means that the supervisor is gone
//
// # Trust
//
// Arguments and frames come from the supervisor and are trusted. From the first guest byte on, this process is not.
//
// # Concurrency
//
// The main goroutine is locked to the main thread, owns V8 and does all reading and writing. The control thread
// (internal/v8) only stops V8 and wakes the main thread.
package realm
