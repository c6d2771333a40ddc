//go:build ignore

#include "codec.h"

#include "codec_state.h"

namespace rv8 {
namespace {

v8::Local<v8::String> CodecName(v8::Isolate* isolate, const char* text) {
  return v8::String::NewFromUtf8(isolate, text, v8::NewStringType::kInternalized).ToLocalChecked();
}

v8::Local<v8::Value> InitialMember(v8::Local<v8::Context> context, v8::Local<v8::Value> of, const char* name) {
  v8::Isolate* isolate = context->GetIsolate();
  v8::Local<v8::Value> member;
  if (!of->IsObject() || !of.As<v8::Object>()->Get(context, CodecName(isolate, name)).ToLocal(&member)) return v8::Undefined(isolate);
  return member;
}

// What all iterators inherit from. Not every engine has a name for it.
v8::Local<v8::Value> IteratorPrototype(v8::Local<v8::Context> context) {
  v8::Local<v8::Object> list = v8::Array::New(context->GetIsolate());
  v8::Local<v8::Value> values = InitialMember(context, list, "values"), iterator;
  if (!values->IsFunction() || !values.As<v8::Function>()->Call(context, list, 0, nullptr).ToLocal(&iterator)) return values;
  return Parent(Parent(iterator.As<v8::Object>()).As<v8::Object>());
}

}  // namespace

v8::Local<v8::Value> Parent(v8::Local<v8::Object> object) {
#if V8_MAJOR_VERSION >= 13
  return object->GetPrototypeV2();
#else
  return object->GetPrototype();
#endif
}

Codec::Codec(v8::Isolate* isolate, v8::Local<v8::Context> context) : state_(new CodecState) {
  v8::HandleScope handles(isolate);
  state_->isolate = isolate;
  v8::Local<v8::Value> keys = InitialMember(context, InitialMember(context, context->Global(), "Object"), "keys");
  if (keys->IsFunction()) state_->object_keys.Reset(isolate, keys.As<v8::Function>());
  state_->aggregate_error_prototype.Reset(isolate, InitialMember(context, InitialMember(context, context->Global(), "AggregateError"), "prototype"));
  state_->iterator_prototype.Reset(isolate, IteratorPrototype(context));
  state_->to_json.Reset(isolate, CodecName(isolate, "toJSON"));
  state_->name.Reset(isolate, CodecName(isolate, "name"));
  state_->message.Reset(isolate, CodecName(isolate, "message"));
  state_->stack.Reset(isolate, CodecName(isolate, "stack"));
  state_->cause.Reset(isolate, CodecName(isolate, "cause"));
  state_->errors.Reset(isolate, CodecName(isolate, "errors"));
}

Codec::~Codec() = default;

bool Codec::RunsNoGuest() const { return state_->no_guest; }

bool Codec::Encode(v8::Local<v8::Context> context, v8::Local<v8::Value> value, const EncodeOptions& options, std::string* out,
                   EncodeError* error) {
  v8::HandleScope handles(state_->isolate);
  v8::MicrotasksScope microtasks(context, v8::MicrotasksScope::kDoNotRunMicrotasks);
  size_t start = out->size();
  switch (EncodePlain(state_.get(), context, value, options, out)) {
    case Plain::kDone: return true;
    case Plain::kTerminated: error->kind = EncodeError::kTerminated; return false;
    case Plain::kNotPlain: out->resize(start);
  }
  return EncodeValue(state_.get(), context, value, options, out, error);
}

bool Codec::Decode(v8::Local<v8::Context> context, const uint8_t* data, size_t size, v8::Local<v8::Value>* out, std::string* error,
                   const std::function<void(v8::Local<v8::Value>)>& each) {
  v8::EscapableHandleScope handles(state_->isolate);
  v8::MicrotasksScope microtasks(context, v8::MicrotasksScope::kDoNotRunMicrotasks);
  v8::Context::Scope scope(context);
  v8::Local<v8::Value> made;
  std::vector<v8::Local<v8::Value>> objects;
  if (!DecodeValue(state_.get(), context, data, size, &made, error, each ? &objects : nullptr)) return false;
  for (v8::Local<v8::Value> object : objects) each(object);
  *out = handles.Escape(made);
  return true;
}

}  // namespace rv8
