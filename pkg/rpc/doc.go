// Package rpc is the wire between supervisor and realm: length-prefixed
// msgpack frames over a pair of pipes.
//
// A frame is a big-endian uint32 payload length followed by one msgpack array
// [op, id, body]. The id is zero for messages that expect no answer; a
// capability call carries an id of the realm's choice that its Reply repeats.
//
// # Trust
//
// The peer of the supervisor is a realm whose engine may have been taken over.
// A Reader therefore learns the op from the first payload bytes, asks its owner
// for the largest frame that this op may have at this moment, grows its buffer
// only as bytes arrive, and scans every payload for length, element counts and
// depth before the msgpack library sees it (the library does not bound slices,
// see its issue 401). Anything that does not fit is ErrMalformed; the owner
// kills the realm, nothing is repaired.
//
// # Concurrency
//
// A Reader has one owner. A Writer may be shared.
package rpc
