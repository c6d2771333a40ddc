//go:build ignore

// The event loop: microtasks, the engine's own tasks, timers and answers, until there is nothing to wait for.
#include "state.h"

#include "libplatform/libplatform.h"
#include "values.h"
#include "wire.h"

// The platform that the binding made.
extern std::unique_ptr<v8::Platform> default_platform;


namespace rv8 {
namespace {

// How often, in milliseconds, tasks that the engine's own threads finish are looked for.
constexpr double kEnginePoll = 1;

constexpr uint8_t kResultOp = 4;

// Whether the engine itself will settle promises.
bool EngineBusy(Realm* realm) { return Now() < realm->waits_until || realm->isolate->HasPendingBackgroundTasks(); }

// Runs microtasks and the engine's tasks until none is left. False: the engine was stopped.
bool Checkpoint(Realm* realm) {
  TryCatch caught(realm->isolate);
  do {
    realm->isolate->PerformMicrotaskCheckpoint();
    if (realm->stopped.load() != RV8_RUNNING) return false;
  } while (v8::platform::PumpMessageLoop(default_platform.get(), realm->isolate));
  return true;
}

// Fails the run with the first rejection that nobody handled, if there is one.
bool Unhandled(Realm* realm) {
  if (realm->failed) return true;
  for (const Rejection& r : realm->rejections) {
    if (r.promise.Get(realm->isolate)->HasHandler()) continue;
    Local<Value> value = r.value.Get(realm->isolate);
    Fail(realm, value, v8::Exception::CreateMessage(realm->isolate, value), r.at);
    realm->failure_unhandled = true;
    return true;
  }
  return false;
}

// Waits for one thing to happen and does it. False: the supervisor is gone.
bool Turn(Realm* realm, double wait, bool engine) {
  if (engine && (wait < 0 || wait > kEnginePoll)) wait = kEnginePoll;
  if (wait == 0) {
    FireTimer(realm);
    // Timers that are always due must not keep the answers out.
    if (realm->fatal || realm->calls.empty() || !Checkpoint(realm)) return true;
  }
  return Receive(realm, wait) != Received::kGone;
}

// Encodes the main value. RV8_SYNTAX: what is at path cannot cross.
int EncodeMain(Realm* realm, size_t limit, std::string* out, rv8_bytes* path, rv8_bytes* why) {
  TryCatch caught(realm->isolate);
  Local<Value> main = realm->main.Get(realm->isolate);
  if (main.IsEmpty()) main = v8::Undefined(realm->isolate);
  EncodeError problem;
  *path = *why = {};
  bool fine = Encode(realm, main, "result", limit, out, &problem);
  if (realm->stopped.load() != RV8_RUNNING) return RV8_TERMINATED;
  if (fine) return RV8_OK;
  if (problem.kind == EncodeError::kThrown || problem.kind == EncodeError::kTerminated) return Caught(realm, caught, false);
  *path = realm->Keep(std::move(problem.path));
  *why = realm->Keep(std::move(problem.message));
  return RV8_SYNTAX;
}

}  // namespace
}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

int rv8_loop(rv8_realm* r, bool last) {
  Realm* realm = static_cast<Realm*>(r);
  for (;;) {
    Scope scope(realm);
    bool engine = rv8::EngineBusy(realm);  // before those tasks are run that its threads may have finished
    if (!rv8::Checkpoint(realm)) return RV8_STOPPED;
    if (realm->fatal) return RV8_FAILED;
    rv8::Main state = rv8::MainState(realm);
    if (state == rv8::Main::kUnwrapped) continue;
    if (!last && state == rv8::Main::kFulfilled) return RV8_SETTLED;
    bool calls = !realm->calls.empty();
    if (state != rv8::Main::kPending && !calls) return rv8::Unhandled(realm) ? RV8_FAILED : RV8_SETTLED;
    double wait = rv8::NextTimer(realm);
    if (!calls && wait < 0 && !engine) return rv8::Unhandled(realm) ? RV8_FAILED : RV8_DEADLOCK;
    if (!rv8::Turn(realm, wait, engine)) return realm->stopped.load() == RV8_RUNNING ? RV8_GONE : RV8_STOPPED;
  }
}

int rv8_encode_main(rv8_realm* r, size_t limit, rv8_bytes* out, rv8_bytes* path, rv8_bytes* why) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  std::string encoded;
  int status = rv8::EncodeMain(realm, limit, &encoded, path, why);
  *out = realm->Keep(std::move(encoded));
  return status;
}

int rv8_send_main(rv8_realm* r, size_t limit, rv8_bytes* path, rv8_bytes* why, bool* sent) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  std::string encoded;
  int status = rv8::EncodeMain(realm, limit, &encoded, path, why);
  *sent = true;
  if (status != RV8_OK) return status;
  std::string head = "\x92\xcf";  // the fields: heap bytes, value
  uint64_t heap = rv8_heap_used(r);
  for (int shift = 56; shift >= 0; shift -= 8) head.push_back(static_cast<char>(heap >> shift));
  *sent = rv8::Send(realm, rv8::kResultOp, 0, {head, encoded});
  return RV8_OK;
}

}  // extern "C"
