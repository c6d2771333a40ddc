// Values across the boundary, as the rest of the native part uses the codec.
#ifndef RV8_VALUES_H
#define RV8_VALUES_H

#include "codec.h"
#include "state.h"

namespace rv8 {

// Encodes value. On false, error tells why; paths in it begin with root.
bool Encode(Realm* realm, Local<Value> value, std::string_view root, size_t limit, std::string* out, EncodeError* error);

// Decodes one value; when it is empty an exception is pending.
MaybeLocal<Value> Decode(Realm* realm, const uint8_t* data, size_t size);

// What a console prints for the value.
std::string Inspect(Realm* realm, Local<Value> value);

// Decodes one value and makes it and everything that it holds immutable, as far as the engine can: elements of buffers stay
// writable.
MaybeLocal<Value> DecodeFrozen(Realm* realm, const uint8_t* data, size_t size);

}  // namespace rv8

#endif
