// Package supervisor runs JavaScript and TypeScript that nobody has read. Each
// run is evaluated by a single-use, confined child process (a realm), which can
// do nothing by itself: every file, network, subprocess, environment and secret
// operation is asked for over a pipe, checked against explicit grants, carried
// out here, and recorded.
//
//	res, err := supervisor.Run(`export default (a, b) => a + b`, grants.Grants{}, supervisor.WithArgs(1, 2))
//
// What cannot be enforced, checked or recorded does not happen: the error is
// then ErrUnenforceable and says which layer is missing and how to provide it.
//
// # Trust
//
// Sources are hostile. Requests, grants, tools and configuration come from the
// caller and are trusted. Everything that a realm sends back is data: it passes
// pkg/rpc's scan and internal/broker's table, and nothing else reads it.
//
// # Concurrency
//
// A Supervisor and its Sessions may be used by many goroutines.
package supervisor
