// What a Codec keeps between calls, and the primitives of the wire form. Only codec*.cc include it.
#ifndef RV8_CODEC_STATE_H
#define RV8_CODEC_STATE_H

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "codec.h"
#include "v8-version.h"
#include "v8.h"

namespace rv8 {

// Ext codes and kinds of tagged arrays.
enum : uint8_t { kExtTag = 0, kExtUndefined = 1, kExtHole = 2, kExtBigInt = 3, kExtString16 = 4, kExtDate = 5, kExtRef = 6 };
enum : uint8_t { kTagRegExp = 1, kTagMap = 2, kTagSet = 3, kTagArrayBuffer = 4, kTagTypedArray = 5, kTagError = 6, kTagSparse = 7 };

constexpr double kMaxSafe = 9007199254740991;

// A global handle that outlives the use of the local one needs no new handle.
template <class T>
v8::Local<T> Strong(const v8::Global<T>& global) {
  return *reinterpret_cast<const v8::Local<T>*>(&global);
}

// A property name that has been written before: records repeat them.
struct KnownName {
  v8::Global<v8::Name> name;
  std::string wire;
};

// Property names by identity (internalized strings are unique) and by their bytes. A guest can make names without end, so
// the table stops growing; unknown names are just slower.
class NameTable {
 public:
  static constexpr size_t kMax = 4096;

  NameTable() : by_name_(2 * kMax, -1), by_text_(1024) {}
  // The known name's number, or -1. Allocates nothing.
  int Find(v8::Local<v8::Name> name) const;
  // The same, but learns the name while there is room.
  int Learn(v8::Isolate* isolate, v8::Local<v8::String> name);
  const KnownName& at(int i) const { return names_[static_cast<size_t>(i)]; }
  // The string of these ASCII bytes.
  v8::Local<v8::String> FromText(v8::Isolate* isolate, std::string_view ascii);

 private:
  struct Text {
    std::string bytes;
    v8::Global<v8::String> string;
  };
  std::vector<KnownName> names_;
  std::vector<int32_t> by_name_;  // open addressing
  std::vector<Text> by_text_;     // direct mapped
};

struct CodecState {
  v8::Isolate* isolate;
  v8::Global<v8::Function> object_keys;
  v8::Global<v8::Value> aggregate_error_prototype, iterator_prototype;
  NameTable names;
  bool no_guest = false;  // nothing may call JavaScript now
  v8::Global<v8::String> to_json, name, message, stack, cause, errors;
};

// codec_text.cc: strings.
void AppendString(v8::Isolate* isolate, v8::Local<v8::String> text, std::string* out);  // str, or ext 4
void AppendLatin1(std::string_view latin1, std::string* out);
void AppendUtf16(std::u16string_view text, std::string* out);
void AppendText(v8::Isolate* isolate, v8::Local<v8::String> text, std::string* out);    // str; lone surrogates are U+FFFD
void AppendPattern(v8::Isolate* isolate, v8::Local<v8::String> source, std::string* out);  // str; lone surrogates escaped
bool IsAscii(std::string_view text);

// codec_wire.cc
void AppendHead(uint8_t fix, size_t fix_max, uint8_t code8, uint8_t code16, size_t n, std::string* out);
void AppendStrHead(size_t n, std::string* out);
void AppendBinHead(size_t n, std::string* out);
void AppendArrayHead(size_t n, std::string* out);
void AppendMapHead(size_t n, std::string* out);
void AppendExtHead(uint8_t code, size_t n, std::string* out);
void AppendTag(uint8_t tag, size_t parts, std::string* out);
void AppendInteger(int64_t n, std::string* out);
void AppendNumber(double n, std::string* out);
void AppendBigEndian(uint64_t n, int bytes, std::string* out);

// codec_kinds.cc
void AppendDate(double ms, std::string* out);
void AppendRegExp(v8::Isolate* isolate, v8::Local<v8::RegExp> expression, std::string* out);
void AppendBigInt(v8::Local<v8::BigInt> n, std::string* out);
void AppendBigInt(bool negative, const uint8_t* digits, size_t n, std::string* out);  // little-endian
const char* ViewName(v8::Local<v8::Object> view);                                     // the constructor's
void AppendViewTag(std::string_view name, std::string* out);                          // what comes before the bin
std::string NameText(v8::Isolate* isolate, v8::Local<v8::Value> name);
std::string QuotedName(std::string name);
std::string PropertySegment(const std::string& name);  // .name or ["any name"]

// codec_scan.cc: checks every length; references tells whether there are any.
bool ScanWire(const uint8_t* data, size_t size, bool* references, const char** problem);

bool EncodeValue(CodecState* state, v8::Local<v8::Context> context, v8::Local<v8::Value> value, const EncodeOptions& options,
                 std::string* out, EncodeError* error);
// codec_plain.cc: the same for plain data, faster.
enum class Plain { kDone, kNotPlain, kTerminated };
Plain EncodePlain(CodecState* state, v8::Local<v8::Context> context, v8::Local<v8::Value> value, const EncodeOptions& options,
                  std::string* out);

bool DecodeValue(CodecState* state, v8::Local<v8::Context> context, const uint8_t* data, size_t size, v8::Local<v8::Value>* out,
                 std::string* error, std::vector<v8::Local<v8::Value>>* made);

}  // namespace rv8

#endif
