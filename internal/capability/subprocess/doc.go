// Package subprocess runs granted commands, each in a jail of its own.
//
// Executables are resolved once, when a run begins: the file that was found then is held open, and a command starts
// only if its path still leads to that very file, with the content it had. The jail is package launch's: all
// namespaces, no network, system directories and the granted roots and nothing else, no capabilities, a filter of
// system calls. When the first process of a command ends, all that it started is dead.
//
// # Trust
//
// Grants come from the host, arguments and standard input from the guest, output from a command that may be under the
// guest's control. A command is hostile: it may keep its pipes open, close them, fork, fill its disk or never end.
//
// # What stays
//
// The dynamic loader must be executable where sandbox.execute narrows what is, and it can load any file that the jail
// can read: the narrowing stops accidents and statically linked programs, not a determined command. Commands of one
// run share their control group.
//
// # Concurrency
//
// Commands serve the concurrent calls of one run, at most [Parallel] at a time; the others wait.
package subprocess
