// Values between V8 and the wire form of pkg/value (wire.go there describes it). Neither direction calls anything that a
// guest can patch: it works on internal slots and on functions taken before the guest's first instruction. What it does run
// are the guest's own getters and toJSON, since they are how the guest says what its value is.
#ifndef RV8_CODEC_H
#define RV8_CODEC_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "v8.h"

namespace rv8 {

struct EncodeOptions {
  size_t max_bytes = SIZE_MAX;
  size_t max_depth = 10000;  // what pkg/value decodes; within pkg/rpc's MaxDepth
  std::string_view root = "result";
};

struct EncodeError {
  enum Kind {
    kNone,
    kUnsupported,  // path and message say what cannot cross
    kTooDeep,
    kTooLarge,
    kThrown,      // an exception is pending in the caller's TryCatch
    kTerminated,  // execution is being terminated
  };
  Kind kind = kNone;
  std::string path;     // such as "result.items[3].callback"
  std::string message;  // completes "… cannot cross: "
};

v8::Local<v8::Value> Parent(v8::Local<v8::Object> object);  // its prototype; a Proxy is not asked

struct CodecState;

// One per context. Both directions need an entered isolate, a handle scope and a TryCatch of the caller.
class Codec {
 public:
  // Before any guest code: it takes the functions that the codec uses later.
  Codec(v8::Isolate* isolate, v8::Local<v8::Context> context);
  ~Codec();

  // Appends the wire form of value to out. On false the bytes appended are of no use.
  bool Encode(v8::Local<v8::Context> context, v8::Local<v8::Value> value, const EncodeOptions& options, std::string* out,
              EncodeError* error);

  // Whether it is in the middle of something that may call no JavaScript.
  bool RunsNoGuest() const;

  // Makes the value that data holds, which must be exactly one. On false, error says what is wrong with the bytes; it is
  // empty when an exception is pending instead (a regular expression that the engine refuses, termination). each
  // is called for every object that was made.
  bool Decode(v8::Local<v8::Context> context, const uint8_t* data, size_t size, v8::Local<v8::Value>* out, std::string* error,
              const std::function<void(v8::Local<v8::Value>)>& each = {});

 private:
  std::unique_ptr<CodecState> state_;
};

}  // namespace rv8

#endif
