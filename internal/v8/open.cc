//go:build ignore

// The engine's start and end: the process's flags, an isolate, its one context.
//
// V8 takes longer to start than Go's runtime does, and neither needs the other: in a realm they start side by side, V8 on a
// thread of its own. It begins when Go's runtime makes its first call of C, for by then V8's static initialisers have run:
// linked with -Wl,--wrap=x_cgo_init, that call comes here.
#include "state.h"

#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <mutex>
#include <pthread.h>

extern "C" void Init();  // the binding's: platform and engine

namespace rv8 {
namespace {

constexpr char kFlags[] =
#if V8_MAJOR_VERSION >= 13
    // Loop unrolling of this V8 loses stack checks: it marks that of a short inner loop, such as the filling of a new array,
    // for removal, and when that has none removes the outer loop's instead. An endless loop then answers neither deadline
    // nor abort.
    "--no-turboshaft-loop-unrolling "
    // Nor does it keep numbers of a script's own variables in place rightly: about once in five thousand runs on a machine with
    // much to do, a loop that adds to one ended with a wrong sum, or the process with it.
    "--no-script-context-mutable-heap-number --no-script-context-mutable-heap-int32 "
#endif
    // Positions that are collected late are lost where the stack overflowed: finding them takes some of it.
    "--no-enable-lazy-source-positions";

void StartEngine(bool jitless) {
  static std::once_flag once;
  std::call_once(once, [jitless] {
    v8::V8::SetEntropySource(Entropy);
    v8::V8::SetFlagsFromString(kFlags);
    if (jitless) v8::V8::SetFlagsFromString("--jitless");
    Init();
  });
}

Realm* Make(size_t heap_bytes, bool jitless) {
  StartEngine(jitless);
  Isolate::CreateParams params;
  params.array_buffer_allocator_shared.reset(v8::ArrayBuffer::Allocator::NewDefaultAllocator());
  params.constraints.ConfigureDefaultsFromHeapSize(0, heap_bytes);
  Isolate* isolate = Isolate::New(params);
  v8::Locker locker(isolate);
  v8::Isolate::Scope entered(isolate);
  HandleScope handles(isolate);
  Local<Context> context = Context::New(isolate);
  Context::Scope in(context);
  Realm* realm = new Realm;
  realm->isolate = isolate;
  realm->context.Reset(isolate, context);
  realm->mark.Reset(isolate, v8::Private::New(isolate));
  realm->place.Reset(isolate, v8::Private::New(isolate));
  realm->origin = Now();
  realm->codec = std::make_unique<Codec>(isolate, context);
  InstallHooks(realm);
  WatchWaits(realm);
  WatchBuilds(realm);
  return realm;
}

// The realm that was begun before Go; nobody else has it yet.
struct Early {
  size_t heap_bytes;
  bool jitless, begun;
  pthread_t thread;
  Realm* realm;
};
constinit Early early = {};

void* MakeEarly(void*) {
  early.realm = Make(early.heap_bytes, early.jitless);
  return nullptr;
}

// Takes of a realm's arguments what the engine has to know. Go reads them all, and refuses those it does not know.
__attribute__((constructor)) void ReadArguments(int argc, char** argv) {
  if (argc == 0 || strcmp(argv[0], "realm") != 0) return;
  // One arena for all threads, which grows in large steps: each further one is mapped, and grown page by page, by calls
  // that interrupt the other processors.
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TOP_PAD, 1 << 20);
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--heap-mb=", 10) == 0) early.heap_bytes = strtoull(argv[i] + 10, nullptr, 10) << 20;
    if (strcmp(argv[i], "--jitless") == 0) early.jitless = true;
  }
}

void BeginEarly() {
  early.begun = early.heap_bytes > 0 && pthread_create(&early.thread, nullptr, MakeEarly, nullptr) == 0;
}

Realm* TakeEarly(size_t heap_bytes, bool jitless) {
  if (!early.begun) return nullptr;
  early.begun = false;
  pthread_join(early.thread, nullptr);
  if (early.heap_bytes != heap_bytes || early.jitless != jitless) abort();
  return early.realm;
}

}  // namespace
}  // namespace rv8

using rv8::Isolate;
using rv8::Realm;
using rv8::Scope;

extern "C" {

void __real_x_cgo_init(void* g, void* setg, void* tls_g, void* tls_base);

void __wrap_x_cgo_init(void* g, void* setg, void* tls_g, void* tls_base) {
  rv8::BeginEarly();
  __real_x_cgo_init(g, setg, tls_g, tls_base);
}

rv8_realm* rv8_open(uintptr_t host, size_t heap_bytes, bool jitless) {
  Realm* realm = rv8::TakeEarly(heap_bytes, jitless);
  if (realm == nullptr) realm = rv8::Make(heap_bytes, jitless);
  realm->host = host;
  realm->locker = new v8::Locker(realm->isolate);
  rv8_set_heap_limit(realm, heap_bytes);
  return realm;
}

void rv8_close(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  Isolate* isolate = realm->isolate;
  delete realm->locker;
  rv8_disconnect(r);
  {
    Scope scope(realm);
    isolate->RemoveNearHeapLimitCallback(rv8::OnNearHeapLimit, 0);
    isolate->RemoveGCEpilogueCallback(rv8::OnCollected, realm);
    isolate->SetPromiseRejectCallback([](v8::PromiseRejectMessage) {});
  }
  {
    v8::Locker locker(isolate);
    v8::Isolate::Scope entered(isolate);
    delete realm;
  }
  isolate->Dispose();
}

}  // extern "C"
