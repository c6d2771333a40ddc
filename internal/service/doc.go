// Package service lets people and programs of a host, or over TCP with a token, run sources under what the operator's
// policy says about them.
//
// Every request belongs to an identity: the user at the other end of the unix socket, as the kernel tells, or the name
// of a token. The policy says which profiles an identity may choose and whether it may bring grants of its own. Ids of
// runs are a name space of each identity.
//
// # Trust
//
// Policy, tokens and certificates are the operator's. Callers are not trusted: they are slow, broken and hostile, and
// the service's privileges are not theirs, so that nothing is read on the host because a caller named it. What guests
// wrote passes through as data.
//
// # Concurrency
//
// A Service serves many connections. Reload and Shutdown may be called at any time.
package service
