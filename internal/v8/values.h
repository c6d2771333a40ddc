// Values across the boundary, as the rest of the native part uses the codec.
#ifndef RV8_VALUES_H
#define RV8_VALUES_H

#include "state.h"

namespace rv8 {

// Encodes value. False: it cannot cross (why and path are set), or an exception or a stop is pending in the caller's TryCatch.
bool Encode(Realm* realm, Local<Value> value, size_t limit, std::string* out, std::string* path, std::string* why);

// Decodes one value; empty when the bytes are not the wire form.
MaybeLocal<Value> Decode(Realm* realm, const uint8_t* data, size_t size);

// What a console prints for the value.
std::string Inspect(Realm* realm, Local<Value> value);

// Makes value and everything that it holds immutable.
void Freeze(Realm* realm, Local<Value> value);

}  // namespace rv8

#endif
