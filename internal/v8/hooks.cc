//go:build ignore

// What V8 asks its embedder: entropy, fatal errors, memory limits, rejections, interrupts.
#include "state.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

namespace rv8 {
namespace {

// Exit statuses that the supervisor knows: the engine cannot continue and no frame can be trusted to be whole.
constexpr int kExitOutOfMemory = 86;
constexpr int kExitFatal = 87;

// How much the heap may grow once the limit is reached, so that the stack can be unwound and the failure reported.
constexpr size_t kHeapSlack = 8u << 20, kHeapSlackSteps = 4;

// A heap counts as full when less than this part of it is free.
constexpr size_t kFullPart = 16;

constexpr int kDataSlot = 2;  // the binding uses the first

void OnFatal(const char* location, const char* message) { _exit(kExitFatal); }

#if V8_MAJOR_VERSION >= 13
void OnOutOfMemory(const char* location, const v8::OOMDetails& details) { _exit(kExitOutOfMemory); }
#else
// The header of this binding and its library disagree about the second parameter; neither is looked at.
void OnOutOfMemory(const char* location, const v8::OOMDetails& details) { _exit(kExitOutOfMemory); }
#endif

size_t OnNearHeapLimit(void* data, size_t current, size_t initial) {
  Realm* realm = static_cast<Realm*>(data);
  if (current < realm->heap_limit) return realm->heap_limit;            // the limit was raised on a live isolate
  if (current >= realm->heap_limit + kHeapSlackSteps * kHeapSlack) return current;  // the engine ends with OnOutOfMemory
  rv8_stop(realm, RV8_HEAP);
  return current + kHeapSlack;
}

// A heap that stays nearly full after a whole collection would spend seconds collecting before it reaches its limit.
void OnCollected(Isolate* isolate, v8::GCType, v8::GCCallbackFlags, void* data) {
  Realm* realm = static_cast<Realm*>(data);
  v8::HeapStatistics stats;
  isolate->GetHeapStatistics(&stats);
  if (realm->heap_limit > 0 && stats.used_heap_size() > realm->heap_limit - realm->heap_limit / kFullPart) rv8_stop(realm, RV8_HEAP);
}

void OnRejection(v8::PromiseRejectMessage message) {
  Local<v8::Promise> promise = message.GetPromise();
  Isolate* isolate = Isolate::GetCurrent();
  Realm* realm = Of(isolate);
  std::vector<Rejection>& all = realm->rejections;
  if (message.GetEvent() == v8::kPromiseRejectWithNoHandler) {
    Local<Value> value = message.GetValue();
    all.push_back({Global<v8::Promise>(isolate, promise), Global<Value>(isolate, value),
                   value->IsNativeError() ? Position{} : Rejecting(realm)});
    return;
  }
  // What was handled since is dropped once it is half of all: one at a time would cost the square of their number.
  if (message.GetEvent() != v8::kPromiseHandlerAddedAfterReject || ++realm->handled * 2 < all.size()) return;
  HandleScope handles(isolate);
  auto handled = [&](const Rejection& r) { return r.promise == promise || r.promise.Get(isolate)->HasHandler(); };
  all.erase(std::remove_if(all.begin(), all.end(), handled), all.end());
  realm->handled = 0;
}

void OnInterrupt(Isolate* isolate, void* data) {
  Realm* realm = static_cast<Realm*>(data);
  if (realm->stopped.load() == RV8_RUNNING || realm->winding_up) return;
  if (realm->interrupt_stack.empty()) {
    HandleScope handles(isolate);
    Local<v8::StackTrace> trace = v8::StackTrace::CurrentStackTrace(isolate, 32);
    realm->interrupt_stack = FormatStack(realm, trace, &realm->interrupt_at);
  }
  isolate->TerminateExecution();
}

}  // namespace

bool Entropy(unsigned char* buffer, size_t length) {
  while (length > 0) {
    ssize_t n = getrandom(buffer, length, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    buffer += n;
    length -= static_cast<size_t>(n);
  }
  return true;
}

Realm* Of(Isolate* isolate) { return static_cast<Realm*>(isolate->GetData(kDataSlot)); }

double Now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

void InstallHooks(Realm* realm) {
  Isolate* isolate = realm->isolate;
  isolate->SetData(kDataSlot, realm);
  isolate->SetFatalErrorHandler(OnFatal);
  isolate->SetOOMErrorHandler(OnOutOfMemory);
  isolate->SetPromiseRejectCallback(OnRejection);
  isolate->SetPrepareStackTraceCallback(PrepareStack);
  isolate->SetHostImportModuleDynamicallyCallback(DynamicImport);
  isolate->SetCaptureStackTraceForUncaughtExceptions(true, 32);
  isolate->SetAllowAtomicsWait(false);
  isolate->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
  isolate->AddNearHeapLimitCallback(OnNearHeapLimit, realm);
  isolate->AddGCEpilogueCallback(OnCollected, realm, v8::kGCTypeMarkSweepCompact);
}

}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

void rv8_set_heap_limit(rv8_realm* r, size_t bytes) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  realm->heap_limit = bytes;
  // Lowers the limit when it is above bytes; when it is below, the callback raises it once it is reached.
  realm->isolate->RemoveNearHeapLimitCallback(rv8::OnNearHeapLimit, bytes);
  realm->isolate->AddNearHeapLimitCallback(rv8::OnNearHeapLimit, realm);
}

size_t rv8_heap_used(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  v8::HeapStatistics stats;
  realm->isolate->GetHeapStatistics(&stats);
  return stats.used_heap_size();
}

void rv8_set_time_zone(rv8_realm* r, const char* name) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  setenv("TZ", name, 1);
  realm->isolate->DateTimeConfigurationChangeNotification(v8::Isolate::TimeZoneDetection::kRedetect);
}

// Whether the engine knows the time zone that it was told. Intl says nothing of one that it does not.
bool rv8_knows_time_zone(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch caught(realm->isolate);
  v8::Local<v8::Context> context = realm->context_local();
  auto call = [&](v8::Local<v8::Value> self, std::string_view method) {
    v8::Local<v8::Value> function, result = v8::Undefined(realm->isolate);
    if (self->IsObject() && self.As<v8::Object>()->Get(context, rv8::Text(realm->isolate, method)).ToLocal(&function) && function->IsFunction()) {
      (void)function.As<v8::Function>()->Call(context, self, 0, nullptr).ToLocal(&result);
    }
    return result;
  };
  v8::Local<v8::Value> intl, zone;
  if (!context->Global()->Get(context, rv8::Ascii(realm->isolate, "Intl")).ToLocal(&intl)) return false;
  v8::Local<v8::Value> options = call(call(intl, "DateTimeFormat"), "resolvedOptions");
  return options->IsObject() && options.As<v8::Object>()->Get(context, rv8::Ascii(realm->isolate, "timeZone")).ToLocal(&zone) && zone->IsString();
}

void rv8_set_write_limit(rv8_realm* r, size_t bytes) { static_cast<Realm*>(r)->write_limit = bytes; }

// Sets the zero of performance.now.
void rv8_start(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  realm->origin = rv8::Now();
  timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  realm->wall_origin = static_cast<double>(wall.tv_sec) * 1e3 + static_cast<double>(wall.tv_nsec) / 1e6;
}

void rv8_stop(rv8_realm* r, int reason) {
  Realm* realm = static_cast<Realm*>(r);
  int running = RV8_RUNNING;
  if (!realm->stopped.compare_exchange_strong(running, reason)) return;
  realm->isolate->RequestInterrupt(rv8::OnInterrupt, realm);
  uint64_t one = 1;
  while (realm->wire.wake >= 0 && write(realm->wire.wake, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

int rv8_stopped(rv8_realm* r) { return static_cast<Realm*>(r)->stopped.load(); }

const char* rv8_version(void) { return v8::V8::GetVersion(); }

}  // extern "C"
