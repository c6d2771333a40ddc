// The fields of a message, written exactly as the supervisor's strict decoder wants them.
#ifndef RV8_FIELDS_H
#define RV8_FIELDS_H

#include "state.h"

namespace rv8 {

// Encodes the arguments from first on as an array of fields. signature has one letter an argument:
//   s string   i integer   b boolean   S array of strings   P array of pairs of strings
//   d data: a string or bytes or undefined, written as two fields, size and bytes (nil when over the limit)
//   v value: written as two fields, size and the encoded value (nil when over the limit)
// False: a TypeError is pending.
bool EncodeFields(Realm* realm, const std::string& signature, const v8::FunctionCallbackInfo<Value>& info, int first, std::string* out);

}  // namespace rv8

#endif
