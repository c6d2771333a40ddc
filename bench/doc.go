// Command bench measures the supervisor beside its peers on this machine and
// writes what it finds to docs/BENCHMARKS.md and docs/plots.
//
// Every row alternates: one of ours, one of theirs, in both orders, so that a
// machine that is busy with something else is as busy for both. A row's figures
// are kept in the work directory, so that single rows can be measured again.
//
// # Trust
//
// Everything here is ours: the guests, the peers' scripts and the helper
// processes. Nothing listens on a network.
package main
