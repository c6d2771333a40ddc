// What the native part keeps about one realm. See realm.h for what Go sees of it.
#ifndef RV8_STATE_H
#define RV8_STATE_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codec.h"
#include "realm.h"
#include "v8-version.h"
#include "v8.h"

struct rv8_realm {};  // what Go points to

namespace rv8 {

using v8::Context;
using v8::Function;
using v8::Global;
using v8::HandleScope;
using v8::Isolate;
using v8::Local;
using v8::MaybeLocal;
using v8::Object;
using v8::String;
using v8::TryCatch;
using v8::Value;

// Scripts whose names begin so are ours: their frames are never shown.
constexpr std::string_view kOwnScripts = "realm:";

// A capability call that has been issued and not answered.
struct Call {
  Global<v8::Promise::Resolver> resolver;
  Global<String> what;  // such as "network https://…"
  Global<v8::StackTrace> site;
};

// The descriptors of the fast path, and what has been read and not used.
struct Wire {
  int in = -1, out = -1, epoll = -1, wake = -1;
  std::vector<uint8_t> buffer;
  size_t begin = 0, end = 0;
  bool brisk = false;  // the last wait was short
};

struct ModuleRecord {
  Global<v8::Module> module;
  std::string name;
  std::string part;  // of a synthetic module: where its exports come from
  std::vector<std::string> exports;
  Global<Value> value;  // of a JSON module
  // Of a CommonJS module: the function of its text, until it has run, and its module object, another for each run.
  Global<Function> body;
  Global<Object> commonjs;
  std::map<std::string, int, std::less<>> links;
};

// One segment of a source map: generated position → the user's.
struct Segment {
  int line, column, source_line, source_column;
};

struct SourceMap {
  std::string mappings;  // decoded at the first use
  std::vector<Segment> segments;
  bool decoded = false;
};

struct Position {
  int line = 0, column = 0;  // 1-based, 0 unknown
};

// A WebAssembly module that the engine compiles or instantiates in the background.
struct WasmBuild {
  Global<v8::Promise> promise;
  Global<v8::StackTrace> site;
};

struct Rejection {
  Global<v8::Promise> promise;
  Global<Value> value;
  Position at;  // of a value that cannot tell itself
};

struct Realm : rv8_realm {
  Isolate* isolate = nullptr;
  Global<Context> context;
  uintptr_t host = 0;  // handle of the Go side
  v8::Locker* locker = nullptr;
  std::unique_ptr<Codec> codec;

  // The program.
  std::string script_name, script_label;  // as V8 knows it, as the user wrote it
  int prefix = 0;                         // columns of its first line that are not the user's
  int shift = 0;   // columns of the first generated line that are not the user's either, where V8 does not take them off
  std::map<std::string, SourceMap, std::less<>> maps;
  Global<Value> arguments;  // an Array
  Global<Value> main;       // a promise or the value itself
  bool main_is_repl = false;

  // Parts of the prelude.
  std::map<std::string, std::string, std::less<>> part_sources;
  std::map<std::string, Global<Object>, std::less<>> parts;
  Global<Object> native;
  Global<Value> primordials;
  Global<Function> fire_timer;
  Global<v8::Private> mark;   // on errors that stand for a refusal: its parts, which have the mark too
  Global<v8::Private> place;  // on errors whose stack was formatted: [line, column] of its first frame in the user's source

  std::deque<ModuleRecord> modules;  // a record stays where it is

  // Event loop.
  Wire wire;
  uint64_t next_call = 1;
  std::map<uint64_t, Call> calls;
  std::set<std::pair<std::pair<double, uint64_t>, int64_t>> timers;  // ((due, order), id)
  std::unordered_map<int64_t, std::pair<double, uint64_t>> timer_due;
  uint64_t timer_order = 0;
  double origin = 0, wall_origin = 0;  // milliseconds
  std::vector<Rejection> rejections;
  size_t handled = 0;  // how many of them have a handler now
  std::vector<WasmBuild> builds;
  double waits_until = 0;  // when the last Atomics.waitAsync with a timeout ends, as Now() tells it
  Global<Function> wait_async;

  // How the run failed, if it did.
  bool failed = false;
  Global<Value> failure;
  Global<v8::Message> failure_message;
  Position failure_at;  // of a value that cannot tell itself
  bool failure_unhandled = false;  // a rejection that nobody handled, of a promise beside the main one
  bool failure_syntax = false;  // a compiler's refusal, placed in the file that it read
  bool fatal = false;  // an uncaught exception outside the main promise
  std::atomic<int> stopped{RV8_RUNNING};
  size_t heap_limit = 0, write_limit = SIZE_MAX;
  bool winding_up = false;  // what an abort rejects is still delivered
  std::string interrupt_stack;
  Position interrupt_at;

  // Storage behind rv8_bytes.
  std::vector<std::string> kept;
  rv8_bytes Keep(std::string s);

  Local<Context> context_local() { return context.Get(isolate); }
};

// Everything that a call from Go needs to be in force while it touches the engine.
class Scope {
 public:
  explicit Scope(Realm* realm)
      : locker_(realm->isolate), isolate_(realm->isolate), handles_(realm->isolate), context_(realm->context_local()) {
    realm->kept.clear();
  }

 private:
  v8::Locker locker_;
  Isolate::Scope isolate_;
  HandleScope handles_;
  Context::Scope context_;
};

Realm* Of(Isolate* isolate);

// strings.cc
Local<String> Text(Isolate* isolate, std::string_view utf8);
bool NamesItself(std::string_view script);  // or may: it holds a sourceURL, of which V8 then takes no column offset
Local<String> Code(Isolate* isolate, std::string_view utf8, std::string_view name);  // a script that cannot name itself
Local<String> Ascii(Isolate* isolate, std::string_view literal);
std::string Utf8(Isolate* isolate, Local<Value> value);  // of a string; lone surrogates become U+FFFD
bool IsWellFormed(Isolate* isolate, Local<String> text);
MaybeLocal<Value> GetOwn(Realm* realm, Local<Object> object, std::string_view name);

// errors.cc
int Caught(Realm* realm, TryCatch& caught, bool syntax);  // records and returns a status
void Fail(Realm* realm, Local<Value> error, Local<v8::Message> message, Position at = {});
Position Failure(Realm* realm);    // of the failure that was recorded last
Position Rejecting(Realm* realm);  // of the call by which running code rejects a promise
void NoteSite(Realm* realm, Local<Object> refusal, Local<v8::StackTrace> site);  // for errors that nobody awaits where they come from
MaybeLocal<Value> PrepareStack(Local<Context> context, Local<Value> error, Local<v8::Array> sites);
std::string FormatStack(Realm* realm, Local<v8::StackTrace> trace, Position* top);
Position MapPosition(Realm* realm, std::string_view script, Position generated);
Position Locate(SourceMap& map, Position generated);

// parts.cc
MaybeLocal<Object> Part(Realm* realm, std::string_view name);
void InstallNatives(Realm* realm, Local<Object> native);

// calls.cc, clone.cc, timers.cc, natives.cc: functions of the native object
void Method(Realm* realm, Local<Object> on, std::string_view name, v8::FunctionCallback callback);
void InstallCalls(Realm* realm, Local<Object> native);
void InstallTimers(Realm* realm, Local<Object> native);
void InstallEncoding(Realm* realm, Local<Object> native);
void InstallClone(Realm* realm, Local<Object> native);
void InstallInspect(Realm* realm, Local<Object> native);
void InstallPlatform(Realm* realm, Local<Object> native);

// eval.cc, timers.cc
enum class Main { kPending, kFulfilled, kRejected, kUnwrapped };  // unwrapped: the script's completion value is the main value now
Main MainState(Realm* realm);
double NextTimer(Realm* realm);  // milliseconds until the next is due, negative when there is none
void FireTimer(Realm* realm);    // runs the first timer if it is due

// hooks.cc, waits.cc, wasm.cc, modules.cc
void WatchWaits(Realm* realm);
void WatchBuilds(Realm* realm);
void InstallHooks(Realm* realm);
bool Entropy(unsigned char* buffer, size_t length);
MaybeLocal<v8::Promise> DynamicImport(Local<Context> context, Local<v8::Data> options, Local<Value> referrer, Local<String> specifier,
                                      Local<v8::FixedArray> attributes);

int CallMain(Realm* realm, Local<Value> callee, TryCatch& caught);
int SetAwaited(Realm* realm, Local<Value> value, TryCatch& caught);
v8::ScriptOrigin Origin(Isolate* isolate, Local<Value> name, int column_offset, bool module);

double Now();  // monotonic milliseconds

}  // namespace rv8

#endif
