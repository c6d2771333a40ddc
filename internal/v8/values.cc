#include "values.h"

#include <cmath>
#include <cstring>

namespace rv8 {
namespace {

void Big(std::string* out, uint64_t v, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out->push_back(static_cast<char>(v >> shift));
}

// STOPGAP until codec.h lands: JSON-like values.
bool Put(Realm* realm, Local<Value> value, int depth, std::string* out, std::string* why) {
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  if (depth > 1000) return *why = "too deep", false;
  if (value->IsUndefined()) {
    out->append("\xc7\x00\x01", 3);
  } else if (value->IsNull()) {
    out->push_back('\xc0');
  } else if (value->IsBoolean()) {
    out->push_back(value->IsTrue() ? '\xc3' : '\xc2');
  } else if (value->IsNumber()) {
    double d = value.As<v8::Number>()->Value();
    if (d == std::trunc(d) && std::fabs(d) <= 9007199254740991.0 && !(d == 0 && std::signbit(d))) {
      out->push_back('\xd3');
      Big(out, static_cast<uint64_t>(static_cast<int64_t>(d)), 8);
    } else {
      uint64_t bits;
      memcpy(&bits, &d, 8);
      out->push_back('\xcb');
      Big(out, bits, 8);
    }
  } else if (value->IsString()) {
    std::string s = Utf8(isolate, value);
    out->push_back('\xdb');
    Big(out, s.size(), 4);
    out->append(s);
  } else if (value->IsArray()) {
    Local<v8::Array> a = value.As<v8::Array>();
    out->push_back('\xdd');
    Big(out, a->Length(), 4);
    for (uint32_t i = 0; i < a->Length(); i++) {
      Local<Value> v;
      if (!a->Get(context, i).ToLocal(&v) || !Put(realm, v, depth + 1, out, why)) return false;
    }
  } else if (value->IsUint8Array()) {
    Local<v8::ArrayBufferView> view = value.As<v8::ArrayBufferView>();
    std::string s(view->ByteLength(), 0);
    view->CopyContents(s.data(), s.size());
    out->push_back('\xc6');
    Big(out, s.size(), 4);
    out->append(s);
  } else if (value->IsFunction() || value->IsSymbol()) {
    return *why = "cannot cross", false;
  } else if (value->IsObject()) {
    Local<v8::Array> keys;
    if (!value.As<Object>()->GetOwnPropertyNames(context).ToLocal(&keys)) return false;
    out->push_back('\xdf');
    Big(out, keys->Length(), 4);
    for (uint32_t i = 0; i < keys->Length(); i++) {
      Local<Value> k, v;
      if (!keys->Get(context, i).ToLocal(&k) || !k->ToString(context).ToLocal(&k) || !Put(realm, k, depth + 1, out, why)) return false;
      if (!value.As<Object>()->Get(context, k).ToLocal(&v) || !Put(realm, v, depth + 1, out, why)) return false;
    }
  } else {
    return *why = "cannot cross", false;
  }
  return true;
}

struct Reader {
  Realm* realm;
  const uint8_t *at, *end;

  uint64_t Take(int n) {
    uint64_t v = 0;
    for (int i = 0; i < n && at < end; i++) v = v << 8 | *at++;
    return v;
  }
  MaybeLocal<Value> Str(size_t n) {
    if (n > static_cast<size_t>(end - at)) return {};
    Local<String> s = Text(realm->isolate, {reinterpret_cast<const char*>(at), n});
    at += n;
    return s;
  }
  MaybeLocal<Value> Arr(size_t n) {
    Local<v8::Array> a = v8::Array::New(realm->isolate);
    for (size_t i = 0; i < n; i++) {
      Local<Value> v;
      if (!Get().ToLocal(&v)) return {};
      (void)a->CreateDataProperty(realm->context_local(), static_cast<uint32_t>(i), v);
    }
    return a;
  }
  MaybeLocal<Value> Map(size_t n) {
    Local<Object> o = Object::New(realm->isolate);
    for (size_t i = 0; i < n; i++) {
      Local<Value> k, v;
      if (!Get().ToLocal(&k) || !k->IsString() || !Get().ToLocal(&v)) return {};
      (void)o->CreateDataProperty(realm->context_local(), k.As<v8::Name>(), v);
    }
    return o;
  }
  MaybeLocal<Value> Bin(size_t n) {
    if (n > static_cast<size_t>(end - at)) return {};
    Local<v8::ArrayBuffer> b = v8::ArrayBuffer::New(realm->isolate, n);
    if (n) memcpy(b->GetBackingStore()->Data(), at, n);
    at += n;
    return v8::Uint8Array::New(b, 0, n);
  }
  MaybeLocal<Value> Get() {
    Isolate* i = realm->isolate;
    if (at >= end) return {};
    uint8_t c = *at++;
    if (c < 0x80) return v8::Integer::New(i, c);
    if (c >= 0xe0) return v8::Integer::New(i, static_cast<int8_t>(c));
    if (c <= 0x8f) return Map(c & 15);
    if (c <= 0x9f) return Arr(c & 15);
    if (c <= 0xbf) return Str(c & 31);
    switch (c) {
      case 0xc0: return v8::Null(i);
      case 0xc2: return v8::False(i);
      case 0xc3: return v8::True(i);
      case 0xc4: return Bin(Take(1));
      case 0xc5: return Bin(Take(2));
      case 0xc6: return Bin(Take(4));
      case 0xcb: { uint64_t b = Take(8); double d; memcpy(&d, &b, 8); return v8::Number::New(i, d); }
      case 0xcc: return v8::Number::New(i, static_cast<double>(Take(1)));
      case 0xcd: return v8::Number::New(i, static_cast<double>(Take(2)));
      case 0xce: return v8::Number::New(i, static_cast<double>(Take(4)));
      case 0xcf: return v8::Number::New(i, static_cast<double>(Take(8)));
      case 0xd0: return v8::Number::New(i, static_cast<int8_t>(Take(1)));
      case 0xd1: return v8::Number::New(i, static_cast<int16_t>(Take(2)));
      case 0xd2: return v8::Number::New(i, static_cast<int32_t>(Take(4)));
      case 0xd3: return v8::Number::New(i, static_cast<double>(static_cast<int64_t>(Take(8))));
      case 0xd9: return Str(Take(1));
      case 0xda: return Str(Take(2));
      case 0xdb: return Str(Take(4));
      case 0xdc: return Arr(Take(2));
      case 0xdd: return Arr(Take(4));
      case 0xde: return Map(Take(2));
      case 0xdf: return Map(Take(4));
      case 0xc7: { size_t n = Take(1); at += 1 + n; return v8::Undefined(i); }
    }
    return {};
  }
};

}  // namespace

bool Encode(Realm* realm, Local<Value> value, size_t limit, std::string* out, std::string* path, std::string* why) {
  if (!Put(realm, value, 0, out, why)) return false;
  if (out->size() > limit) return *why = "too large", false;
  return true;
}

MaybeLocal<Value> Decode(Realm* realm, const uint8_t* data, size_t size) { return Reader{realm, data, data + size}.Get(); }

std::string Inspect(Realm* realm, Local<Value> value) {
  Local<String> text;
  TryCatch ignored(realm->isolate);
  if (value->IsObject() && v8::JSON::Stringify(realm->context_local(), value).ToLocal(&text)) return Utf8(realm->isolate, text);
  if (value->ToDetailString(realm->context_local()).ToLocal(&text)) return Utf8(realm->isolate, text);
  return {};
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
