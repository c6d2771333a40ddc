//go:build ignore

// UTF-8 for TextEncoder and TextDecoder.
#include "state.h"

namespace rv8 {
namespace {

bool IsUtf8(const uint8_t* s, size_t n) {
  for (size_t i = 0; i < n;) {
    uint8_t c = s[i];
    if (c < 0x80) {
      i++;
      continue;
    }
    size_t extra = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
    if (c < 0xc2 || c > 0xf4 || n - i <= extra) return false;
    uint8_t low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (s[i + 1] < low || s[i + 1] > high) return false;
    for (size_t k = 2; k <= extra; k++) {
      if ((s[i + k] & 0xc0) != 0x80) return false;
    }
    i += extra + 1;
  }
  return true;
}

void Utf8Encode(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  std::string bytes = Utf8(isolate, info[0]);
  Local<v8::ArrayBuffer> buffer = v8::ArrayBuffer::New(isolate, bytes.size());
  if (!bytes.empty()) memcpy(buffer->GetBackingStore()->Data(), bytes.data(), bytes.size());
  info.GetReturnValue().Set(v8::Uint8Array::New(buffer, 0, bytes.size()));
}

void Utf8Decode(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  if (!info[0]->IsArrayBufferView()) return;
  Local<v8::ArrayBufferView> view = info[0].As<v8::ArrayBufferView>();
  auto store = view->Buffer()->GetBackingStore();
  const uint8_t* data = static_cast<const uint8_t*>(store->Data()) + view->ByteOffset();
  size_t size = view->ByteLength();
  if (info[1]->IsTrue() && !IsUtf8(data, size)) return;
  if (size > static_cast<size_t>(String::kMaxLength)) {
    isolate->ThrowException(v8::Exception::RangeError(Text(isolate, "Invalid string length")));
    return;
  }
  Local<String> text;
  if (String::NewFromUtf8(isolate, reinterpret_cast<const char*>(data), v8::NewStringType::kNormal, static_cast<int>(size)).ToLocal(&text)) {
    info.GetReturnValue().Set(text);
  }
}

}  // namespace

void InstallEncoding(Realm* realm, Local<Object> native) {
  Method(realm, native, "utf8Encode", Utf8Encode);
  Method(realm, native, "utf8Decode", Utf8Decode);
}

}  // namespace rv8
