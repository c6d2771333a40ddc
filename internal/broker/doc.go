// Package broker answers one realm. Its table is the whole attack surface of
// the supervisor: one row an op, with the states it may come in, the largest
// payload it may have, and what becomes of it. A capability call passes gate,
// decode, charge, check, audit, execute, in this order.
//
// # Trust
//
// Every frame comes from a realm that may be under an attacker's control. A
// message that is malformed, unexpected or too large ends the run; nothing is
// repaired. Only grants decides, and its tickets are all that executors take.
//
// # Concurrency
//
// Serve runs in one goroutine and starts one for each call that may block, at
// most maxInFlight at a time. A Broker serves one run.
package broker
