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

}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

// Milliseconds until the next timer is due; negative when there is none.
double rv8_timer_wait(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  if (realm->timers.empty()) return -1;
  double wait = realm->timers.begin()->first.first - rv8::Now();
  return wait > 0 ? wait : 0;
}

// Fires the first timer if it is due.
int rv8_timers_fire(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  if (realm->timers.empty() || realm->timers.begin()->first.first > rv8::Now()) return RV8_OK;
  int64_t id = realm->timers.begin()->second;
  realm->timer_due.erase(id);
  realm->timers.erase(realm->timers.begin());
  if (realm->fire_timer.IsEmpty()) return RV8_OK;
  Scope scope(realm);
  v8::Isolate* isolate = realm->isolate;
  v8::TryCatch caught(isolate);
  v8::Local<v8::Value> argument = v8::Number::New(isolate, static_cast<double>(id));
  v8::Local<v8::Value> ignored;
  if (realm->fire_timer.Get(isolate)->Call(realm->context_local(), v8::Undefined(isolate), 1, &argument).ToLocal(&ignored)) return RV8_OK;
  int status = rv8::Caught(realm, caught, false);
  realm->fatal = status == RV8_THREW;
  return status;
}

}  // extern "C"
