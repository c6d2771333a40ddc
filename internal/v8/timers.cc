//go:build ignore

// Timers: (due, order) decides who fires; each fires in a task of its own.
#include "state.h"

#include <cmath>

namespace rv8 {
namespace {

void Disarm(Realm* realm, int64_t id) {
  auto known = realm->timer_due.find(id);
  if (known == realm->timer_due.end()) return;
  realm->timers.erase({known->second, id});
  realm->timer_due.erase(known);
}

void SetTimer(const v8::FunctionCallbackInfo<Value>& info) {
  Realm* realm = Of(info.GetIsolate());
  if (info.Length() < 2 || !info[0]->IsNumber() || !info[1]->IsNumber()) return;
  int64_t id = static_cast<int64_t>(info[0].As<v8::Number>()->Value());
  double ms = info[1].As<v8::Number>()->Value();
  Disarm(realm, id);
  std::pair<double, uint64_t> due{Now() + (ms > 0 ? ms : 0), realm->timer_order++};
  realm->timers.insert({due, id});
  realm->timer_due[id] = due;
}

void ClearTimer(const v8::FunctionCallbackInfo<Value>& info) {
  if (info.Length() > 0 && info[0]->IsNumber()) Disarm(Of(info.GetIsolate()), static_cast<int64_t>(info[0].As<v8::Number>()->Value()));
}

void OnTimer(const v8::FunctionCallbackInfo<Value>& info) {
  if (info.Length() > 0 && info[0]->IsFunction()) Of(info.GetIsolate())->fire_timer.Reset(info.GetIsolate(), info[0].As<Function>());
}

void NowMs(const v8::FunctionCallbackInfo<Value>& info) { info.GetReturnValue().Set(Now() - Of(info.GetIsolate())->origin); }

void TimeOrigin(const v8::FunctionCallbackInfo<Value>& info) { info.GetReturnValue().Set(Of(info.GetIsolate())->wall_origin); }

}  // namespace

void InstallTimers(Realm* realm, Local<Object> native) {
  Method(realm, native, "setTimer", SetTimer);
  Method(realm, native, "clearTimer", ClearTimer);
  Method(realm, native, "onTimer", OnTimer);
  Method(realm, native, "now", NowMs);
  Method(realm, native, "timeOrigin", TimeOrigin);
}

double NextTimer(Realm* realm) {
  if (realm->timers.empty()) return -1;
  double wait = realm->timers.begin()->first.first - Now();
  return wait > 0 ? wait : 0;
}

void FireTimer(Realm* realm) {
  if (realm->timers.empty() || realm->timers.begin()->first.first > Now()) return;
  int64_t id = realm->timers.begin()->second;
  realm->timer_due.erase(id);
  realm->timers.erase(realm->timers.begin());
  if (realm->fire_timer.IsEmpty()) return;
  TryCatch caught(realm->isolate);
  Local<Value> argument = v8::Number::New(realm->isolate, static_cast<double>(id)), ignored;
  if (realm->fire_timer.Get(realm->isolate)->Call(realm->context_local(), v8::Undefined(realm->isolate), 1, &argument).ToLocal(&ignored)) return;
  if (Caught(realm, caught, false) == RV8_THREW) realm->fatal = true;
}

}  // namespace rv8

extern "C" int rv8_timers(rv8_realm* r, double* next) {
  rv8::Realm* realm = static_cast<rv8::Realm*>(r);
  *next = rv8::NextTimer(realm);
  return static_cast<int>(realm->timers.size());
}
