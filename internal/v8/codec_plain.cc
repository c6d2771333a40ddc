//go:build ignore

// V8 → wire for plain data: objects, arrays, Maps, Sets, views, dates and primitives. V8's own serializer walks them, which
// is several times faster than its public interface, and its bytes are rewritten. It knows no paths, no toJSON and not all
// of an Error, so whatever meets those, and all that fails, is left to codec_encode.cc, which begins anew. No code of the
// guest runs here, so that a getter is read once: what has one is not plain.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "codec_state.h"

namespace rv8 {
namespace {

#if V8_MAJOR_VERSION >= 13  // older ones cannot ask about toJSON

// Where the bytes of a view are. They are copied once, at the end.
struct ViewBytes {
  const char* name;
  std::shared_ptr<v8::BackingStore> store;
  size_t offset, size;
};

class PlainDelegate : public v8::ValueSerializer::Delegate {
 public:
  PlainDelegate(CodecState* state, v8::Local<v8::Context> context, size_t max_bytes) : state_(state), context_(context), max_bytes_(max_bytes) {}

  v8::ValueSerializer* serializer = nullptr;
  std::vector<ViewBytes> views;

  void ThrowDataCloneError(v8::Local<v8::String> message) override { state_->isolate->ThrowException(message); }
  bool HasCustomHostObject(v8::Isolate*) override { return true; }

  v8::Maybe<bool> IsHostObject(v8::Isolate*, v8::Local<v8::Object> object) override {
    v8::Local<v8::Value> to_json;
    if (!object->Get(context_, Strong(state_->to_json)).ToLocal(&to_json)) return v8::Nothing<bool>();
    return to_json->IsFunction() ? Refuse() : v8::Just(false);
  }

  v8::Maybe<bool> WriteHostObject(v8::Isolate*, v8::Local<v8::Object> object) override {
    if (!object->IsArrayBufferView()) return Refuse();
    v8::Local<v8::ArrayBufferView> view = object.As<v8::ArrayBufferView>();
    v8::Local<v8::Value> buffer = view->Buffer();
    if (buffer->IsSharedArrayBuffer() || buffer.As<v8::ArrayBuffer>()->WasDetached()) return Refuse();
    if (buffer.As<v8::ArrayBuffer>()->IsResizableByUserJavaScript()) return Refuse();  // whose bytes are copied at once
    serializer->WriteUint32(static_cast<uint32_t>(views.size()));
    views.push_back({ViewName(object), buffer.As<v8::ArrayBuffer>()->GetBackingStore(), view->ByteOffset(), view->ByteLength()});
    return v8::Just(true);
  }

  void* ReallocateBufferMemory(void* old, size_t size, size_t* actual) override {
    // Numbers can take more bytes here than on the wire; what is far over the limit is measured by the other encoder.
    if (size > max_bytes_ && size - max_bytes_ > std::max<size_t>(1 << 20, max_bytes_ / 2)) return nullptr;
    *actual = size;
    return realloc(old, size);
  }

  void FreeBufferMemory(void* buffer) override { free(buffer); }

 private:
  v8::Maybe<bool> Refuse() {
    state_->isolate->ThrowException(v8::Undefined(state_->isolate));
    return v8::Nothing<bool>();
  }

  CodecState* state_;
  v8::Local<v8::Context> context_;
  size_t max_bytes_;
};

// V8's bytes → wire. False: something that is not plain.
class Rewriter {
 public:
  Rewriter(const uint8_t* data, size_t size, const std::vector<ViewBytes>& views, const EncodeOptions& options, std::string* out)
      : at_(data), end_(data + size), views_(views), options_(options), out_(*out), start_(out->size()) {}

  bool Run() {
    do {
      if (at_ == end_ || out_.size() - start_ > options_.max_bytes) return false;
      uint8_t tag = *at_++;
      if (tag == 0) continue;  // padding
      if (!open_.empty() && !open_.back().value) {
        if (!Between(tag)) return false;
      } else if (!Value(tag)) {
        return false;
      }
    } while (at_ != end_ || !open_.empty());
    return out_.size() - start_ <= options_.max_bytes;
  }

 private:
  struct Open {
    uint8_t tag;   // that it began with
    bool value;    // whether a value comes next, in any case
    size_t head;   // where its head is, when it is written at the end
    uint32_t count, length;
    size_t left;   // of a dense array
  };

  // In a container, where it can end or a key can come.
  bool Between(uint8_t tag) {
    Open& open = open_.back();
    switch (open.tag) {
      case 'o':
        if (tag == '{') return Varint(), Close(0x80, open.count);
        open.count++;
        open.value = true;
        return Key(tag);
      case 'a':
        if (tag == '@') return Varint(), Varint(), Holes(open.length) && Done();
        return Index(tag);
      case 'A':
        if (tag == '$') return Varint() == 0 && (Varint(), Done());
        return open.count++ < open.length && Value(tag);
      case ';':
      case '\'':
        if (tag == (open.tag == ';' ? ':' : ',')) return Varint(), Close(0x90, open.count + 1);
        open.count++;
        return Value(tag);
    }
    return false;
  }

  bool Value(uint8_t tag) {
    if (!open_.empty()) open_.back().value = false;
    switch (tag) {
      case '_': return AppendExtHead(kExtUndefined, 0, &out_), true;
      case '-': return AppendExtHead(kExtHole, 0, &out_), true;
      case '0': return out_.push_back('\xc0'), true;
      case 'T': return out_.push_back('\xc3'), true;
      case 'F': return out_.push_back('\xc2'), true;
      case 'I': return AppendInteger(ZigZag(), &out_), true;
      case 'N': return AppendNumber(Double(), &out_), true;
      case '"': case 'c': return Text(tag);
      case 'Z': return BigInt();
      case 'D': return Date();
      case '^': return Reference();
      case '\\': return View();
      case 'o': return Begin(tag, 0, 1);
      case 'A': case 'a': {
        uint32_t length = Varint();
        // A sparse array is not written as all of its holes.
        if (length > 64 + static_cast<size_t>(end_ - at_)) return false;
        size_t head = out_.size();
        AppendArrayHead(length, &out_);
        return Begin(tag, length, out_.size() - head);
      }
      case ';': return Tagged(tag, kTagMap);
      case '\'': return Tagged(tag, kTagSet);
    }
    return false;
  }

  bool Begin(uint8_t tag, uint32_t length, size_t head) {
    if (open_.size() >= options_.max_depth) return false;
    if (tag == 'o') out_.append(head, '\0');
    indexes_.push_back(next_++);
    open_.push_back({tag, false, out_.size() - head, 0, length, 0});
    return true;
  }

  bool Tagged(uint8_t tag, uint8_t kind) {
    size_t head = out_.size();
    out_.push_back('\0');
    AppendExtHead(kExtTag, 1, &out_);
    out_.push_back(static_cast<char>(kind));
    return Begin(tag, 0, out_.size() - head);
  }

  bool Done() {
    open_.pop_back();
    return true;
  }

  // Writes the head of a container whose count comes last in V8's form. The small ones, nearly all, have their byte.
  bool Close(uint8_t fix, uint32_t count) {
    size_t head = open_.back().head;
    std::string bytes;
    fix == 0x80 ? AppendMapHead(count, &bytes) : AppendArrayHead(count, &bytes);
    out_[head] = bytes[0];
    if (bytes.size() > 1) out_.insert(head + 1, bytes, 1);
    return Done();
  }

  bool Key(uint8_t tag) {
    if (tag == '"' || tag == 'c') return Text(tag);
    if (tag != 'I' && tag != 'N') return false;
    std::string text = std::to_string(tag == 'I' ? ZigZag() : static_cast<int64_t>(Double()));
    AppendLatin1(text, &out_);
    return true;
  }

  // The index of the next element in V8's sparse form, which all arrays have that once had a hole.
  bool Index(uint8_t tag) {
    if (tag != 'I' && tag != 'N') return false;
    double index = tag == 'I' ? ZigZag() : Double();
    if (index < open_.back().count || index >= open_.back().length || !Holes(static_cast<uint32_t>(index))) return false;
    open_.back().count++;
    open_.back().value = true;
    return true;
  }

  // Writes holes up to an index, unless they are so many that the array is sparse.
  bool Holes(uint32_t index) {
    uint32_t count = open_.back().count;
    if (index - count > 32 + (count - holes_)) return false;
    for (; count < index; count++, holes_++) AppendExtHead(kExtHole, 0, &out_);
    open_.back().count = count;
    return true;
  }

  uint32_t Varint() {
    uint32_t n = 0;
    for (int shift = 0; at_ != end_; shift += 7) {
      uint8_t b = *at_++;
      if (shift < 32) n |= static_cast<uint32_t>(b & 0x7f) << shift;
      if (b < 0x80) break;
    }
    return n;
  }

  int32_t ZigZag() {
    uint32_t n = Varint();
    return static_cast<int32_t>((n >> 1) ^ (0 - (n & 1)));
  }

  double Double() {
    double n = 0;
    if (const uint8_t* bytes = Take(8)) memcpy(&n, bytes, 8);
    return n;
  }

  const uint8_t* Take(size_t n) {
    if (n > static_cast<size_t>(end_ - at_)) {
      at_ = end_;
      return nullptr;
    }
    at_ += n;
    return at_ - n;
  }

  bool Text(uint8_t tag) {
    size_t n = Varint();
    const uint8_t* bytes = Take(n);
    if (bytes == nullptr) return false;
    if (tag == '"') AppendLatin1({reinterpret_cast<const char*>(bytes), n}, &out_);
    else AppendUtf16({reinterpret_cast<const char16_t*>(bytes), n / 2}, &out_);
    return true;
  }

  bool BigInt() {
    uint32_t bits = Varint();
    size_t n = bits >> 1;
    const uint8_t* digits = Take(n);
    if (digits == nullptr) return false;
    AppendBigInt(bits & 1, digits, n, &out_);
    return true;
  }

  bool Date() {
    indexes_.push_back(next_++);
    AppendDate(Double(), &out_);
    return true;
  }

  bool Reference() {
    uint32_t id = Varint();
    if (id >= indexes_.size()) return false;
    AppendExtHead(kExtRef, 4, &out_);
    AppendBigEndian(indexes_[id], 4, &out_);
    return true;
  }

  bool View() {
    uint32_t i = Varint();
    if (i >= views_.size()) return false;
    const ViewBytes& view = views_[i];
    if (view.size > UINT32_MAX || view.size > options_.max_bytes) return false;
    indexes_.push_back(next_++);
    AppendViewTag(view.name, &out_);
    out_.reserve(out_.size() + view.size + 16);
    AppendBinHead(view.size, &out_);
    out_.append(static_cast<const char*>(view.store->Data()) + view.offset, view.size);
    return true;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  const std::vector<ViewBytes>& views_;
  const EncodeOptions& options_;
  std::string& out_;
  size_t start_;
  std::vector<Open> open_;
  std::vector<uint32_t> indexes_;  // of V8's object ids
  uint32_t next_ = 0, holes_ = 0;
};

#endif

}  // namespace

Plain EncodePlain(CodecState* state, v8::Local<v8::Context> context, v8::Local<v8::Value> value, const EncodeOptions& options,
                  std::string* out) {
#if V8_MAJOR_VERSION >= 13
  if (!value->IsObject() || value->IsArrayBufferView() || value->IsArrayBuffer() || value->IsNativeError()) return Plain::kNotPlain;
  v8::TryCatch caught(state->isolate);
  PlainDelegate delegate(state, context, options.max_bytes);
  v8::ValueSerializer serializer(state->isolate, &delegate);
  delegate.serializer = &serializer;
  serializer.SetTreatArrayBufferViewsAsHostObjects(true);
  v8::Isolate::DisallowJavascriptExecutionScope no_guest(state->isolate, v8::Isolate::DisallowJavascriptExecutionScope::THROW_ON_FAILURE);
  state->no_guest = true;
  bool ok = serializer.WriteValue(context, value).FromMaybe(false);
  state->no_guest = false;
  if (caught.HasTerminated()) {
    caught.ReThrow();
    return Plain::kTerminated;
  }
  if (!ok) return Plain::kNotPlain;
  auto [data, size] = serializer.Release();
  out->reserve(out->size() + size);
  ok = Rewriter(data, size, delegate.views, options, out).Run();
  free(data);
  return ok ? Plain::kDone : Plain::kNotPlain;
#else
  return Plain::kNotPlain;
#endif
}

}  // namespace rv8
