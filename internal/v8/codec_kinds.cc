//go:build ignore

// Kinds that both encoders write, and the words of paths.
#include <algorithm>

#include "codec_state.h"

namespace rv8 {

void AppendDate(double ms, std::string* out) {
  uint64_t bits;
  memcpy(&bits, &ms, sizeof bits);
  AppendExtHead(kExtDate, 8, out);
  AppendBigEndian(bits, 8, out);
}

void AppendRegExp(v8::Isolate* isolate, v8::Local<v8::RegExp> expression, std::string* out) {
  using R = v8::RegExp;
  constexpr std::pair<int, char> kFlags[] = {{R::kHasIndices, 'd'}, {R::kGlobal, 'g'},  {R::kIgnoreCase, 'i'},  {R::kMultiline, 'm'},
                                             {R::kDotAll, 's'},     {R::kUnicode, 'u'}, {R::kUnicodeSets, 'v'}, {R::kSticky, 'y'}};
  std::string flags;
  for (auto [flag, letter] : kFlags) {
    if (expression->GetFlags() & flag) flags += letter;
  }
  AppendTag(kTagRegExp, 2, out);
  AppendPattern(isolate, expression->GetSource(), out);
  AppendLatin1(flags, out);
}

void AppendBigInt(bool negative, const uint8_t* digits, size_t n, std::string* out) {
  while (n > 0 && digits[n - 1] == 0) n--;
  AppendExtHead(kExtBigInt, n + 1, out);
  out->push_back(negative && n > 0 ? 1 : 0);
  out->append(std::reverse_iterator(digits + n), std::reverse_iterator(digits));
}

void AppendBigInt(v8::Local<v8::BigInt> n, std::string* out) {
  int sign = 0, words = n->WordCount();
  std::vector<uint64_t> magnitude(static_cast<size_t>(words));
  n->ToWordsArray(&sign, &words, magnitude.data());
  AppendBigInt(sign != 0, reinterpret_cast<const uint8_t*>(magnitude.data()), 8 * magnitude.size(), out);  // little-endian
}

const char* ViewName(v8::Local<v8::Object> view) {
  if (view->IsUint8Array()) return "Uint8Array";
  if (view->IsDataView()) return "DataView";
  if (view->IsInt8Array()) return "Int8Array";
  if (view->IsUint8ClampedArray()) return "Uint8ClampedArray";
  if (view->IsInt16Array()) return "Int16Array";
  if (view->IsUint16Array()) return "Uint16Array";
  if (view->IsInt32Array()) return "Int32Array";
  if (view->IsUint32Array()) return "Uint32Array";
  if (view->IsFloat32Array()) return "Float32Array";
  if (view->IsFloat64Array()) return "Float64Array";
  if (view->IsBigInt64Array()) return "BigInt64Array";
  if (view->IsBigUint64Array()) return "BigUint64Array";
  return "Float16Array";
}

void AppendViewTag(std::string_view name, std::string* out) {
  if (name == "Uint8Array") return;  // a bin alone
  AppendTag(kTagTypedArray, 2, out);
  AppendLatin1(name, out);
}

std::string NameText(v8::Isolate* isolate, v8::Local<v8::Value> name) {
  v8::String::Utf8Value text(isolate, name);
  return *text == nullptr ? std::string() : std::string(*text, static_cast<size_t>(text.length()));
}

std::string QuotedName(std::string s) {
  if (s.size() > 64) {
    size_t n = 64;
    while (n > 0 && (s[n] & 0xc0) == 0x80) n--;
    s = s.substr(0, n) + "…";
  }
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return out + "\"";
}

std::string PropertySegment(const std::string& name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; };
  auto part = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  bool identifier = !name.empty() && name.size() <= 64 && letter(name[0]) && std::all_of(name.begin(), name.end(), part);
  return identifier ? "." + name : "[" + QuotedName(name) + "]";
}

}  // namespace rv8
