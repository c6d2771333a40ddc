//go:build ignore

// One turn of the event loop: microtasks, the engine's own tasks, and what is left to wait for.
#include "state.h"

#include "libplatform/libplatform.h"
#include "values.h"

// The platform that the binding made.
extern std::unique_ptr<v8::Platform> default_platform;

using rv8::Realm;
using rv8::Scope;

extern "C" {

// Runs microtasks and the engine's tasks until none is left.
int rv8_checkpoint(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch caught(realm->isolate);
  do {
    realm->isolate->PerformMicrotaskCheckpoint();
    if (realm->stopped.load() != RV8_RUNNING) return RV8_TERMINATED;
  } while (v8::platform::PumpMessageLoop(default_platform.get(), realm->isolate));
  return RV8_OK;
}

bool rv8_requeued(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  bool was = realm->requeued;
  realm->requeued = false;
  return was;
}

bool rv8_engine_busy(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  return rv8::Now() < realm->waits_until || realm->isolate->HasPendingBackgroundTasks();
}

// Fails the run with the first rejection that nobody handled, if there is one.
bool rv8_unhandled(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  if (realm->failed || realm->rejections.empty()) return realm->failed;
  Scope scope(realm);
  v8::Local<v8::Value> value = realm->rejections.front().value.Get(realm->isolate);
  rv8::Fail(realm, value, v8::Exception::CreateMessage(realm->isolate, value));
  return true;
}

bool rv8_fatal(rv8_realm* r) { return static_cast<Realm*>(r)->fatal; }

int rv8_encode_main(rv8_realm* r, size_t limit, rv8_bytes* out, rv8_bytes* path, rv8_bytes* why) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch caught(realm->isolate);
  v8::Local<v8::Value> main = realm->main.Get(realm->isolate);
  if (main.IsEmpty()) main = v8::Undefined(realm->isolate);
  std::string encoded;
  rv8::EncodeError problem;
  *out = *path = *why = {};
  bool fine = rv8::Encode(realm, main, "result", limit, &encoded, &problem);
  if (realm->stopped.load() != RV8_RUNNING) return RV8_TERMINATED;
  if (fine) {
    *out = realm->Keep(std::move(encoded));
    return RV8_OK;
  }
  if (problem.kind == rv8::EncodeError::kThrown || problem.kind == rv8::EncodeError::kTerminated) return rv8::Caught(realm, caught, false);
  *path = realm->Keep(std::move(problem.path));
  *why = realm->Keep(std::move(problem.message));
  return RV8_SYNTAX;
}

}  // extern "C"
