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

MaybeLocal<Value> Decode(Realm* realm, const uint8_t* data, size_t size) {
  Local<Value> value;
  std::string why;
  if (realm->codec->Decode(realm->context_local(), data, size, &value, &why)) return value;
  if (!why.empty()) realm->isolate->ThrowException(v8::Exception::Error(Text(realm->isolate, "malformed value: " + why)));
  return {};
}

std::string Inspect(Realm* realm, Local<Value> value) {
  TryCatch ignored(realm->isolate);
  return Inspector(realm).Show(value, 0);
}

void Freeze(Realm* realm, Local<Value> value) {
  if (!value->IsObject()) return;
  Local<Context> context = realm->context_local();
  Local<Object> object = value.As<Object>();
  std::vector<Local<Object>> stack{object};
  std::set<int> seen;
  while (!stack.empty()) {
    Local<Object> next = stack.back();
    stack.pop_back();
    if (next->IsArrayBufferView()) continue;  // the engine cannot freeze elements of a buffer
    (void)next->SetIntegrityLevel(context, v8::IntegrityLevel::kFrozen);
    Local<v8::Array> keys;
    if (!next->GetOwnPropertyNames(context, v8::ALL_PROPERTIES, v8::KeyConversionMode::kConvertToString).ToLocal(&keys)) continue;
    for (uint32_t i = 0; i < keys->Length(); i++) {
      Local<Value> key, item;
      if (!keys->Get(context, i).ToLocal(&key) || !next->Get(context, key).ToLocal(&item) || !item->IsObject()) continue;
      // An object that is frozen already has been visited: decoded objects are never frozen by themselves.
      Local<Object> child = item.As<Object>();
      if (seen.insert(child->GetIdentityHash()).second) stack.push_back(child);
    }
  }
}

}  // namespace rv8
