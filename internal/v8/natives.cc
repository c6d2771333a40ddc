//go:build ignore

// Functions of the native object that reach the host or look inside values.
#include "state.h"

#include <cerrno>
#include <cstdlib>
#include <sys/random.h>

#include "_cgo_export.h"

namespace rv8 {
namespace {

void PartCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Local<Object> part;
  if (Part(Of(info.GetIsolate()), Utf8(info.GetIsolate(), info[0])).ToLocal(&part)) info.GetReturnValue().Set(part);
}

void LogCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Realm* realm = Of(info.GetIsolate());
  std::string level = Utf8(info.GetIsolate(), info[0]), message = Utf8(info.GetIsolate(), info[1]);
  rv8Log(realm->host, level.data(), level.size(), message.data(), message.size());
}

void ReportCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Realm* realm = Of(info.GetIsolate());
  Fail(realm, info[0], v8::Exception::CreateMessage(info.GetIsolate(), info[0]));
  realm->fatal = true;
}

void RandomCallback(const v8::FunctionCallbackInfo<Value>& info) {
  if (!info[0]->IsArrayBufferView()) return;
  Local<v8::ArrayBufferView> view = info[0].As<v8::ArrayBufferView>();
  auto store = view->Buffer()->GetBackingStore();
  char* at = static_cast<char*>(store->Data()) + view->ByteOffset();
  for (size_t left = view->ByteLength(); left > 0;) {
    ssize_t n = getrandom(at, left, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) abort();  // weak randomness is worse than none
    at += n;
    left -= static_cast<size_t>(n);
  }
}

void PromiseStateCallback(const v8::FunctionCallbackInfo<Value>& info) {
  if (!info[0]->IsPromise()) return;
  Isolate* isolate = info.GetIsolate();
  Local<v8::Promise> promise = info[0].As<v8::Promise>();
  bool pending = promise->State() == v8::Promise::kPending;
  Local<Value> pair[2] = {v8::Integer::New(isolate, promise->State()), v8::Undefined(isolate)};
  if (!pending) pair[1] = promise->Result();
  info.GetReturnValue().Set(v8::Array::New(isolate, pair, 2));
}

void ProxyTargetCallback(const v8::FunctionCallbackInfo<Value>& info) {
  if (info[0]->IsProxy()) info.GetReturnValue().Set(info[0].As<v8::Proxy>()->GetTarget());
}

// Asks Go; the answer is a string, or none.
template <typename F>
void FromHost(const v8::FunctionCallbackInfo<Value>& info, F ask) {
  size_t size = 0;
  char* text = ask(&size);
  if (text == nullptr) return;
  info.GetReturnValue().Set(Text(info.GetIsolate(), {text, size}));
  free(text);
}

void UrlParseCallback(const v8::FunctionCallbackInfo<Value>& info) {
  std::string input = Utf8(info.GetIsolate(), info[0]), base = Utf8(info.GetIsolate(), info[1]);
  int has_base = info[1]->IsString();
  uintptr_t host = Of(info.GetIsolate())->host;
  FromHost(info, [&](size_t* size) { return rv8UrlParse(host, input.data(), input.size(), has_base, base.data(), base.size(), size); });
}

void UrlSetCallback(const v8::FunctionCallbackInfo<Value>& info) {
  uintptr_t host = Of(info.GetIsolate())->host;
  std::string text[3];
  for (int i = 0; i < 3; i++) text[i] = Utf8(info.GetIsolate(), info[i]);
  FromHost(info, [&](size_t* size) {
    return rv8UrlSet(host, text[0].data(), text[0].size(), text[1].data(), text[1].size(), text[2].data(), text[2].size(), size);
  });
}

}  // namespace

void InstallNatives(Realm* realm, Local<Object> native) {
  Method(realm, native, "part", PartCallback);
  Method(realm, native, "log", LogCallback);
  Method(realm, native, "reportError", ReportCallback);
  Method(realm, native, "randomFill", RandomCallback);
  Method(realm, native, "promiseState", PromiseStateCallback);
  Method(realm, native, "proxyTarget", ProxyTargetCallback);
  Method(realm, native, "urlParse", UrlParseCallback);
  Method(realm, native, "urlSet", UrlSetCallback);
}

}  // namespace rv8
