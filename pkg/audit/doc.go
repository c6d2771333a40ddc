// Package audit keeps the tamper-evident log of what guests asked for and what
// the supervisor answered: records, the chain of hashes that ties each record
// to the one before it, and the sinks that records go to.
//
// A log is JSON lines. A line is the canonical encoding of one [Record]: the
// keys in a fixed order, absent ones left out, no white space, every
// unprintable character escaped, so that a line is always one line. The value
// of "hash" is the SHA-256, in hex, of the line's bytes without the newline and
// without the `,"hash":"…"` part (the closing brace stays). "prev" is the hash
// of the line before, [Genesis] in the first line; "seq" is the line's number,
// from 1. [Verify] checks all of that. Cutting whole lines off the end cannot be
// seen in the log itself: keep the head that [Sink.Sync] returns elsewhere.
//
// # Trust
//
// Targets and reasons hold strings that a hostile guest chose; they are
// shortened and escaped here. Values of environment variables, secrets, file
// contents, bodies and arguments must never be put into a record. A log given
// to [Verify] or found by [OpenFile] may have been written by anybody.
//
// # Concurrency
//
// Every sink may be used from several goroutines at once. Several processes may
// append to one file; each append holds the file's lock.
package audit
