// Package grants holds what a run may do: explicit values (a root, an origin, an executable path, a name) that
// permit a capability, the limits of the run, and the decisions made from both.
//
// Everything here is pure: it looks at values, never at the host. A decision yields a ticket, whose fields only this
// package can fill in, or a *Denial. Executors accept nothing but tickets and refuse a zero one, so that an operation
// nobody decided about cannot be carried out. Where the host can disagree with a value (a symbolic link below a
// granted root, an address behind a granted name) the executor checks again at the moment of use.
//
// # Trust
//
// Grants come from the host that asks for a run, through Go values or a document read by [Load]. The arguments of
// the [Checker]'s methods come from the guest and are hostile.
//
// # Concurrency
//
// A [Checker] never changes once it is made, a [Budget] locks itself: both may be used by many goroutines.
// Tickets are values.
package grants
