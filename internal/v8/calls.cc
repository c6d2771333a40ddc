//go:build ignore

// Capability calls: arguments become the fields of one message, the promise settles when the supervisor answers.
#include "calls.h"

#include "_cgo_export.h"
#include "fields.h"
#include "values.h"
#include "wire.h"

namespace rv8 {
namespace {

// How many frames are kept of where a call was made, a few of them the prelude's, and of how many calls: it costs as much as the rest
// of a call, and a program of thousands awaits them.
constexpr int kSiteFrames = 12;
constexpr uint64_t kSites = 128;

// A refusal travels inside the prelude as an array of its parts, until ErrorCallback makes an error of it there: in the
// microtask in which the caller's await ends, so that the stack leads to the await. It has the mark, which no array of the guest's
// has, and is frozen, since one who patches promises may see it.
Local<v8::Array> Refusal(Realm* realm, const std::string_view parts[kRefusalParts]) {
  Local<Value> texts[kRefusalParts];
  for (int i = 0; i < kRefusalParts; i++) texts[i] = Text(realm->isolate, parts[i]);
  Local<v8::Array> refusal = v8::Array::New(realm->isolate, texts, kRefusalParts);
  (void)refusal->SetPrivate(realm->context_local(), realm->mark.Get(realm->isolate), v8::True(realm->isolate));
  return refusal;
}

bool IsRefusal(Realm* realm, Local<Value> thrown) {
  return thrown->IsArray() && thrown.As<Object>()->HasPrivate(realm->context_local(), realm->mark.Get(realm->isolate)).FromMaybe(false);
}

// Puts what the guest learns of a refusal on an error, and privately what the realm reports of it.
Local<Value> ErrorOf(Realm* realm, Local<v8::Array> refusal) {
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  Local<Value> part[kRefusalParts];
  for (uint32_t i = 0; i < kRefusalParts; i++) {
    if (!refusal->Get(context, i).ToLocal(&part[i])) return refusal;
  }
  Local<Object> error = v8::Exception::Error(part[2].As<String>()).As<Object>();
  Local<Object> classes;
  Local<Value> prototype;
  if (Part(realm, "errors").ToLocal(&classes) && GetOwn(realm, classes, Utf8(isolate, part[0])).ToLocal(&prototype) && prototype->IsObject()) {
    (void)error->SetPrototype(context, prototype);
  }
  auto own = [&](std::string_view name, int i) {
    if (part[i].As<String>()->Length() > 0) (void)error->CreateDataProperty(context, Ascii(isolate, name), part[i]);
  };
  own("code", 1);
  own("capability", 3);
  own("target", 4);
  own("hint", 5);
  (void)error->SetPrivate(context, realm->mark.Get(isolate), refusal);
  return error;
}

// call(op, what, signature, …fields) → a promise that rejects with a refusal.
void CallCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  if (info.Length() < 3 || !info[0]->IsInt32() || !info[1]->IsString() || !info[2]->IsString()) return;
  std::string body;
  if (!EncodeFields(realm, Utf8(isolate, info[2]), info, 3, &body)) return;
  Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(realm->context_local()).ToLocal(&resolver)) return;
  uint64_t id = realm->next_call++;
  Call& call = realm->calls[id];
  call.resolver.Reset(isolate, resolver);
  call.what.Reset(isolate, info[1].As<String>());
  if (id < kSites) call.site.Reset(isolate, v8::StackTrace::CurrentStackTrace(isolate, kSiteFrames));
  info.GetReturnValue().Set(resolver->GetPromise());
  // When the supervisor is gone the loop notices.
  (void)Send(realm, static_cast<uint8_t>(info[0].As<v8::Int32>()->Value()), id, {body});
}

// error(thrown) → the error that a refusal stands for; anything else is answered as it is.
void ErrorCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Realm* realm = Of(info.GetIsolate());
  if (IsRefusal(realm, info[0])) {
    info.GetReturnValue().Set(ErrorOf(realm, info[0].As<v8::Array>()));
  } else {
    info.GetReturnValue().Set(info[0]);
  }
}

// status(stage, message)
void StatusCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Realm* realm = Of(info.GetIsolate());
  std::string stage = Utf8(info.GetIsolate(), info[0]), message = Utf8(info.GetIsolate(), info[1]);
  rv8Status(realm->host, stage.data(), stage.size(), message.data(), message.size());
}

bool Take(Realm* realm, uint64_t id, Call* call) {
  auto found = realm->calls.find(id);
  if (found == realm->calls.end()) return false;
  *call = std::move(found->second);
  realm->calls.erase(found);
  return true;
}

}  // namespace

void InstallCalls(Realm* realm, Local<Object> native) {
  Method(realm, native, "call", CallCallback);
  Method(realm, native, "error", ErrorCallback);
  Method(realm, native, "status", StatusCallback);
}

bool ResolveCall(Realm* realm, uint64_t id, const uint8_t* value, size_t size) {
  HandleScope handles(realm->isolate);
  Call call;
  if (!Take(realm, id, &call)) return false;
  TryCatch caught(realm->isolate);
  Local<Value> decoded;
  if (!Decode(realm, value, size).ToLocal(&decoded)) return realm->stopped.load() != RV8_RUNNING;
  (void)call.resolver.Get(realm->isolate)->Resolve(realm->context_local(), decoded);
  return true;
}

bool ResolveCall(Realm* realm, uint64_t id, Local<Value> value) {
  Call call;
  if (!Take(realm, id, &call)) return false;
  (void)call.resolver.Get(realm->isolate)->Resolve(realm->context_local(), value);
  return true;
}

bool RejectCall(Realm* realm, uint64_t id, const std::string_view parts[kRefusalParts]) {
  HandleScope handles(realm->isolate);
  Call call;
  if (!Take(realm, id, &call)) return false;
  Local<v8::Array> refusal = Refusal(realm, parts);
  if (!call.site.IsEmpty()) NoteSite(realm, refusal, call.site.Get(realm->isolate));
  (void)refusal->SetIntegrityLevel(realm->context_local(), v8::IntegrityLevel::kFrozen);
  (void)call.resolver.Get(realm->isolate)->Reject(realm->context_local(), refusal);
  return true;
}

}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

int rv8_pending(rv8_realm* r) { return static_cast<int>(static_cast<Realm*>(r)->calls.size()); }

void rv8_pending_at(rv8_realm* r, int index, rv8_bytes* out) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  auto at = realm->calls.begin();
  std::advance(at, index);
  *out = realm->Keep(rv8::Utf8(realm->isolate, at->second.what.Get(realm->isolate)));
}

// After an abort: rejects what is pending and lets the guest's handlers run.
void rv8_wind_up(rv8_realm* r, const char* message, size_t size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch ignored(realm->isolate);
  realm->winding_up = true;
  const std::string_view parts[rv8::kRefusalParts] = {"aborted", "", {message, size}, "", "", ""};
  while (!realm->calls.empty()) rv8::RejectCall(realm, realm->calls.begin()->first, parts);
  realm->isolate->PerformMicrotaskCheckpoint();
}

}  // extern "C"
