//go:build ignore

#include "state.h"

#include <algorithm>

namespace rv8 {

Local<String> Text(Isolate* isolate, std::string_view s) {
  bool ascii = std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  MaybeLocal<String> made =
      ascii ? String::NewFromOneByte(isolate, reinterpret_cast<const uint8_t*>(s.data()), v8::NewStringType::kNormal, static_cast<int>(s.size()))
            : String::NewFromUtf8(isolate, s.data(), v8::NewStringType::kNormal, static_cast<int>(s.size()));
  return made.FromMaybe(String::Empty(isolate));
}

bool NamesItself(std::string_view script) { return script.find("sourceURL") != std::string_view::npos; }

// The last comment of its kind counts.
Local<String> Code(Isolate* isolate, std::string_view s, std::string_view name) {
  if (!NamesItself(s)) return Text(isolate, s);
  std::string text(s);
  text.append("\n//# sourceURL=").append(name);
  return Text(isolate, text);
}

Local<String> Ascii(Isolate* isolate, std::string_view s) {
  return String::NewFromOneByte(isolate, reinterpret_cast<const uint8_t*>(s.data()), v8::NewStringType::kInternalized, static_cast<int>(s.size()))
      .ToLocalChecked();
}

std::string Utf8(Isolate* isolate, Local<Value> value) {
  if (value.IsEmpty() || !value->IsString()) return {};
  Local<String> text = value.As<String>();
  std::string out;
#if V8_MAJOR_VERSION >= 13
  out.resize(text->Utf8LengthV2(isolate));
  out.resize(text->WriteUtf8V2(isolate, out.data(), out.size(), String::WriteFlags::kReplaceInvalidUtf8));
#else
  out.resize(text->Utf8Length(isolate));
  out.resize(text->WriteUtf8(isolate, out.data(), static_cast<int>(out.size()), nullptr, String::NO_NULL_TERMINATION | String::REPLACE_INVALID_UTF8));
#endif
  return out;
}

bool IsWellFormed(Isolate* isolate, Local<String> text) {
  if (text->IsOneByte()) return true;
  String::Value units(isolate, text);
  auto n = units.length();
  for (decltype(n) i = 0; i < n; i++) {
    uint16_t u = (*units)[i];
    if ((u & 0xf800) != 0xd800) continue;
    if (u >= 0xdc00 || i + 1 == n || ((*units)[i + 1] & 0xfc00) != 0xdc00) return false;
    i++;
  }
  return true;
}

MaybeLocal<Value> GetOwn(Realm* realm, Local<Object> object, std::string_view name) {
  return object->Get(realm->context_local(), Ascii(realm->isolate, name));
}

rv8_bytes Realm::Keep(std::string s) {
  if (kept.capacity() < 64) kept.reserve(64);  // moving a short string would move its bytes
  kept.push_back(std::move(s));
  return {kept.back().data(), kept.back().size()};
}

}  // namespace rv8
