//go:build ignore

// WebAssembly's promises: the engine rejects them in tasks of its own, which know nothing of the caller, so a call is noted when
// it is made.
#include "state.h"

namespace rv8 {
namespace {

constexpr size_t kBuilds = 128;  // calls under way whose place is noted
constexpr int kBuildFrames = 16;

// Stands for WebAssembly.compile or instantiate, which is its data.
void Build(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  std::vector<Local<Value>> arguments;
  for (int i = 0; i < info.Length(); i++) arguments.push_back(info[i]);
  Local<Value> answer;
  if (!info.Data().As<Function>()->Call(realm->context_local(), info.This(), info.Length(), arguments.data()).ToLocal(&answer)) return;
  info.GetReturnValue().Set(answer);
  if (!answer->IsPromise() || answer.As<v8::Promise>()->State() != v8::Promise::kPending || realm->builds.size() >= kBuilds) return;
  realm->builds.push_back({Global<v8::Promise>(isolate, answer.As<v8::Promise>()),
                           Global<v8::StackTrace>(isolate, v8::StackTrace::CurrentStackTrace(isolate, kBuildFrames))});
}

void Settle(Isolate* isolate, Local<Context> context, Local<v8::Promise::Resolver> resolver, Local<Value> result, v8::WasmAsyncSuccess success) {
  Realm* realm = Of(isolate);
  Local<v8::Promise> promise = resolver->GetPromise();
  for (size_t i = 0; i < realm->builds.size(); i++) {
    if (realm->builds[i].promise != promise) continue;
    if (success != v8::WasmAsyncSuccess::kSuccess && result->IsNativeError()) {
      NoteSite(realm, result.As<Object>(), realm->builds[i].site.Get(isolate));
    }
    realm->builds.erase(realm->builds.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  if (success == v8::WasmAsyncSuccess::kSuccess) {
    (void)resolver->Resolve(context, result);
  } else {
    (void)resolver->Reject(context, result);
  }
}

}  // namespace

void WatchBuilds(Realm* realm) {
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  TryCatch ignored(isolate);
  Local<Value> wasm, original;
  if (!GetOwn(realm, context->Global(), "WebAssembly").ToLocal(&wasm) || !wasm->IsObject()) return;
  isolate->SetWasmAsyncResolvePromiseCallback(Settle);
  for (std::string_view name : {"compile", "instantiate"}) {
    Local<Function> function;
    if (!GetOwn(realm, wasm.As<Object>(), name).ToLocal(&original) || !original->IsFunction() ||
        !Function::New(context, Build, original, 1, v8::ConstructorBehavior::kThrow).ToLocal(&function)) {
      continue;
    }
    function->SetName(Ascii(isolate, name));
    (void)wasm.As<Object>()->DefineOwnProperty(context, Ascii(isolate, name), function);
  }
}

}  // namespace rv8
