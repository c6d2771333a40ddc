//go:build ignore

// V8 → wire. The walk keeps its own stack, so that depth costs no native stack, and getters always run near the bottom of it.
#include <algorithm>

#include "codec_state.h"

namespace rv8 {
namespace {

using v8::Local;
using v8::Object;
using v8::Value;

class Encoder {
 public:
  Encoder(CodecState* state, Local<v8::Context> context, const EncodeOptions& options, std::string* out, EncodeError* error)
      : state_(state), isolate_(state->isolate), context_(context), options_(options), out_(*out), start_(out->size()), error_(error) {}

  bool Run(Local<Value> value) {
    if (!Visit(value, true)) return false;
    while (!frames_.empty()) {
      if (!Step()) return false;
    }
    return Fits(0);
  }

 private:
  // A name to visit in an object: known, or any other.
  struct Key {
    int known;
    Local<Value> other;
  };

  // A container whose head is written and whose parts are not all.
  struct Frame {
    enum Kind { kObject, kArray, kSparse, kMap, kSet, kError };
    Kind kind;
    Local<Object> object;
    uint32_t at, end;
    size_t keys;  // kObject, kSparse: where its names begin; kError: its two parts
  };

  // One part of the innermost container, or many that are simple.
  bool Step() {
    size_t depth = frames_.size();
    do {
      Frame& frame = frames_.back();
      if (frame.at == frame.end) return Leave();
      if (!Fits(0)) return false;
      bool done = false;
      switch (frame.kind) {
        case Frame::kObject: done = Property(frame); break;
        case Frame::kSparse: done = SparseElement(frame); break;
        case Frame::kError: done = ErrorPart(frame); break;
        default: done = Element(frame);
      }
      if (!done) return false;
    } while (frames_.size() == depth);
    return true;
  }

  bool Leave() {
    Frame& frame = frames_.back();
    if (frame.kind == Frame::kObject || frame.kind == Frame::kSparse || frame.kind == Frame::kError) keys_.resize(frame.keys);
    frames_.pop_back();
    return true;
  }

  bool Enter(Frame frame) {
    if (frames_.size() >= options_.max_depth) return Fail(EncodeError::kTooDeep, "nested deeper than " + std::to_string(options_.max_depth));
    frames_.push_back(frame);
    return true;
  }

  bool Property(Frame& frame) {
    const Key key = keys_[frame.keys + frame.at++];
    Local<Value> name = key.other;
    if (key.known >= 0) {
      const KnownName& known = state_->names.at(key.known);
      out_.append(known.wire);
      name = Strong(known.name);
    } else {
      AppendString(isolate_, name.As<v8::String>(), &out_);
    }
    Local<Value> value;
    if (!frame.object->Get(context_, name).ToLocal(&value)) return Thrown();
    return Visit(value, true);
  }

  bool Element(Frame& frame) {
    if (frame.at == 0 && frame.kind == Frame::kArray && !Scalars()) return false;
    if (frame.at == frame.end) return true;
    uint32_t i = frame.at++;
    Local<Value> value;
    if (!read_.IsEmpty()) {
      value = read_.Get(isolate_);
      read_.Reset();
    } else if (!frame.object->Get(context_, i).ToLocal(&value)) {
      return Thrown();
    }
    if (value->IsUndefined() && frame.kind == Frame::kArray) {
      bool present = false;
      if (!frame.object->HasOwnProperty(context_, i).To(&present)) return Thrown();
      if (!present) return AppendExtHead(kExtHole, 0, &out_), true;
    }
    return Visit(value, true);
  }

  // Writes the numbers, booleans and nulls that an array begins with, without a call for each.
  bool Scalars() {
#if V8_MAJOR_VERSION >= 13
    if (frames_.back().end < 8) return true;
    auto callback = [](uint32_t i, Local<Value> value, void* data) {
      using Result = v8::Array::CallbackResult;
      Encoder* self = static_cast<Encoder*>(data);
      Frame& frame = self->frames_.back();
      if (i != frame.at || i == frame.end) return Result::kBreak;
      if (!self->Scalar(value)) {
        self->read_.Reset(self->isolate_, value);
        return Result::kBreak;
      }
      frame.at++;
      return (i & 1023) == 0 && !self->Fits(0) ? Result::kBreak : Result::kContinue;
    };
    if (frames_.back().object.As<v8::Array>()->Iterate(context_, callback, this).IsNothing()) return Thrown();
    return Fits(0);
#else
    return true;
#endif
  }

  bool SparseElement(Frame& frame) {
    Local<Value> index = keys_[frame.keys + frame.at++].other;
    AppendNumber(index.As<v8::Number>()->Value(), &out_);
    Local<Value> value;
    if (!frame.object->Get(context_, index).ToLocal(&value)) return Thrown();
    return Visit(value, true);
  }

  bool Scalar(Local<Value> value) {
    if (value->IsInt32()) {
      AppendInteger(value.As<v8::Int32>()->Value(), &out_);
    } else if (value->IsNumber()) {
      AppendNumber(value.As<v8::Number>()->Value(), &out_);
    } else if (value->IsNull()) {
      out_.push_back('\xc0');
    } else if (value->IsBoolean()) {
      out_.push_back(value->IsTrue() ? '\xc3' : '\xc2');
    } else {
      return false;
    }
    return true;
  }

  bool Visit(Local<Value> value, bool to_json) {
    if (value->IsString()) {
      Local<v8::String> text = value.As<v8::String>();
      if (!Fits(static_cast<size_t>(text->Length()))) return false;
      AppendString(isolate_, text, &out_);
      return true;
    }
    if (Scalar(value)) return true;
    if (value->IsUndefined()) return AppendExtHead(kExtUndefined, 0, &out_), true;
    if (value->IsObject()) return VisitObject(value.As<Object>(), to_json);
    if (value->IsBigInt()) return BigInt(value.As<v8::BigInt>());
    return Unsupported("a symbol");
  }

  bool VisitObject(Local<Object> object, bool to_json) {
    if (object->IsArray()) return Repeated(object) || (Go() && Array(object.As<v8::Array>()));
    if (object->IsProxy()) return Unsupported("a Proxy");
    if (object->IsFunction()) return Unsupported("a function");
    if (object->IsArrayBufferView()) return Repeated(object) || (Go() && View(object.As<v8::ArrayBufferView>()));
    if (object->IsNativeError()) return Repeated(object) || (Go() && Error(object));
    if (object->IsDate()) return Repeated(object) || (Go() && Date(object.As<v8::Date>()));
    if (object->IsMap()) return Repeated(object) || (Go() && Entries(object.As<v8::Map>()));
    if (object->IsSet()) return Repeated(object) || (Go() && Members(object.As<v8::Set>()));
    if (object->IsRegExp()) return Repeated(object) || (Go() && RegExp(object.As<v8::RegExp>()));
    if (object->IsArrayBuffer() || object->IsSharedArrayBuffer()) return Repeated(object) || (Go() && Buffer(object));
    if (object->IsNumberObject()) return Scalar(v8::Number::New(isolate_, object.As<v8::NumberObject>()->ValueOf()));
    if (object->IsStringObject()) return Visit(object.As<v8::StringObject>()->ValueOf(), false);
    if (object->IsBooleanObject()) return Scalar(v8::Boolean::New(isolate_, object.As<v8::BooleanObject>()->ValueOf()));
    if (object->IsBigIntObject()) return BigInt(object.As<v8::BigIntObject>()->ValueOf());
    if (object->IsSymbolObject()) return Unsupported("a symbol");
    if (object->IsPromise()) return Unsupported("a Promise (is an await missing?)");
    if (object->IsWeakMap()) return Unsupported("a WeakMap");
    if (object->IsWeakSet()) return Unsupported("a WeakSet");
    if (object->IsWeakRef()) return Unsupported("a WeakRef");
    if (object->IsGeneratorObject()) return Unsupported("a generator (spread it into an array)");
    if (object->IsMapIterator() || object->IsSetIterator()) return Unsupported("an iterator (spread it into an array)");
    if (object->IsExternal() || object->IsWasmModuleObject() || object->IsWasmMemoryObject()) return Unsupported("an object of the engine");
    if (to_json) {
      Local<Value> convert;
      if (!object->Get(context_, Strong(state_->to_json)).ToLocal(&convert)) return Thrown();
      if (convert->IsFunction()) {
        Local<Value> key = CurrentKey(), result;
        if (!convert.As<v8::Function>()->Call(context_, object, 1, &key).ToLocal(&result)) return Thrown();
        return Visit(result, false);
      }
    }
    return Repeated(object) || (Go() && Plain(object));
  }

  // Writes a reference to an object that has been written. Otherwise the object takes the next index; or the walk has failed.
  bool Repeated(Local<Object> object) {
    if (objects_.size() >= table_.size() / 2) Grow();
    size_t mask = table_.size() - 1;
    size_t slot = Slot(object);
    for (size_t i = slot & mask;; i = (i + 1) & mask) {
      if (table_[i] == 0) {
        objects_.push_back(object);
        slots_.push_back(static_cast<uint32_t>(slot));
        table_[i] = static_cast<uint32_t>(objects_.size());
        return false;
      }
      if (objects_[table_[i] - 1] == object) {
        AppendExtHead(kExtRef, 4, &out_);
        AppendBigEndian(table_[i] - 1, 4, &out_);
        return true;
      }
    }
  }

  bool Go() const { return error_->kind == EncodeError::kNone; }

  // Identity hashes have about 20 bits: spread them over 32.
  static size_t Slot(Local<Object> object) { return static_cast<uint32_t>(object->GetIdentityHash()) * size_t{0x9e3779b97f4a7c15} >> 32; }

  void Grow() {
    table_.assign(std::max<size_t>(64, table_.size() * 2), 0);
    size_t mask = table_.size() - 1;
    for (size_t n = 0; n < objects_.size(); n++) {
      size_t i = slots_[n] & mask;
      while (table_[i] != 0) i = (i + 1) & mask;
      table_[i] = static_cast<uint32_t>(n + 1);
    }
  }

  bool Plain(Local<Object> object) {
    size_t begin = keys_.size();
    if (!Names(object)) return false;
    uint32_t count = static_cast<uint32_t>(keys_.size() - begin);
    if (count == 0 && IsIterator(object)) return Unsupported("an iterator (spread it into an array)");
    AppendMapHead(count, &out_);
    return Enter({Frame::kObject, object, 0, count, begin});
  }

  bool IsIterator(Local<Object> object) {
    Local<Value> parent = Parent(object);
    return parent->IsObject() && state_->iterator_prototype == Parent(parent.As<Object>());
  }

  // Pushes the own enumerable string keys.
  bool Names(Local<Object> object) {
#if V8_MAJOR_VERSION >= 13
    size_t begin = keys_.size();
    {
      v8::HandleScope handles(isolate_);
      Local<v8::Array> names;
      if (!OwnNames(object, &names)) return false;
      auto callback = [](uint32_t, Local<Value> name, void* data) {
        Encoder* self = static_cast<Encoder*>(data);
        int known = self->state_->names.Find(name.As<v8::Name>());
        if (known < 0) return v8::Array::CallbackResult::kBreak;
        self->keys_.push_back({known, {}});
        return v8::Array::CallbackResult::kContinue;
      };
      if (names->Iterate(context_, callback, this).IsNothing()) return Thrown();
      if (keys_.size() - begin == names->Length()) return true;
    }
    keys_.resize(begin);
#endif
    Local<v8::Array> names;
    if (!OwnNames(object, &names)) return false;
    for (uint32_t i = 0; i < names->Length(); i++) {
      Local<Value> name;
      if (!names->Get(context_, i).ToLocal(&name)) return Thrown();
      int known = state_->names.Learn(isolate_, name.As<v8::String>());
      keys_.push_back({known, known < 0 ? name : Local<Value>()});
    }
    return true;
  }

  bool OwnNames(Local<Object> object, Local<v8::Array>* names) {
    Local<Value> argument = object, result;
    v8::MaybeLocal<Value> made = Strong(state_->object_keys)->Call(context_, v8::Undefined(isolate_), 1, &argument);
    if (!made.ToLocal(&result)) return Thrown();
    *names = result.As<v8::Array>();
    return true;
  }

  bool Array(Local<v8::Array> array) {
    uint32_t n = array->Length();
    bool sparse = false;
    if (!IsSparse(array, n, &sparse)) return false;
    if (sparse) return Sparse(array, n);
    AppendArrayHead(n, &out_);
    return Enter({Frame::kArray, array, 0, n, 0});
  }

  // A look at a few elements tells whether counting is worth it.
  bool IsSparse(Local<v8::Array> array, uint32_t n, bool* sparse) {
    constexpr uint32_t kLooks = 8;
    if (n < 64) return true;
    for (uint32_t i = 0; i < kLooks && !*sparse; i++) {
      bool present = false;
      if (!array->HasOwnProperty(context_, static_cast<uint32_t>(uint64_t{n} * i / kLooks)).To(&present)) return Thrown();
      *sparse = !present;
    }
    if (!*sparse) return true;
    size_t begin = keys_.size();
    if (!Indexes(array)) return false;
    *sparse = (keys_.size() - begin) * 2 < n;
    keys_.resize(begin);
    return true;
  }

  bool Indexes(Local<v8::Array> array) {
    Local<v8::Array> names;
    auto filter = static_cast<v8::PropertyFilter>(v8::ONLY_ENUMERABLE | v8::SKIP_SYMBOLS);
    if (!array->GetOwnPropertyNames(context_, filter, v8::KeyConversionMode::kKeepNumbers).ToLocal(&names)) return Thrown();
    for (uint32_t i = 0; i < names->Length(); i++) {
      Local<Value> name;
      if (!names->Get(context_, i).ToLocal(&name)) return Thrown();
      if (!name->IsNumber()) break;  // names follow the indexes
      keys_.push_back({-1, name});
    }
    return true;
  }

  bool Sparse(Local<v8::Array> array, uint32_t n) {
    size_t begin = keys_.size();
    if (!Indexes(array)) return false;
    uint32_t count = static_cast<uint32_t>(keys_.size() - begin);
    AppendTag(kTagSparse, 1 + 2 * size_t{count}, &out_);
    AppendInteger(n, &out_);
    return Enter({Frame::kSparse, array, 0, count, begin});
  }

  bool Entries(Local<v8::Map> map) {
    Local<v8::Array> entries = map->AsArray();
    AppendTag(kTagMap, entries->Length(), &out_);
    return Enter({Frame::kMap, entries, 0, entries->Length(), 0});
  }

  bool Members(Local<v8::Set> set) {
    Local<v8::Array> members = set->AsArray();
    AppendTag(kTagSet, members->Length(), &out_);
    return Enter({Frame::kSet, members, 0, members->Length(), 0});
  }

  bool Date(Local<v8::Date> date) {
    AppendDate(date->ValueOf(), &out_);
    return true;
  }

  bool RegExp(Local<v8::RegExp> expression) {
    if (!Fits(static_cast<size_t>(expression->GetSource()->Length()))) return false;
    AppendRegExp(isolate_, expression, &out_);
    return true;
  }

  bool BigInt(Local<v8::BigInt> n) {
    if (!Fits(static_cast<size_t>(n->WordCount()) * 8)) return false;
    AppendBigInt(n, &out_);
    return true;
  }

  bool Buffer(Local<Object> object) {
    std::shared_ptr<v8::BackingStore> store;
    if (object->IsSharedArrayBuffer()) {
      store = object.As<v8::SharedArrayBuffer>()->GetBackingStore();
    } else {
      if (object.As<v8::ArrayBuffer>()->WasDetached()) return Unsupported("a detached ArrayBuffer");
      store = object.As<v8::ArrayBuffer>()->GetBackingStore();
    }
    if (!Fits(store->ByteLength())) return false;
    AppendTag(kTagArrayBuffer, 1, &out_);
    return Bytes(store->Data(), store->ByteLength());
  }

  bool Bytes(const void* data, size_t n) {
    if (n > UINT32_MAX) return Fail(EncodeError::kTooLarge, "larger than 4 GiB");
    out_.reserve(out_.size() + n + 16);
    AppendBinHead(n, &out_);
    out_.append(static_cast<const char*>(data), n);
    return true;
  }

  bool View(Local<v8::ArrayBufferView> view) {
    size_t n = view->ByteLength();
    if (!Fits(n)) return false;
    AppendViewTag(ViewName(view), &out_);
    if (!view->HasBuffer()) {  // small ones live in the heap
      char small[256];
      if (n > sizeof small) return Bytes(view->Buffer()->Data(), n);
      view->CopyContents(small, n);
      return Bytes(small, n);
    }
    Local<v8::ArrayBuffer> buffer = view->Buffer();
    Local<Value> shared = buffer;
    if (shared->IsSharedArrayBuffer()) return Bytes(At(shared.As<v8::SharedArrayBuffer>()->GetBackingStore()->Data(), view), n);
    if (buffer->WasDetached()) return Unsupported("a view of a detached ArrayBuffer");
    return Bytes(At(buffer->GetBackingStore()->Data(), view), n);
  }

  static const void* At(void* data, Local<v8::ArrayBufferView> view) { return static_cast<const char*>(data) + view->ByteOffset(); }

  // Head and strings; ErrorPart goes on with cause, errors and fields.
  bool Error(Local<Object> error) {
    AppendTag(kTagError, 6, &out_);
    if (!ErrorText(error, state_->name, false) || !ErrorText(error, state_->message, false) || !ErrorText(error, state_->stack, true)) return false;
    Local<Value> cause, errors;
    if (!Own(error, state_->cause, &cause) || !Own(error, state_->errors, &errors)) return false;
    size_t begin = keys_.size();
    keys_.push_back({-1, cause});
    keys_.push_back({-1, errors});
    return Enter({Frame::kError, error, 0, 3, begin});
  }

  bool ErrorText(Local<Object> error, const v8::Global<v8::String>& name, bool own) {
    Local<Value> value;
    if (own ? !Own(error, name, &value) : !error->Get(context_, Strong(name)).ToLocal(&value)) return Go() && Thrown();
    Local<v8::String> text = v8::String::Empty(isolate_);
    // Primitives turn into text without guest code.
    if (!value.IsEmpty() && !value->IsUndefined() && !value->IsObject() && !value->IsSymbol() && !value->ToString(context_).ToLocal(&text)) return Thrown();
    if (!Fits(static_cast<size_t>(text->Length()))) return false;
    AppendText(isolate_, text, &out_);
    return true;
  }

  // The own property, or empty.
  bool Own(Local<Object> object, const v8::Global<v8::String>& name, Local<Value>* value) {
    bool present = false;
    if (!object->HasOwnProperty(context_, Strong(name)).To(&present)) return Thrown();
    if (present && !object->Get(context_, Strong(name)).ToLocal(value)) return Thrown();
    return true;
  }

  bool ErrorPart(Frame& frame) {
    uint32_t part = frame.at++;
    if (part < 2) {
      Local<Value> value = keys_[frame.keys + part].other;
      if (value.IsEmpty()) return AppendExtHead(kExtHole, 0, &out_), true;
      return Visit(value, true);
    }
    Local<Object> error = frame.object;
    bool errors = !keys_[frame.keys + 1].other.IsEmpty();
    size_t begin = keys_.size();
    if (!Names(error)) return false;
    auto written = [&](const Key& key) {
      Local<Value> name = key.known < 0 ? key.other : Strong(state_->names.at(key.known).name).As<Value>();
      return name == Strong(state_->name) || name == Strong(state_->message) || name == Strong(state_->stack) ||
             name == Strong(state_->cause) || (errors && name == Strong(state_->errors));
    };
    keys_.erase(std::remove_if(keys_.begin() + static_cast<ptrdiff_t>(begin), keys_.end(), written), keys_.end());
    uint32_t count = static_cast<uint32_t>(keys_.size() - begin);
    AppendMapHead(count, &out_);
    return Enter({Frame::kObject, error, 0, count, begin});
  }

  // Whether n more bytes stay within the limit.
  bool Fits(size_t n) {
    size_t used = out_.size() - start_;
    if (used <= options_.max_bytes && n <= options_.max_bytes - used) return true;
    return Fail(EncodeError::kTooLarge, "larger than " + std::to_string(options_.max_bytes) + " bytes");
  }

  bool Thrown() { return Fail(isolate_->IsExecutionTerminating() ? EncodeError::kTerminated : EncodeError::kThrown, {}); }
  bool Unsupported(const char* what) { return Fail(EncodeError::kUnsupported, std::string(what) + " cannot cross"); }

  bool Fail(EncodeError::Kind kind, std::string message) {
    if (!Go()) return false;
    error_->kind = kind;
    error_->message = std::move(message);
    error_->path = Path();
    return false;
  }

  // What JSON.stringify would pass to toJSON.
  Local<Value> CurrentKey() {
    if (frames_.empty()) return v8::String::Empty(isolate_);
    const Frame& frame = frames_.back();
    if (frame.kind == Frame::kObject) {
      const Key& key = keys_[frame.keys + frame.at - 1];
      return key.known < 0 ? key.other : Strong(state_->names.at(key.known).name).As<Value>();
    }
    return v8::String::NewFromUtf8(isolate_, std::to_string(frame.at - 1).c_str()).ToLocalChecked();
  }

  std::string Path();
  std::string Segment(const Frame& frame);

  CodecState* state_;
  v8::Isolate* isolate_;
  Local<v8::Context> context_;
  const EncodeOptions& options_;
  std::string& out_;
  size_t start_;
  EncodeError* error_;
  std::vector<Frame> frames_;
  v8::Global<Value> read_;  // the element that comes next, if Scalars has read it: a getter is not read twice
  std::vector<Key> keys_;
  std::vector<Local<Object>> objects_;
  std::vector<uint32_t> slots_;  // where each belongs in the table
  std::vector<uint32_t> table_;  // index + 1 of an object, by identity hash
};

std::string Encoder::Segment(const Frame& frame) {
  if (frame.at == 0) return {};
  uint32_t i = frame.at - 1;
  std::string index = "[" + std::to_string(i) + "]";
  switch (frame.kind) {
    case Frame::kArray: return index;
    case Frame::kSparse: return "[" + NameText(isolate_, keys_[frame.keys + i].other) + "]";
    case Frame::kSet: return ".values()" + index;
    case Frame::kError: return i == 0 ? ".cause" : i == 1 ? ".errors" : "";
    case Frame::kMap: {
      Local<Value> key;
      index = "[" + std::to_string(i / 2) + "]";
      if (i % 2 == 0) return ".keys()" + index;
      if (!frame.object->Get(context_, i - 1).ToLocal(&key) || !key->IsString()) return ".values()" + index;
      return ".get(" + QuotedName(NameText(isolate_, key)) + ")";
    }
    case Frame::kObject: break;
  }
  const Key& key = keys_[frame.keys + i];
  return PropertySegment(NameText(isolate_, key.known < 0 ? key.other : Strong(state_->names.at(key.known).name).As<Value>()));
}

// Paths of deep values are shortened in the middle.
std::string Encoder::Path() {
  constexpr size_t kHead = 100, kTail = 20;
  std::string path(options_.root);
  for (size_t i = 0; i < frames_.size(); i++) {
    if (i == kHead && frames_.size() > kHead + kTail) {
      path += "…";
      i = frames_.size() - kTail;
    }
    path += Segment(frames_[i]);
  }
  return path;
}

}  // namespace

bool EncodeValue(CodecState* state, Local<v8::Context> context, Local<Value> value, const EncodeOptions& options, std::string* out,
                 EncodeError* error) {
  return Encoder(state, context, options, out, error).Run(value);
}

}  // namespace rv8
