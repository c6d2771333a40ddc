//go:build linux && amd64 && cgo

// Package launcher gives the realm binary its two lives before Go starts: the
// spawner, which clones, reaps and cleans up, and the launcher, which confines a
// cloned child step by step and then executes the realm or a granted command.
//
// It is C because everything here must happen on the only thread of a process:
// capabilities, no_new_privs and namespaces belong to threads, and the Go runtime
// has several before main. An ELF constructor looks at argv[0]; a process that is
// called "realm-spawner" never reaches Go.
//
// Import it for its side effect. internal/launch is the other side.
//
// # Trust
//
// Requests come from the supervisor over descriptor 3 and are trusted, yet bounds
// are checked. No byte that a realm or command wrote is read here.
//
// # Concurrency
//
// One thread. Several launches are in flight at once; none is waited for.
package launcher

// #cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
import "C"
