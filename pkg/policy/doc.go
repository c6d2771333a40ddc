// Package policy is what the operator of a host allows at most: which isolation layers must be there, ceilings that no
// grants may pass, named profiles, who may call, where audit records go and how many realms may live.
//
// What goes beyond a ceiling is refused and never cut down to it: a run that would do less than its author asked for
// is worse than one that says why it did not start.
//
// # Trust
//
// A policy is the operator's. [Open] refuses a file that anybody but its owner could have written. Grants that are
// checked against it may come from callers.
//
// # Concurrency
//
// A Policy is not changed after it is loaded.
package policy
