//go:build ignore

// Wire → V8. The bytes come from the supervisor, which is trusted; every length is checked all the same.
#include <algorithm>

#include "codec_state.h"

namespace rv8 {
namespace {

using v8::Local;
using v8::Object;
using v8::Value;

class Decoder {
 public:
  Decoder(CodecState* state, Local<v8::Context> context, const uint8_t* data, size_t size, std::string* error)
      : state_(state), isolate_(state->isolate), context_(context), at_(data), begin_(data), end_(data + size), error_(error) {}

  bool Run(Local<Value>* out, std::vector<Local<Value>>* made) {
    // Without references, arrays need not exist before their elements and nothing must be remembered.
    const char* problem = nullptr;
    if (!ScanWire(begin_, static_cast<size_t>(end_ - begin_), &references_, &problem)) return Fail(problem);
    if (made != nullptr) references_ = true;  // remembers what it makes
    if (!Read()) return false;
    while (!frames_.empty()) {
      if (frames_.back().left == 0 ? !Finish() : !ReadPart()) return false;
    }
    if (at_ != end_) return Fail("bytes follow the value");
    if (values_.back().IsEmpty()) return Fail("a hole outside an array");
    *out = values_.back();
    if (made != nullptr) made->swap(objects_);
    return true;
  }

 private:
  // A container with parts still to come. Its parts are gathered in values_, so that an array is made in one call.
  struct Frame {
    enum Kind { kObject, kArray, kMap, kSet, kError, kFields, kSparse };
    Kind kind;
    Local<Object> object;  // empty: an array to be made at its end
    uint32_t left;         // values
    size_t begin;          // of its parts in values_
    bool holes;
  };

  static uint64_t BigEndian(const uint8_t* p, int width) {
    uint64_t n = 0;
    for (int i = 0; i < width; i++) n = n << 8 | p[i];
    return n;
  }

  // The lengths have been checked.
  uint64_t Take(int width) {
    uint64_t n = BigEndian(at_, width);
    at_ += width;
    return n;
  }

  bool ReadPart() {
    Frame& frame = frames_.back();
    frame.left--;
    if (frame.kind == Frame::kError && frame.left == 0) return Fields();
    bool key = (frame.kind == Frame::kObject || frame.kind == Frame::kFields) && frame.left % 2 == 1;
    return key ? ReadKey() : Read();
  }

  bool ReadKey() {
    uint8_t c = *at_;
    if (c >> 5 == 0xa0 >> 5) {
      std::string_view text(reinterpret_cast<const char*>(at_ + 1), c & 31u);
      if (IsAscii(text)) {
        at_ += 1 + text.size();
        return Push(state_->names.FromText(isolate_, text));
      }
    }
    Local<v8::String> key;
    return Part(&key) && Push(key);
  }

  bool Push(Local<Value> value) {
    values_.push_back(value);
    return true;
  }

  bool Read() {
    uint8_t c = *at_++;
    if (c <= 0x7f) return Push(v8::Integer::New(isolate_, c));
    if (c >= 0xe0) return Push(v8::Integer::New(isolate_, static_cast<int8_t>(c)));
    if (c <= 0x8f) return Enter(Frame::kObject, 2 * (c & 15u));
    if (c <= 0x9f) return Array(c & 15u);
    if (c <= 0xbf) return Text(c & 31u);
    switch (c) {
      case 0xc0: return Push(v8::Null(isolate_));
      case 0xc2: return Push(v8::False(isolate_));
      case 0xc3: return Push(v8::True(isolate_));
      case 0xc4: case 0xc5: case 0xc6: bytes_ = Take(1 << (c - 0xc4)); return Typed<v8::Uint8Array>(1);
      case 0xc7: case 0xc8: case 0xc9: return Ext(Take(1 << (c - 0xc7)));
      case 0xcb: return Push(v8::Number::New(isolate_, Double()));
      case 0xcc: case 0xcd: case 0xce: case 0xcf: return Push(v8::Number::New(isolate_, static_cast<double>(Take(1 << (c - 0xcc)))));
      case 0xd0: return Push(v8::Integer::New(isolate_, static_cast<int8_t>(Take(1))));
      case 0xd1: return Push(v8::Integer::New(isolate_, static_cast<int16_t>(Take(2))));
      case 0xd2: return Push(v8::Integer::New(isolate_, static_cast<int32_t>(Take(4))));
      case 0xd3: return Push(v8::Number::New(isolate_, static_cast<double>(static_cast<int64_t>(Take(8)))));
      case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return Ext(uint64_t{1} << (c - 0xd4));
      case 0xd9: case 0xda: case 0xdb: return Text(Take(1 << (c - 0xd9)));
      case 0xdc: case 0xdd: return Array(Take(2 << (c - 0xdc)));
      default: return Enter(Frame::kObject, 2 * Take(2 << (c - 0xde)));
    }
  }

  double Double() {
    uint64_t bits = Take(8);
    double n;
    memcpy(&n, &bits, sizeof n);
    return n;
  }

  bool Text(size_t n) {
    std::string_view text(reinterpret_cast<const char*>(at_), n);
    at_ += n;
    if (n > v8::String::kMaxLength) return Fail("a string is too long");
    v8::MaybeLocal<v8::String> made =
        IsAscii(text) ? v8::String::NewFromOneByte(isolate_, reinterpret_cast<const uint8_t*>(text.data()), v8::NewStringType::kNormal, static_cast<int>(n))
                      : v8::String::NewFromUtf8(isolate_, text.data(), v8::NewStringType::kNormal, static_cast<int>(n));
    Local<v8::String> string;
    return made.ToLocal(&string) ? Push(string) : Thrown();
  }

  bool Ext(size_t n) {
    uint8_t code = *at_++;
    const uint8_t* body = at_;
    at_ += n;
    switch (code) {
      case kExtUndefined: return Push(v8::Undefined(isolate_));
      case kExtHole: return Push(Local<Value>());
      case kExtBigInt: return BigInt(body, n);
      case kExtString16: return String16(body, n);
      case kExtDate: {
        if (n != 8) break;
        uint64_t bits = BigEndian(body, 8);
        double ms;
        memcpy(&ms, &bits, sizeof ms);
        Local<Value> date;
        return v8::Date::New(context_, ms).ToLocal(&date) ? Remember(date) : Thrown();
      }
      case kExtRef: {
        uint64_t i = n == 4 ? BigEndian(body, 4) : UINT64_MAX;
        if (i < objects_.size() && !objects_[i].IsEmpty()) return Push(objects_[i]);
        return Fail("a reference to nothing");
      }
    }
    return Fail("an extension that is not used");
  }

  bool BigInt(const uint8_t* body, size_t n) {
    if (n == 0) return Fail("a bigint without a sign");
    std::vector<uint64_t> words((n - 1 + 7) / 8);
    for (size_t i = 1; i < n; i++) {
      size_t power = n - 1 - i;
      words[power / 8] |= uint64_t{body[i]} << (power % 8 * 8);
    }
    Local<v8::BigInt> made;
    if (!v8::BigInt::NewFromWords(context_, body[0], static_cast<int>(words.size()), words.data()).ToLocal(&made)) return Thrown();
    return Push(made);
  }

  bool String16(const uint8_t* body, size_t n) {
    std::vector<uint16_t> units(n / 2);
    for (size_t i = 0; i < units.size(); i++) units[i] = static_cast<uint16_t>(body[2 * i] | body[2 * i + 1] << 8);
    Local<v8::String> made;
    if (n / 2 > v8::String::kMaxLength) return Fail("a string is too long");
    if (!v8::String::NewFromTwoByte(isolate_, units.data(), v8::NewStringType::kNormal, static_cast<int>(units.size())).ToLocal(&made)) return Thrown();
    return Push(made);
  }

  // A buffer with the next n bytes.
  Local<v8::ArrayBuffer> Buffer(size_t n) {
    Local<v8::ArrayBuffer> buffer = v8::ArrayBuffer::New(isolate_, n);
    if (n > 0) memcpy(buffer->GetBackingStore()->Data(), at_, n);
    at_ += n;
    return buffer;
  }

  // Gives value, or what will be made of it, the next index.
  size_t Index(Local<Value> value) {
    if (references_) objects_.push_back(value);
    return objects_.size() - 1;
  }

  bool Remember(Local<Value> value) {
    Index(value);
    return Push(value);
  }

  bool Enter(Frame::Kind kind, size_t n) {
    Local<Object> object;
    switch (kind) {
      case Frame::kMap: object = v8::Map::New(isolate_); break;
      case Frame::kSet: object = v8::Set::New(isolate_); break;
      case Frame::kArray: if (references_) object = v8::Array::New(isolate_, static_cast<int>(std::min<size_t>(n, INT32_MAX))); break;
      case Frame::kObject: object = Object::New(isolate_); break;
      default: break;
    }
    Index(object);
    frames_.push_back({kind, object, static_cast<uint32_t>(n), values_.size(), false});
    return true;
  }

  bool Array(size_t n) {
    if (n == 0 || at_[0] != 0xd4 || at_[1] != kExtTag) return Enter(Frame::kArray, n);
    uint8_t tag = at_[2];
    at_ += 3;
    n--;
    switch (tag) {
      case kTagRegExp: return n == 2 ? RegExp() : Fail("a regexp of other than two parts");
      case kTagMap: return n % 2 == 0 ? Enter(Frame::kMap, n) : Fail("a Map with half an entry");
      case kTagSet: return Enter(Frame::kSet, n);
      case kTagArrayBuffer: return n == 1 && Bytes() ? Remember(Buffer(bytes_)) : Fail("an ArrayBuffer without bytes");
      case kTagTypedArray: return n == 2 ? View() : Fail("a view of other than two parts");
      case kTagError: return n == 6 ? Error() : Fail("an Error of other than six parts");
      case kTagSparse: return n % 2 == 1 ? Sparse(n - 1) : Fail("a sparse array with half an element");
    }
    return Fail("a tag that is not used");
  }

  // Reads a string that is part of something else.
  bool Part(Local<v8::String>* text) {
    size_t frames = frames_.size();
    if (!Read()) return false;
    Local<Value> value;
    if (frames_.size() == frames) {  // else a container has begun, and nothing is there yet
      value = values_.back();
      values_.pop_back();
    }
    if (value.IsEmpty() || !value->IsString()) return Fail("no string where a string belongs");
    *text = value.As<v8::String>();
    return true;
  }

  // Reads the head of a bin into bytes_.
  bool Bytes() {
    if (at_ == end_ || *at_ < 0xc4 || *at_ > 0xc6) return false;
    int width = 1 << (*at_++ - 0xc4);
    bytes_ = Take(width);
    return true;
  }

  bool RegExp() {
    Local<v8::String> source, letters;
    if (!Part(&source) || !Part(&letters)) return false;
    using R = v8::RegExp;
    int flags = 0;
    v8::String::Utf8Value text(isolate_, letters);
    for (const char* c = *text; *c != '\0'; c++) {
      flags |= *c == 'd' ? R::kHasIndices : *c == 'g' ? R::kGlobal : *c == 'i' ? R::kIgnoreCase : *c == 'm' ? R::kMultiline
             : *c == 's' ? R::kDotAll : *c == 'u' ? R::kUnicode : *c == 'v' ? R::kUnicodeSets : *c == 'y' ? R::kSticky : 0;
    }
    Local<R> made;
    return R::New(context_, source, static_cast<R::Flags>(flags)).ToLocal(&made) ? Remember(made) : Thrown();
  }

  template <class T>
  bool Typed(size_t element) {
    Local<v8::ArrayBuffer> buffer = Buffer(bytes_);
    return Remember(T::New(buffer, 0, bytes_ / element));
  }

  bool View() {
    Local<v8::String> name;
    if (!Part(&name)) return false;
    if (!Bytes()) return Fail("a view without bytes");
    v8::String::Utf8Value text(isolate_, name);
    std::string_view kind(*text, static_cast<size_t>(text.length()));
    if (kind == "DataView") return Typed<v8::DataView>(1);
    if (kind == "Int8Array") return Typed<v8::Int8Array>(1);
    if (kind == "Uint8ClampedArray") return Typed<v8::Uint8ClampedArray>(1);
    if (kind == "Int16Array") return Typed<v8::Int16Array>(2);
    if (kind == "Uint16Array") return Typed<v8::Uint16Array>(2);
    if (kind == "Int32Array") return Typed<v8::Int32Array>(4);
    if (kind == "Uint32Array") return Typed<v8::Uint32Array>(4);
    if (kind == "Float32Array") return Typed<v8::Float32Array>(4);
    if (kind == "Float64Array") return Typed<v8::Float64Array>(8);
    if (kind == "BigInt64Array") return Typed<v8::BigInt64Array>(8);
    if (kind == "BigUint64Array") return Typed<v8::BigUint64Array>(8);
#if V8_MAJOR_VERSION >= 13
    if (kind == "Float16Array") return Typed<v8::Float16Array>(2);
#endif
    return Fail("a view of no kind that the engine has");
  }

  bool Sparse(size_t n) {
    if (!Read()) return false;
    Local<Value> length = values_.back();
    values_.pop_back();
    if (length.IsEmpty() || !length->IsUint32()) return Fail("a sparse array without a length");
    Local<v8::Array> array = v8::Array::New(isolate_, 0);
    v8::Local<v8::String> name = v8::String::NewFromUtf8Literal(isolate_, "length");
    if (array->Set(context_, name, length).IsNothing()) return Thrown();
    Index(array);
    frames_.push_back({Frame::kSparse, array, static_cast<uint32_t>(n), values_.size(), false});
    return true;
  }

  bool Error() {
    size_t index = Index(Local<Value>());
    Local<v8::String> name, message, stack;
    if (!Part(&name) || !Part(&message) || !Part(&stack)) return false;
    Local<Object> error = Make(name, message).As<Object>();
    if (references_) objects_[index] = error;
    if (!Hidden(error, Strong(state_->stack), stack)) return Thrown();
    frames_.push_back({Frame::kError, error, 3, values_.size(), false});
    return true;
  }

  Local<Value> Make(Local<v8::String> name, Local<v8::String> message) {
    v8::String::Utf8Value text(isolate_, name);
    std::string_view kind(*text, static_cast<size_t>(text.length()));
    if (kind == "RangeError") return v8::Exception::RangeError(message);
    if (kind == "ReferenceError") return v8::Exception::ReferenceError(message);
    if (kind == "SyntaxError") return v8::Exception::SyntaxError(message);
    if (kind == "TypeError") return v8::Exception::TypeError(message);
    Local<Value> error = v8::Exception::Error(message);
    Local<Value> aggregate = Strong(state_->aggregate_error_prototype);
    if (kind == "AggregateError" && aggregate->IsObject()) {
#if V8_MAJOR_VERSION >= 13
      error.As<Object>()->SetPrototypeV2(context_, aggregate).FromMaybe(false);
#else
      error.As<Object>()->SetPrototype(context_, aggregate).FromMaybe(false);
#endif
    } else if (kind != "Error") {
      (void)Hidden(error.As<Object>(), Strong(state_->name), name);
    }
    return error;
  }

  bool Hidden(Local<Object> object, Local<v8::String> name, Local<Value> value) {
    return object->DefineOwnProperty(context_, name, value, v8::DontEnum).FromMaybe(false);
  }

  // Opens the map of an error's fields, which takes no index.
  bool Fields() {
    uint8_t c = *at_++;
    size_t n = 0;
    if (c >> 4 == 0x80 >> 4) n = c & 15u;
    else if (c == 0xde || c == 0xdf) n = Take(2 << (c - 0xde));
    else return Fail("an Error without fields");
    frames_.push_back({Frame::kFields, frames_.back().object, static_cast<uint32_t>(2 * n), values_.size(), false});
    return true;
  }

  // Puts the gathered parts into their container, which becomes one part of the next one.
  bool Finish() {
    Frame frame = frames_.back();
    frames_.pop_back();
    Local<Value>* parts = values_.data() + frame.begin;
    size_t n = values_.size() - frame.begin;
    if (!Fill(&frame, parts, n)) return error_->empty() ? Thrown() : false;
    values_.resize(frame.begin);
    if (frame.kind != Frame::kFields) values_.push_back(frame.object);
    return true;
  }

  bool Fill(Frame* frame, Local<Value>* parts, size_t n) {
    bool holes = std::any_of(parts, parts + n, [](Local<Value> part) { return part.IsEmpty(); });
    if (holes && frame->kind != Frame::kArray && frame->kind != Frame::kError) return Fail("a hole outside an array");
    Local<Object> object = frame->object;
    switch (frame->kind) {
      case Frame::kArray:
        if (object.IsEmpty() && !holes) return frame->object = v8::Array::New(isolate_, parts, n), true;
        if (object.IsEmpty()) frame->object = object = v8::Array::New(isolate_, static_cast<int>(n));
        for (size_t i = 0; i < n; i++) {
          if (!parts[i].IsEmpty() && object->CreateDataProperty(context_, static_cast<uint32_t>(i), parts[i]).IsNothing()) return false;
        }
        return true;
      case Frame::kObject:
      case Frame::kFields:
        for (size_t i = 0; i < n; i += 2) {
          if (object->CreateDataProperty(context_, parts[i].As<v8::String>(), parts[i + 1]).IsNothing()) return false;
        }
        return true;
      case Frame::kSparse:
        for (size_t i = 0; i < n; i += 2) {
          if (!parts[i]->IsUint32()) return Fail("an index that is no index");
          if (object->CreateDataProperty(context_, parts[i].As<v8::Uint32>()->Value(), parts[i + 1]).IsNothing()) return false;
        }
        return true;
      case Frame::kMap:
        for (size_t i = 0; i < n; i += 2) {
          if (object.As<v8::Map>()->Set(context_, parts[i], parts[i + 1]).IsEmpty()) return false;
        }
        return true;
      case Frame::kSet:
        for (size_t i = 0; i < n; i++) {
          if (object.As<v8::Set>()->Add(context_, parts[i]).IsEmpty()) return false;
        }
        return true;
      case Frame::kError:
        if (n > 0 && !parts[0].IsEmpty() && !Hidden(object, Strong(state_->cause), parts[0])) return false;
        return n < 2 || parts[1].IsEmpty() || Hidden(object, Strong(state_->errors), parts[1]);
    }
    return false;
  }

  bool Fail(const char* what) {
    if (error_->empty()) *error_ = std::string("malformed value, byte ") + std::to_string(at_ - begin_) + ": " + what;
    return false;
  }

  bool Thrown() { return false; }

  CodecState* state_;
  v8::Isolate* isolate_;
  Local<v8::Context> context_;
  const uint8_t* at_;
  const uint8_t* begin_;
  const uint8_t* end_;
  std::string* error_;
  bool references_ = false;
  size_t bytes_ = 0;  // of the bin whose head has been read
  std::vector<Frame> frames_;
  std::vector<Local<Value>> values_;
  std::vector<Local<Value>> objects_;  // by index; only when there are references
};

}  // namespace

bool DecodeValue(CodecState* state, Local<v8::Context> context, const uint8_t* data, size_t size, Local<Value>* out, std::string* error,
                 std::vector<Local<Value>>* made) {
  return Decoder(state, context, data, size, error).Run(out, made);
}

}  // namespace rv8
