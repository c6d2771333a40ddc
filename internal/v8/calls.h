// Capability calls that are waiting for an answer.
#ifndef RV8_CALLS_H
#define RV8_CALLS_H

#include "state.h"

namespace rv8 {

// A refusal is told by these texts: kind, code, message, capability, target, hint.
constexpr int kRefusalParts = 6;

// Settle a call. False: there is no such call, or its answer is malformed.
bool ResolveCall(Realm* realm, uint64_t id, const uint8_t* value, size_t size);
bool ResolveCall(Realm* realm, uint64_t id, Local<Value> value);
bool RejectCall(Realm* realm, uint64_t id, const std::string_view parts[kRefusalParts]);

}  // namespace rv8

#endif
