//go:build ignore

#include "values.h"

#include "inspect.h"

namespace rv8 {

bool Encode(Realm* realm, Local<Value> value, std::string_view root, size_t limit, std::string* out, EncodeError* error) {
  EncodeOptions options;
  options.max_bytes = limit;
  options.root = root;
  return realm->codec->Encode(realm->context_local(), value, options, out, error);
}

namespace {

MaybeLocal<Value> Decode(Realm* realm, const uint8_t* data, size_t size, const std::function<void(Local<Value>)>& each) {
  Local<Value> value;
  std::string why;
  if (realm->codec->Decode(realm->context_local(), data, size, &value, &why, each)) return value;
  if (!why.empty()) realm->isolate->ThrowException(v8::Exception::Error(Text(realm->isolate, "malformed value: " + why)));
  return {};
}

void RefuseChange(const v8::FunctionCallbackInfo<Value>& info) {
  info.GetIsolate()->ThrowException(v8::Exception::TypeError(Ascii(info.GetIsolate(), "Cannot change what is part of the frozen input")));
}

// What changes contents that are no properties.
constexpr std::string_view kMapChanges[] = {"set", "delete", "clear"};
constexpr std::string_view kSetChanges[] = {"add", "delete", "clear"};
constexpr std::string_view kDateChanges[] = {
    "setTime", "setMilliseconds", "setUTCMilliseconds", "setSeconds", "setUTCSeconds", "setMinutes", "setUTCMinutes", "setHours",
    "setUTCHours", "setDate", "setUTCDate", "setMonth", "setUTCMonth", "setFullYear", "setUTCFullYear", "setYear",
};

// Puts refuse in front of the methods of the prototype.
template <size_t n>
void Shadow(Realm* realm, Local<Object> object, const std::string_view (&names)[n], Local<Function> refuse) {
  for (std::string_view name : names) {
    (void)object->DefineOwnProperty(realm->context_local(), Ascii(realm->isolate, name), refuse, v8::DontEnum);
  }
}

}  // namespace

MaybeLocal<Value> Decode(Realm* realm, const uint8_t* data, size_t size) { return Decode(realm, data, size, {}); }

MaybeLocal<Value> DecodeFrozen(Realm* realm, const uint8_t* data, size_t size) {
  Local<Context> context = realm->context_local();
  Local<Function> refuse;
  if (!Function::New(context, RefuseChange, Local<Value>(), 0, v8::ConstructorBehavior::kThrow).ToLocal(&refuse)) return {};
  return Decode(realm, data, size, [&](Local<Value> item) {
    if (!item->IsObject() || item->IsArrayBufferView()) return;
    Local<Object> object = item.As<Object>();
    if (item->IsMap()) Shadow(realm, object, kMapChanges, refuse);
    if (item->IsSet()) Shadow(realm, object, kSetChanges, refuse);
    if (item->IsDate()) Shadow(realm, object, kDateChanges, refuse);
    (void)object->SetIntegrityLevel(context, v8::IntegrityLevel::kFrozen);
  });
}

std::string Inspect(Realm* realm, Local<Value> value) {
  TryCatch ignored(realm->isolate);
  return Inspector(realm).Show(value, 0);
}

}  // namespace rv8
