//go:build ignore

// structuredClone through V8's own serializer.
#include "state.h"

#include <cstdlib>

namespace rv8 {
namespace {

// The buffers whose memory the copy shares with the original.
class Shared : public v8::ValueDeserializer::Delegate {
 public:
  MaybeLocal<v8::SharedArrayBuffer> GetSharedArrayBufferFromId(Isolate* isolate, uint32_t id) override {
    return v8::SharedArrayBuffer::New(isolate, stores[id]);
  }

  std::vector<std::shared_ptr<v8::BackingStore>> stores;
};

class Delegate : public v8::ValueSerializer::Delegate {
 public:
  Delegate(Realm* realm, Local<Value> fail) : realm_(realm), fail_(fail) {}

  void ThrowDataCloneError(Local<String> message) override {
    Local<Value> argument = message, error;
    if (fail_->IsFunction() &&
        fail_.As<Function>()->Call(realm_->context_local(), v8::Undefined(realm_->isolate), 1, &argument).ToLocal(&error)) {
      realm_->isolate->ThrowException(error);
    }
  }

  v8::Maybe<uint32_t> GetSharedArrayBufferId(Isolate*, Local<v8::SharedArrayBuffer> buffer) override {
    shared.stores.push_back(buffer->GetBackingStore());
    return v8::Just(static_cast<uint32_t>(shared.stores.size() - 1));
  }

  Shared shared;

 private:
  Realm* realm_;
  Local<Value> fail_;
};

void StructuredClone(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  Local<Context> context = realm->context_local();
  Delegate delegate(realm, info[2]);
  v8::ValueSerializer serializer(isolate, &delegate);
  std::vector<Local<v8::ArrayBuffer>> buffers;
  if (info[1]->IsArray()) {
    Local<v8::Array> transfer = info[1].As<v8::Array>();
    for (uint32_t i = 0; i < transfer->Length(); i++) {
      Local<Value> item;
      if (!transfer->Get(context, i).ToLocal(&item)) return;
      if (!item->IsArrayBuffer() || item.As<v8::ArrayBuffer>()->WasDetached() || !item.As<v8::ArrayBuffer>()->IsDetachable()) {
        delegate.ThrowDataCloneError(Text(isolate, "Value at index " + std::to_string(i) + " cannot be transferred."));
        return;
      }
      serializer.TransferArrayBuffer(i, item.As<v8::ArrayBuffer>());
      buffers.push_back(item.As<v8::ArrayBuffer>());
    }
  }
  serializer.WriteHeader();
  if (!serializer.WriteValue(context, info[0]).FromMaybe(false)) return;
  std::pair<uint8_t*, size_t> data = serializer.Release();
  v8::ValueDeserializer deserializer(isolate, data.first, data.second, &delegate.shared);
  for (size_t i = 0; i < buffers.size(); i++) {
    auto store = buffers[i]->GetBackingStore();
    (void)buffers[i]->Detach(Local<Value>());
    deserializer.TransferArrayBuffer(static_cast<uint32_t>(i), v8::ArrayBuffer::New(isolate, store));
  }
  Local<Value> copy;
  if (deserializer.ReadHeader(context).FromMaybe(false) && deserializer.ReadValue(context).ToLocal(&copy)) info.GetReturnValue().Set(copy);
  free(data.first);
}

}  // namespace

void InstallClone(Realm* realm, Local<Object> native) { Method(realm, native, "structuredClone", StructuredClone); }

}  // namespace rv8
