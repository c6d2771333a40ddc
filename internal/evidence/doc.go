// Command evidence runs the hostile suite as root and rootless, prints what was
// attempted and contained, and writes docs/SECURITY-EVIDENCE.md. `make attack`
// starts it. Every count is one that a test has logged while it ran:
//
//	attacks: MODE GROUP CLASS ATTEMPTED CONTAINED
//	evidence: TEXT
//
// It ends with status 1 when anything was not contained, a test failed, or a
// group ran nothing.
//
// # Trust
//
// It reads the output of this tree's own tests.
//
// # Concurrency
//
// One test binary after the other: some tests look at what others would leave.
package main
