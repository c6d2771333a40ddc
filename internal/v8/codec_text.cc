//go:build ignore

// Strings of the wire form.
#include "codec_state.h"

namespace rv8 {

bool IsAscii(std::string_view text) {
  const char* p = text.data();
  size_t n = text.size();
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    if (word & 0x8080808080808080) return false;
  }
  for (; n > 0; n--, p++) {
    if (*p & 0x80) return false;
  }
  return true;
}

namespace {

// The characters of a string, without a copy where the engine allows that. Nothing may be allocated in V8 meanwhile.
class Characters {
 public:
  Characters(v8::Isolate* isolate, v8::Local<v8::String> text)
#if V8_MAJOR_VERSION >= 13
      : view_(isolate, text) {
    if (view_.is_one_byte()) narrow = {reinterpret_cast<const char*>(view_.data8()), view_.length()};
    else wide = {reinterpret_cast<const char16_t*>(view_.data16()), view_.length()};
    is_narrow = view_.is_one_byte();
  }
#else
  {
    size_t n = static_cast<size_t>(text->Length());
    is_narrow = text->IsOneByte();
    if (is_narrow) {
      narrow_copy_.resize(n);
      text->WriteOneByte(isolate, reinterpret_cast<uint8_t*>(narrow_copy_.data()), 0, static_cast<int>(n), v8::String::NO_NULL_TERMINATION);
      narrow = narrow_copy_;
    } else {
      wide_copy_.resize(n);
      text->Write(isolate, reinterpret_cast<uint16_t*>(wide_copy_.data()), 0, static_cast<int>(n), v8::String::NO_NULL_TERMINATION);
      wide = wide_copy_;
    }
  }
#endif

  bool is_narrow = false;
  std::string_view narrow;  // Latin-1
  std::u16string_view wide;

 private:
#if V8_MAJOR_VERSION >= 13
  v8::String::ValueView view_;
#else
  std::string narrow_copy_;
  std::u16string wide_copy_;
#endif
};

bool IsHigh(char16_t u) { return (u & 0xfc00) == 0xd800; }
bool IsLow(char16_t u) { return (u & 0xfc00) == 0xdc00; }

// Calls rune for each code point and lone for each surrogate without a partner.
template <class Rune, class Lone>
void Walk(std::u16string_view text, Rune rune, Lone lone) {
  for (size_t i = 0; i < text.size(); i++) {
    char16_t u = text[i];
    if ((u & 0xf800) != 0xd800) {
      rune(static_cast<uint32_t>(u));
    } else if (IsHigh(u) && i + 1 < text.size() && IsLow(text[i + 1])) {
      rune(0x10000 + ((static_cast<uint32_t>(u) & 0x3ff) << 10 | (static_cast<uint32_t>(text[++i]) & 0x3ff)));
    } else {
      lone(u);
    }
  }
}

size_t Utf8Size(uint32_t rune) { return rune < 0x80 ? 1 : rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4; }

char* PutRune(uint32_t rune, char* at) {
  if (rune < 0x80) {
    *at++ = static_cast<char>(rune);
  } else if (rune < 0x800) {
    *at++ = static_cast<char>(0xc0 | rune >> 6);
    *at++ = static_cast<char>(0x80 | (rune & 0x3f));
  } else if (rune < 0x10000) {
    *at++ = static_cast<char>(0xe0 | rune >> 12);
    *at++ = static_cast<char>(0x80 | (rune >> 6 & 0x3f));
    *at++ = static_cast<char>(0x80 | (rune & 0x3f));
  } else {
    *at++ = static_cast<char>(0xf0 | rune >> 18);
    *at++ = static_cast<char>(0x80 | (rune >> 12 & 0x3f));
    *at++ = static_cast<char>(0x80 | (rune >> 6 & 0x3f));
    *at++ = static_cast<char>(0x80 | (rune & 0x3f));
  }
  return at;
}

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Appends wide with each lone surrogate replaced by what replace makes of it.
template <class Replace>
void AppendWide(std::u16string_view wide, Replace replace, std::string* out) {
  size_t n = 0;
  Walk(wide, [&](uint32_t r) { n += Utf8Size(r); }, [&](char16_t u) { n += replace(u).size(); });
  AppendStrHead(n, out);
  size_t start = out->size();
  out->resize(start + n);
  char* at = out->data() + start;
  Walk(
      wide, [&](uint32_t r) { at = PutRune(r, at); },
      [&](char16_t u) {
        std::string_view text = replace(u);
        memcpy(at, text.data(), text.size());
        at += text.size();
      });
}

}  // namespace

void AppendLatin1(std::string_view latin1, std::string* out) {
  if (latin1.size() < 32) {  // nearly all strings: one look, one copy
    char bytes[32];
    char seen = 0;
    bytes[0] = static_cast<char>(0xa0 | latin1.size());
    for (size_t i = 0; i < latin1.size(); i++) seen |= bytes[i + 1] = latin1[i];
    if (!(seen & 0x80)) {
      out->append(bytes, latin1.size() + 1);
      return;
    }
  }
  if (IsAscii(latin1)) {
    AppendStrHead(latin1.size(), out);
    out->append(latin1);
    return;
  }
  size_t n = 0;
  for (char c : latin1) n += c & 0x80 ? 2 : 1;
  AppendStrHead(n, out);
  size_t start = out->size();
  out->resize(start + n);
  char* at = out->data() + start;
  for (char c : latin1) at = PutRune(static_cast<uint8_t>(c), at);
}

void AppendUtf16(std::u16string_view wide, std::string* out) {
  bool well_formed = true;
  Walk(wide, [](uint32_t) {}, [&](char16_t) { well_formed = false; });
  if (well_formed) return AppendWide(wide, [](char16_t) { return kReplacement; }, out);
  AppendExtHead(kExtString16, 2 * wide.size(), out);
  for (char16_t u : wide) {
    out->push_back(static_cast<char>(u & 0xff));
    out->push_back(static_cast<char>(u >> 8));
  }
}

void AppendString(v8::Isolate* isolate, v8::Local<v8::String> text, std::string* out) {
  Characters characters(isolate, text);
  if (characters.is_narrow) return AppendLatin1(characters.narrow, out);
  AppendUtf16(characters.wide, out);
}

void AppendText(v8::Isolate* isolate, v8::Local<v8::String> text, std::string* out) {
  Characters characters(isolate, text);
  if (characters.is_narrow) return AppendLatin1(characters.narrow, out);
  AppendWide(characters.wide, [](char16_t) { return kReplacement; }, out);
}

void AppendPattern(v8::Isolate* isolate, v8::Local<v8::String> source, std::string* out) {
  Characters characters(isolate, source);
  if (characters.is_narrow) return AppendLatin1(characters.narrow, out);
  // A surrogate behind a backslash is an identity escape: there the backslash is in place already.
  std::u16string escaped;
  bool backslash = false;
  for (size_t i = 0; i < characters.wide.size(); i++) {
    char16_t u = characters.wide[i];
    bool pair = IsHigh(u) && i + 1 < characters.wide.size() && IsLow(characters.wide[i + 1]);
    if ((u & 0xf800) != 0xd800 || pair) {
      escaped += u;
      if (pair) escaped += characters.wide[++i];
      backslash = u == '\\' && !backslash;
      continue;
    }
    constexpr char16_t digits[] = u"0123456789abcdef";
    if (!backslash) escaped += u'\\';
    escaped += {u'u', digits[u >> 12], digits[u >> 8 & 15], digits[u >> 4 & 15], digits[u & 15]};
    backslash = false;
  }
  AppendWide(escaped, [](char16_t) { return kReplacement; }, out);
}

int NameTable::Find(v8::Local<v8::Name> name) const {
  for (size_t i = static_cast<size_t>(name->GetIdentityHash());; i++) {
    int32_t known = by_name_[i % by_name_.size()];
    if (known < 0 || Strong(names_[static_cast<size_t>(known)].name) == name) return known;
  }
}

int NameTable::Learn(v8::Isolate* isolate, v8::Local<v8::String> name) {
  int known = Find(name);
  if (known >= 0 || names_.size() == kMax || name->Length() > 128) return known;
  std::string wire;
  AppendString(isolate, name, &wire);
  if (wire.size() > 1 && wire[1] >= '0' && wire[1] <= '9') return -1;  // an index: its string is not unique
  size_t i = static_cast<size_t>(name->GetIdentityHash());
  while (by_name_[i % by_name_.size()] >= 0) i++;
  known = static_cast<int>(names_.size());
  by_name_[i % by_name_.size()] = known;
  names_.push_back({v8::Global<v8::Name>(isolate, name), std::move(wire)});
  return known;
}

v8::Local<v8::String> NameTable::FromText(v8::Isolate* isolate, std::string_view ascii) {
  auto make = [&] {
    return v8::String::NewFromOneByte(isolate, reinterpret_cast<const uint8_t*>(ascii.data()), v8::NewStringType::kInternalized,
                                      static_cast<int>(ascii.size()))
        .FromMaybe(v8::String::Empty(isolate));
  };
  if (ascii.size() > 64) return make();
  uint32_t hash = 2166136261;
  for (char c : ascii) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  Text& slot = by_text_[hash % by_text_.size()];
  if (slot.string.IsEmpty() || slot.bytes != ascii) {
    slot.string.Reset(isolate, make());
    slot.bytes = ascii;
  }
  return slot.string.Get(isolate);
}

}  // namespace rv8
