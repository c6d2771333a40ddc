// Frames to and from the supervisor on the run's fast path: package rpc defines them, and reads and writes all others.
#ifndef RV8_WIRE_H
#define RV8_WIRE_H

#include "state.h"

namespace rv8 {

// Writes one frame: body is the concatenation of parts, one msgpack array. False: the supervisor is gone.
bool Send(Realm* realm, uint8_t op, uint64_t id, std::initializer_list<std::string_view> parts);

enum class Received { kReply, kNothing, kGone };

// Waits for a reply until milliseconds have passed (negative: for ever) or the engine is stopped, and settles its call.
Received Receive(Realm* realm, double milliseconds);

}  // namespace rv8

#endif
