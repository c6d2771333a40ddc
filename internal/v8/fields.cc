//go:build ignore

#include "fields.h"

#include <cmath>

#include "values.h"

namespace rv8 {
namespace {

void Big(std::string* out, uint64_t value, int bytes) {
  for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) out->push_back(static_cast<char>(value >> shift));
}

void ArrayHeader(std::string* out, size_t n) {
  if (n < 16) {
    out->push_back(static_cast<char>(0x90 | n));
  } else if (n <= 0xffff) {
    out->push_back('\xdc');
    Big(out, n, 2);
  } else {
    out->push_back('\xdd');
    Big(out, n, 4);
  }
}

void Integer(std::string* out, int64_t n) {
  if (n >= 0 && n < 128) {
    out->push_back(static_cast<char>(n));
  } else {
    out->push_back('\xd3');
    Big(out, static_cast<uint64_t>(n), 8);
  }
}

void StringField(std::string* out, const std::string& s) {
  if (s.size() < 32) {
    out->push_back(static_cast<char>(0xa0 | s.size()));
  } else {
    out->push_back('\xdb');
    Big(out, s.size(), 4);
  }
  out->append(s);
}

void Bytes(std::string* out, const char* data, size_t size) {
  out->push_back('\xc6');
  Big(out, size, 4);
  out->append(data, size);
}

constexpr char kNil = '\xc0';

bool Refuse(Realm* realm, const std::string& why) {
  realm->isolate->ThrowException(v8::Exception::TypeError(Text(realm->isolate, why)));
  return false;
}

// What the supervisor takes of a call beside its data (256 KiB with what frames it): a longer one would be the realm's end.
constexpr size_t kFieldBytes = (256 << 10) - 64;

bool TooLong(Realm* realm) { return Refuse(realm, "the fields of a call hold more than " + std::to_string(kFieldBytes) + " bytes"); }

bool AddString(Realm* realm, Local<Value> value, std::string* out) {
  if (!value->IsString()) return Refuse(realm, "a string is expected");
  if (static_cast<size_t>(value.As<String>()->Length()) > kFieldBytes) return TooLong(realm);
  if (!IsWellFormed(realm->isolate, value.As<String>())) return Refuse(realm, "the string holds a lone surrogate");
  StringField(out, Utf8(realm->isolate, value));
  return true;
}

bool AddStrings(Realm* realm, Local<Value> value, std::string* out, bool pairs) {
  if (!value->IsArray()) return Refuse(realm, "an array is expected");
  Local<v8::Array> list = value.As<v8::Array>();
  uint32_t n = list->Length();
  ArrayHeader(out, n);
  for (uint32_t i = 0; i < n; i++) {
    if (out->size() > kFieldBytes) return TooLong(realm);
    Local<Value> item;
    if (!list->Get(realm->context_local(), i).ToLocal(&item)) return false;
    if (!pairs) {
      if (!AddString(realm, item, out)) return false;
      continue;
    }
    if (!item->IsArray() || item.As<v8::Array>()->Length() != 2) return Refuse(realm, "a pair is expected");
    if (!AddStrings(realm, item, out, false)) return false;
  }
  return true;
}

bool AddData(Realm* realm, Local<Value> value, std::string* out) {
  if (value->IsUndefined()) {
    Integer(out, 0);
    Bytes(out, "", 0);
    return true;
  }
  std::string data;
  if (value->IsString()) {
    data = Utf8(realm->isolate, value);
  } else if (value->IsArrayBufferView()) {
    Local<v8::ArrayBufferView> view = value.As<v8::ArrayBufferView>();
    size_t size = view->ByteLength();
    if (size > realm->write_limit) {
      Integer(out, static_cast<int64_t>(size));
      out->push_back(kNil);
      return true;
    }
    data.resize(size);
    view->CopyContents(data.data(), size);
  } else {
    return Refuse(realm, "a string or a Uint8Array is expected");
  }
  Integer(out, static_cast<int64_t>(data.size()));
  if (data.size() > realm->write_limit) {
    out->push_back(kNil);
  } else {
    Bytes(out, data.data(), data.size());
  }
  return true;
}

bool AddValue(Realm* realm, Local<Value> value, std::string* out) {
  std::string encoded;
  EncodeError problem;
  TryCatch caught(realm->isolate);
  if (!Encode(realm, value, "params", SIZE_MAX, &encoded, &problem)) {
    if (problem.kind != EncodeError::kThrown && problem.kind != EncodeError::kTerminated) {
      Refuse(realm, problem.path + " cannot cross: " + problem.message);
    }
    caught.ReThrow();
    return false;
  }
  Integer(out, static_cast<int64_t>(encoded.size()));
  if (encoded.size() > realm->write_limit) {
    out->push_back(kNil);
  } else {
    out->append(encoded);
  }
  return true;
}

}  // namespace

bool EncodeFields(Realm* realm, const std::string& signature, const v8::FunctionCallbackInfo<Value>& info, int first, std::string* out) {
  size_t fields = signature.size();
  for (char c : signature) fields += c == 'd' || c == 'v';
  ArrayHeader(out, fields);
  size_t data = 0;
  for (size_t i = 0; i < signature.size(); i++) {
    Local<Value> value = info[first + static_cast<int>(i)];
    size_t before = out->size();
    bool fine = false;
    switch (signature[i]) {
      case 's':
        fine = AddString(realm, value, out);
        break;
      case 'i': {
        double n = value->IsNumber() ? value.As<v8::Number>()->Value() : NAN;
        if (!(std::fabs(n) <= 9007199254740991.0) || n != std::trunc(n)) return Refuse(realm, "an integer is expected");
        Integer(out, static_cast<int64_t>(n));
        fine = true;
        break;
      }
      case 'b':
        out->push_back(value->IsTrue() ? '\xc3' : '\xc2');
        fine = true;
        break;
      case 'S':
      case 'P':
        fine = AddStrings(realm, value, out, signature[i] == 'P');
        break;
      case 'd':
        fine = AddData(realm, value, out);
        break;
      case 'v':
        fine = AddValue(realm, value, out);
        break;
    }
    if (!fine) return false;
    if (signature[i] == 'd' || signature[i] == 'v') data += out->size() - before;
    if (out->size() - data > kFieldBytes) return TooLong(realm);
  }
  return true;
}

}  // namespace rv8
