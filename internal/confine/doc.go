// Package confine takes one realm from nothing to ready and to its end: control
// group, pipes, launch, handshake, receipt, and, when it is over, figures and
// removal of all of it.
//
// # Trust
//
// A realm is hostile from its first byte on. What it says of itself (protocol,
// build) only decides whether it is talked to; what confines it is read back
// from the kernel before Start returns, and Start returns nothing less.
//
// # Concurrency
//
// A Host may be used by several goroutines. A Realm belongs to one run; Kill and
// Interrupt may be called from others.
package confine
