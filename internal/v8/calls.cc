//go:build ignore

// Capability calls: arguments become the fields of one message, the promise settles when the supervisor answers.
#include "state.h"

#include <cmath>

#include "_cgo_export.h"
#include "fields.h"
#include "values.h"

namespace rv8 {
namespace {

// Puts what the guest learns of a failed operation on error, and privately what the realm reports of it.
void Describe(Realm* realm, Local<Object> error, const rv8_bytes fields[6]) {
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  auto text = [&](int i) { return Text(isolate, {fields[i].data, fields[i].size}); };
  std::string kind(fields[0].data, fields[0].size);
  Local<Object> classes;
  Local<Value> prototype;
  TryCatch ignored(isolate);
  if (Part(realm, "errors").ToLocal(&classes) && GetOwn(realm, classes, kind).ToLocal(&prototype) && prototype->IsObject()) {
    (void)error->SetPrototype(context, prototype);
  }
  (void)error->DefineOwnProperty(context, Ascii(isolate, "message"), text(2), v8::DontEnum);
  auto own = [&](std::string_view name, int i) {
    if (fields[i].size > 0) (void)error->CreateDataProperty(context, Ascii(isolate, name), text(i));
  };
  own("code", 1);
  own("capability", 3);
  own("target", 4);
  own("hint", 5);
  Local<Value> mark[5] = {text(0), text(3), text(4), text(5), text(1)};
  (void)error->SetPrivate(context, realm->mark.Get(isolate), v8::Array::New(isolate, mark, 5));
}

void Issue(Realm* realm, int op, const std::string& body, std::string what, v8::ReturnValue<Value> result) {
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(context).ToLocal(&resolver)) return;
  uint64_t id = realm->next_call++;
  Call& call = realm->calls[id];
  call.resolver.Reset(isolate, resolver);
  call.error.Reset(isolate, v8::Exception::Error(String::Empty(isolate)).As<Object>());
  call.what = std::move(what);
  result.Set(resolver->GetPromise());
  rv8Call(realm->host, static_cast<uint8_t>(op), id, const_cast<char*>(body.data()), body.size());
}

// call(op, what, signature, …fields)
void CallCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  if (info.Length() < 3 || !info[0]->IsInt32() || !info[1]->IsString() || !info[2]->IsString()) return;
  std::string body;
  if (!EncodeFields(realm, Utf8(isolate, info[2]), info, 3, &body)) return;
  Issue(realm, info[0].As<v8::Int32>()->Value(), body, Utf8(isolate, info[1]), info.GetReturnValue());
}

// status(stage, message)
void StatusCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Realm* realm = Of(info.GetIsolate());
  std::string stage = Utf8(info.GetIsolate(), info[0]), message = Utf8(info.GetIsolate(), info[1]);
  rv8Status(realm->host, stage.data(), stage.size(), message.data(), message.size());
}

// denied(capability, target, message, hint) → an error as the supervisor's own refusals give.
void DeniedCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  std::string text[4];
  for (int i = 0; i < 4; i++) text[i] = Utf8(isolate, info[i]);
  auto bytes = [](const std::string& s) { return rv8_bytes{s.data(), s.size()}; };
  const rv8_bytes fields[6] = {{"denied", 6}, {"", 0}, bytes(text[2]), bytes(text[0]), bytes(text[1]), bytes(text[3])};
  Local<Object> error = v8::Exception::Error(String::Empty(isolate)).As<Object>();
  Describe(realm, error, fields);
  info.GetReturnValue().Set(error);
}

bool Take(Realm* realm, uint64_t id, Call* call) {
  auto found = realm->calls.find(id);
  if (found == realm->calls.end()) return false;
  *call = std::move(found->second);
  realm->calls.erase(found);
  return true;
}

}  // namespace

void ToolCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  std::string body;
  if (!EncodeToolRequest(realm, info.Data(), info[0], &body)) return;
  Issue(realm, kToolRequest, body, "tool " + Utf8(isolate, info.Data()), info.GetReturnValue());
}

void InstallCalls(Realm* realm, Local<Object> native) {
  Method(realm, native, "call", CallCallback);
  Method(realm, native, "status", StatusCallback);
  Method(realm, native, "denied", DeniedCallback);
}

}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

int rv8_resolve(rv8_realm* r, uint64_t id, const uint8_t* value, size_t size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  rv8::Call call;
  if (!rv8::Take(realm, id, &call)) return RV8_THREW;
  v8::TryCatch caught(realm->isolate);
  v8::Local<v8::Value> decoded;
  if (!rv8::Decode(realm, value, size).ToLocal(&decoded)) return rv8::Caught(realm, caught, false);
  (void)call.resolver.Get(realm->isolate)->Resolve(realm->context_local(), decoded);
  return RV8_OK;
}

// text holds, one after the other: kind, code, message, capability, target, hint.
int rv8_reject(rv8_realm* r, uint64_t id, const char* text, const size_t lengths[6]) {
  Realm* realm = static_cast<Realm*>(r);
  rv8_bytes fields[6];
  for (int i = 0; i < 6; text += lengths[i++]) fields[i] = {text, lengths[i]};
  Scope scope(realm);
  rv8::Call call;
  if (!rv8::Take(realm, id, &call)) return RV8_THREW;
  v8::Local<v8::Object> error = call.error.Get(realm->isolate);
  rv8::Describe(realm, error, fields);
  (void)call.resolver.Get(realm->isolate)->Reject(realm->context_local(), error);
  return RV8_OK;
}

int rv8_pending(rv8_realm* r) { return static_cast<int>(static_cast<Realm*>(r)->calls.size()); }

void rv8_pending_at(rv8_realm* r, int index, rv8_bytes* out) {
  Realm* realm = static_cast<Realm*>(r);
  auto at = realm->calls.begin();
  std::advance(at, index);
  *out = {at->second.what.data(), at->second.what.size()};
}

// After an abort: rejects what is pending and lets the guest's handlers run.
void rv8_wind_up(rv8_realm* r, const char* message, size_t size) {
  Realm* realm = static_cast<Realm*>(r);
  realm->winding_up = true;
  std::string text = "aborted" + std::string(message, size);
  const size_t lengths[6] = {7, 0, size, 0, 0, 0};
  while (!realm->calls.empty()) rv8_reject(r, realm->calls.begin()->first, text.data(), lengths);
  Scope scope(realm);
  v8::TryCatch ignored(realm->isolate);
  realm->isolate->PerformMicrotaskCheckpoint();
}

}  // extern "C"
