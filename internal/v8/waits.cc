//go:build ignore

// Atomics.waitAsync: its timeout is a task that the engine keeps to itself, so a wait is noted when it begins.
#include "state.h"

#include <cmath>

namespace rv8 {
namespace {

// How much later than asked the engine may wake a waiter.
constexpr double kGrace = 20;

void WaitAsync(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  std::vector<Local<Value>> arguments;
  for (int i = 0; i < info.Length(); i++) arguments.push_back(info[i]);
  double ms = INFINITY;  // an endless wait ends by a notification or not at all
  if (!info[3]->IsUndefined()) {
    if (!info[3]->NumberValue(realm->context_local()).To(&ms)) return;
    arguments[3] = v8::Number::New(isolate, ms);
  }
  Local<Value> answer;
  if (!realm->wait_async.Get(isolate)->Call(realm->context_local(), info.This(), info.Length(), arguments.data()).ToLocal(&answer)) return;
  info.GetReturnValue().Set(answer);
  if (std::isfinite(ms) && ms > 0) realm->waits_until = std::fmax(realm->waits_until, Now() + ms + kGrace);
}

}  // namespace

void WatchWaits(Realm* realm) {
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  TryCatch ignored(isolate);
  Local<Value> atomics, original;
  if (!GetOwn(realm, context->Global(), "Atomics").ToLocal(&atomics) || !atomics->IsObject() ||
      !GetOwn(realm, atomics.As<Object>(), "waitAsync").ToLocal(&original) || !original->IsFunction()) {
    return;
  }
  realm->wait_async.Reset(isolate, original.As<Function>());
  Local<Function> function;
  if (!Function::New(context, WaitAsync, Local<Value>(), 4, v8::ConstructorBehavior::kThrow).ToLocal(&function)) return;
  function->SetName(Ascii(isolate, "waitAsync"));
  (void)atomics.As<Object>()->DefineOwnProperty(context, Ascii(isolate, "waitAsync"), function, v8::DontEnum);
}

}  // namespace rv8
