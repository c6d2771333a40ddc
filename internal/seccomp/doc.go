// Package seccomp holds the system call filters of realms and of granted
// commands: the rules as data, their compiled programs, a reference evaluator
// and the installation.
//
// The tables (table_realm.go, table_command.go) are the source. The generator
// in gen compiles them with libseccomp into filters/*.bpf, which are committed
// and embedded, so that neither binary links libseccomp or compiles rules at
// start. Tests evaluate the committed programs against the tables.
//
// Rules compare with EQ and MASKED_EQ only: libseccomp before 2.6.1 miscompiles
// ordered comparisons and NE (GHSA-4q85-33p6-j5g6). A rule that refuses bits
// masks them, since a 64-bit compare against an argument of which the kernel
// reads 32 bits is passed by setting a high bit.
//
// # Trust
//
// Nothing here takes bytes from a guest. The guest is the subject of an
// installed program and can neither remove nor widen it; a second filter only
// narrows.
//
// # Concurrency
//
// Tables and programs are built anew for each caller. Install affects every
// thread of the process and may be called from any of them.
package seccomp
