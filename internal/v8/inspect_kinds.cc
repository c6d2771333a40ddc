//go:build ignore

// The kinds of values that the console shows in a way of their own.
#include <algorithm>
#include <cstdio>

#include "inspect.h"

namespace rv8 {
namespace {

void AppendUtf8(std::string* out, uint32_t c) {
  if (c < 0x80) {
    *out += static_cast<char>(c);
  } else if (c < 0x800) {
    *out += static_cast<char>(0xc0 | c >> 6);
    *out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    *out += static_cast<char>(0xe0 | c >> 12);
    *out += static_cast<char>(0x80 | (c >> 6 & 63));
    *out += static_cast<char>(0x80 | (c & 63));
  } else {
    *out += static_cast<char>(0xf0 | c >> 18);
    *out += static_cast<char>(0x80 | (c >> 12 & 63));
    *out += static_cast<char>(0x80 | (c >> 6 & 63));
    *out += static_cast<char>(0x80 | (c & 63));
  }
}

void AppendEscape(std::string* out, uint16_t unit) {
  char text[8];
  switch (unit) {
    case '\b': *out += "\\b"; return;
    case '\t': *out += "\\t"; return;
    case '\n': *out += "\\n"; return;
    case '\f': *out += "\\f"; return;
    case '\r': *out += "\\r"; return;
    case '\\': *out += "\\\\"; return;
  }
  snprintf(text, sizeof text, unit < 0x80 ? "\\x%02X" : "\\u%04X", unit);
  *out += text;
}

std::string Flags(v8::RegExp::Flags flags) {
  constexpr std::pair<v8::RegExp::Flags, char> kNames[] = {
      {v8::RegExp::kHasIndices, 'd'}, {v8::RegExp::kGlobal, 'g'},  {v8::RegExp::kIgnoreCase, 'i'},
      {v8::RegExp::kMultiline, 'm'},  {v8::RegExp::kDotAll, 's'},  {v8::RegExp::kUnicode, 'u'},
#if V8_MAJOR_VERSION >= 13
      {v8::RegExp::kUnicodeSets, 'v'},
#endif
      {v8::RegExp::kSticky, 'y'},
  };
  std::string out;
  for (auto [flag, name] : kNames) {
    if (flags & flag) out += name;
  }
  return out;
}

}  // namespace

std::vector<uint16_t> Inspector::Units(Local<String> text, int most) {
  int length = std::min(text->Length(), most);
  std::vector<uint16_t> units(static_cast<size_t>(length));
  if (length == 0) return units;
#if V8_MAJOR_VERSION >= 13
  text->WriteV2(isolate_, 0, static_cast<uint32_t>(length), units.data());
#else
  text->Write(isolate_, units.data(), 0, length, String::NO_NULL_TERMINATION);
#endif
  return units;
}

std::string Inspector::Quote(Local<String> text) {
  std::vector<uint16_t> units = Units(text, kShownString);
  char mark = '\'';
  for (char candidate : {'\'', '"', '`'}) {
    if (std::find(units.begin(), units.end(), static_cast<uint16_t>(candidate)) != units.end()) continue;
    mark = candidate;
    break;
  }
  std::string out(1, mark);
  for (size_t i = 0; i < units.size(); i++) {
    uint16_t unit = units[i];
    bool lead = (unit & 0xfc00) == 0xd800 && i + 1 < units.size() && (units[i + 1] & 0xfc00) == 0xdc00;
    if (lead) {
      AppendUtf8(&out, 0x10000u + ((unit & 0x3ffu) << 10 | (units[i + 1] & 0x3ffu)));
      i++;
    } else if (unit < 0x20 || unit == 0x7f || unit == '\\' || (unit & 0xf800) == 0xd800) {
      AppendEscape(&out, unit);
    } else {
      if (unit == static_cast<uint16_t>(mark)) out += '\\';
      AppendUtf8(&out, unit);
    }
  }
  out += mark;
  int rest = text->Length() - static_cast<int>(units.size());
  if (rest > 0) out += "... " + std::to_string(rest) + " more characters";
  return out;
}

std::string Inspector::Primitive(Local<Value> value) {
  if (value->IsString()) return Quote(value.As<String>());
  if (value->IsSymbol()) return "Symbol(" + Utf8(isolate_, value.As<v8::Symbol>()->Description(isolate_)) + ")";
  if (value->IsNumber() && value.As<v8::Number>()->Value() == 0 && std::signbit(value.As<v8::Number>()->Value())) return "-0";
  std::string text = Utf8(isolate_, value->ToString(context_).FromMaybe(String::Empty(isolate_)));
  return value->IsBigInt() ? text + "n" : text;
}

std::string Inspector::Key(Local<Value> key) {
  if (key->IsSymbol()) return "[" + Primitive(key) + "]";
  std::string text = Utf8(isolate_, key);
  auto letter = [](char c) { return isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$'; };
  bool plain = !text.empty() && letter(text[0]) &&
               std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || isdigit(static_cast<unsigned char>(c)); });
  return plain ? text : Quote(key.As<String>());
}

std::string Inspector::Boxed(Local<Object> object) {
  if (object->IsNumberObject()) return "[Number: " + Primitive(v8::Number::New(isolate_, object.As<v8::NumberObject>()->ValueOf())) + "]";
  if (object->IsStringObject()) return "[String: " + Quote(object.As<v8::StringObject>()->ValueOf()) + "]";
  if (object->IsBooleanObject()) return object.As<v8::BooleanObject>()->ValueOf() ? "[Boolean: true]" : "[Boolean: false]";
  if (object->IsBigIntObject()) return "[BigInt: " + Primitive(object.As<v8::BigIntObject>()->ValueOf()) + "]";
  if (object->IsSymbolObject()) return "[Symbol: " + Primitive(object.As<v8::SymbolObject>()->ValueOf()) + "]";
  return {};
}

std::string Inspector::DescribeBuffer(Local<Object> buffer, const std::string& prefix, size_t indent) {
  constexpr size_t kBytes = 50;
  auto store = buffer->IsSharedArrayBuffer() ? buffer.As<v8::SharedArrayBuffer>()->GetBackingStore() : buffer.As<v8::ArrayBuffer>()->GetBackingStore();
  size_t size = buffer->IsSharedArrayBuffer() ? buffer.As<v8::SharedArrayBuffer>()->ByteLength() : buffer.As<v8::ArrayBuffer>()->ByteLength();
  const uint8_t* data = static_cast<const uint8_t*>(store->Data());
  std::string text = "<";
  for (size_t i = 0; i < std::min(size, kBytes); i++) {
    char hex[4];
    snprintf(hex, sizeof hex, i ? " %02x" : "%02x", data[i]);
    text += hex;
  }
  if (size > kBytes) text += " ... " + std::to_string(size - kBytes) + " more bytes";
  return Lines(prefix, '{', {text + ">", "byteLength: " + std::to_string(size)}, '}', false, indent);
}

bool Inspector::DescribeExotic(Local<Object> object, size_t indent, const std::string& name, const std::string& extra, std::string* out) {
  Items items;
  auto counted = [&](const char* kind, size_t size) {
    bool own = extra == std::string(" [") + kind + "]";  // a subclass need not say what it extends
    return (name.empty() ? kind : name) + "(" + std::to_string(size) + ")" + (own ? "" : extra) + " ";
  };
  std::string prefix = (name.empty() ? "[Object: null prototype]" : name) + extra + " ";

  if (object->IsMap()) {
    Pairs(object.As<v8::Map>()->AsArray(), true, &items, indent);
    Properties(object, &items, indent, true);
    *out = Lines(counted("Map", object.As<v8::Map>()->Size()), '{', items, '}', false, indent);
  } else if (object->IsSet()) {
    Pairs(object.As<v8::Set>()->AsArray(), false, &items, indent);
    Properties(object, &items, indent, true);
    *out = Lines(counted("Set", object.As<v8::Set>()->Size()), '{', items, '}', true, indent);
  } else if (object->IsMapIterator() || object->IsSetIterator()) {
    bool keyed = false;
    Local<v8::Array> entries;
    if (!object->PreviewEntries(&keyed).ToLocal(&entries)) return false;
    Pairs(entries, keyed, &items, indent);
    *out = Lines(object->IsMapIterator() ? "[Map Iterator] " : "[Set Iterator] ", '{', items, '}', false, indent);
  } else if (object->IsTypedArray()) {
    size_t length = object.As<v8::TypedArray>()->Length();
    for (uint32_t i = 0; i < length && i < kShownItems; i++) {
      Local<Value> item;
      if (object->Get(context_, i).ToLocal(&item)) items.push_back(Primitive(item));
    }
    if (length > kShownItems) items.push_back("... " + std::to_string(length - kShownItems) + " more items");
    *out = Lines(counted(Utf8(isolate_, object->GetConstructorName()).c_str(), length), '[', items, ']', true, indent);
  } else if (object->IsArrayBuffer() || object->IsSharedArrayBuffer()) {
    *out = DescribeBuffer(object, prefix, indent);
  } else if (object->IsDataView()) {
    Local<v8::DataView> view = object.As<v8::DataView>();
    *out = Lines(prefix, '{', {"byteLength: " + std::to_string(view->ByteLength()), "byteOffset: " + std::to_string(view->ByteOffset())}, '}', false, indent);
  } else if (object->IsPromise()) {
    Local<v8::Promise> promise = object.As<v8::Promise>();
    bool pending = promise->State() == v8::Promise::kPending;
    items.push_back(pending ? "<pending>" : (promise->State() == v8::Promise::kRejected ? "<rejected> " : "") + Show(promise->Result(), indent + 2));
    Properties(object, &items, indent, true);
    *out = Lines(prefix, '{', items, '}', false, indent);
  } else if (object->IsArgumentsObject()) {
    Local<Value> length = OwnData(object, "length");
    Elements(object, length->IsUint32() ? length.As<v8::Uint32>()->Value() : 0, &items, indent);
    *out = Lines("[Arguments] ", '[', items, ']', true, indent);
  } else if (object->IsModuleNamespaceObject()) {
    Properties(object, &items, indent, true);
    *out = Lines("[Module] ", '{', items, '}', false, indent);
  } else {
    std::string text = Boxed(object);
    if (object->IsDate()) {
      double ms = object.As<v8::Date>()->ValueOf();
      text = ms == ms ? Utf8(isolate_, object.As<v8::Date>()->ToISOString()) : "Invalid Date";
    }
    if (object->IsRegExp()) text = "/" + Utf8(isolate_, object.As<v8::RegExp>()->GetSource()) + "/" + Flags(object.As<v8::RegExp>()->GetFlags());
    if (text.empty()) return false;
    Properties(object, &items, indent, !object->IsStringObject());
    *out = items.empty() ? text : Lines(text + " ", '{', items, '}', false, indent);
  }
  return true;
}

}  // namespace rv8
