//go:build ignore

// Scripts and function bodies.
#include "state.h"

#include <cstring>

#include "values.h"

namespace v8 {
namespace debug {

// Declared in V8's own debug-interface.h. With repl set a script may await at top level, and its completion value comes
// as the repl_result of what the returned promise resolves with.
enum class EvaluateGlobalMode { kDefault, kDisableBreaks, kDisableBreaksAndThrowOnSideEffect };
MaybeLocal<Value> EvaluateGlobal(Isolate* isolate, Local<String> source, EvaluateGlobalMode mode, bool repl);

}  // namespace debug
}  // namespace v8

namespace rv8 {

v8::ScriptOrigin Origin(Isolate* isolate, Local<Value> name, int column, bool module) {
#if V8_MAJOR_VERSION >= 13
  return v8::ScriptOrigin(name, 0, column, false, -1, Local<Value>(), false, false, module);
#else
  return v8::ScriptOrigin(isolate, name, 0, column, false, -1, Local<Value>(), false, false, module);
#endif
}

namespace {

constexpr std::string_view kOpen = "(async function(){", kClose = "\n})";

// Takes what the guest's code gave as the run's main value.
void SetMain(Realm* realm, Local<Value> value, bool repl) {
  realm->main.Reset(realm->isolate, value);
  realm->main_is_repl = repl;
}

std::vector<Local<Value>> Arguments(Realm* realm) {
  std::vector<Local<Value>> out;
  if (realm->arguments.IsEmpty()) return out;
  Local<v8::Array> list = realm->arguments.Get(realm->isolate).As<v8::Array>();
  for (uint32_t i = 0; i < list->Length(); i++) out.push_back(list->Get(realm->context_local(), i).ToLocalChecked());
  return out;
}

// Compiles and runs a classic script.
int Run(Realm* realm, const std::string& text, Local<Value> name, int column, Local<Value>* result, TryCatch& caught) {
  v8::ScriptCompiler::Source code(Code(realm->isolate, text, Utf8(realm->isolate, name)), Origin(realm->isolate, name, column, false));
  Local<v8::Script> script;
  if (!v8::ScriptCompiler::Compile(realm->context_local(), &code).ToLocal(&script)) return Caught(realm, caught, true);
  return script->Run(realm->context_local()).ToLocal(result) ? RV8_OK : Caught(realm, caught, false);
}

}  // namespace

int CallMain(Realm* realm, Local<Value> callee, TryCatch& caught) {
  std::vector<Local<Value>> arguments = Arguments(realm);
  Local<Value> result;
  if (!callee.As<Function>()
           ->Call(realm->context_local(), v8::Undefined(realm->isolate), static_cast<int>(arguments.size()), arguments.data())
           .ToLocal(&result)) {
    int status = Caught(realm, caught, false);
    Local<v8::Promise::Resolver> thrown;
    if (status != RV8_THREW || !v8::Promise::Resolver::New(realm->context_local()).ToLocal(&thrown)) return status;
    // A rejection like any other: what is under way comes to its end first.
    (void)thrown->Reject(realm->context_local(), caught.Exception());
    realm->rejections.back().at = Failure(realm);  // no code that runs now could tell it
    SetMain(realm, thrown->GetPromise(), false);
    return RV8_OK;
  }
  return SetAwaited(realm, result, caught);
}

// Makes value the main value, awaited as `await` would.
int SetAwaited(Realm* realm, Local<Value> value, TryCatch& caught) {
  if (!value->IsObject() || value->IsPromise()) {
    SetMain(realm, value, false);
    return RV8_OK;
  }
  Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(realm->context_local()).ToLocal(&resolver) ||
      resolver->Resolve(realm->context_local(), value).IsNothing()) {
    return Caught(realm, caught, false);
  }
  SetMain(realm, resolver->GetPromise(), false);
  return RV8_OK;
}

// The state of the main value. A script's completion value is taken out of the promise that stands around it.
Main MainState(Realm* realm) {
  Isolate* isolate = realm->isolate;
  Local<Value> main = realm->main.Get(isolate);
  if (main.IsEmpty() || !main->IsPromise()) return Main::kFulfilled;
  Local<v8::Promise> promise = main.As<v8::Promise>();
  if (promise->State() == v8::Promise::kPending) return Main::kPending;
  Local<Value> value = promise->Result();
  if (promise->State() == v8::Promise::kRejected) {
    Position at;
    for (const Rejection& r : realm->rejections) {
      if (r.promise == promise) at = r.at;
    }
    Fail(realm, value, v8::Exception::CreateMessage(isolate, value), at);
    return Main::kRejected;
  }
  if (!realm->main_is_repl) {
    realm->main.Reset(isolate, value);
    return Main::kFulfilled;
  }
  TryCatch caught(isolate);
  Local<Value> completion = v8::Undefined(isolate);
  if (value->IsObject()) (void)GetOwn(realm, value.As<Object>(), ".repl_result").ToLocal(&completion);
  return SetAwaited(realm, completion, caught) == RV8_OK ? Main::kUnwrapped : Main::kRejected;
}

}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

void rv8_set_source(rv8_realm* r, const char* name, size_t size, rv8_bytes* known_as) {
  Realm* realm = static_cast<Realm*>(r);
  realm->script_label = std::string(name, size);
  // A sourceURL comment takes no white space or quotes.
  realm->script_name = realm->script_label;
  for (char& c : realm->script_name) {
    if (static_cast<unsigned char>(c) <= ' ' || c == '"' || c == '\'' || static_cast<unsigned char>(c) >= 0x7f) c = '_';
  }
  *known_as = {realm->script_name.data(), realm->script_name.size()};
}

void rv8_warm(rv8_realm* r, const char* part, size_t size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch caught(realm->isolate);
  v8::Local<v8::Value> nothing;
  (void)v8::debug::EvaluateGlobal(realm->isolate, rv8::Ascii(realm->isolate, "await 0"), v8::debug::EvaluateGlobalMode::kDefault, true).ToLocal(&nothing);
  realm->isolate->PerformMicrotaskCheckpoint();
  (void)rv8::Part(realm, {part, size});
}

int rv8_run_script(rv8_realm* r, const char* source, size_t size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch caught(realm->isolate);
  std::string text(source, size);
  text += "\n//# sourceURL=" + realm->script_name;
  v8::Local<v8::Value> result;
  // What this throws was thrown by the compiler: guest code runs inside the promise.
  if (!v8::debug::EvaluateGlobal(realm->isolate, rv8::Text(realm->isolate, text), v8::debug::EvaluateGlobalMode::kDefault, true).ToLocal(&result)) {
    return rv8::Caught(realm, caught, true);
  }
  rv8::SetMain(realm, result, result->IsPromise());
  return RV8_OK;
}

// wrapped: the source is an async function expression already.
int rv8_run_function(rv8_realm* r, const char* source, size_t size, bool wrapped) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::Isolate* isolate = realm->isolate;
  v8::Local<v8::Context> context = realm->context_local();
  v8::TryCatch caught(isolate);
  std::string text(source, size);
  if (!wrapped) text = std::string(rv8::kOpen) + text + std::string(rv8::kClose);
  v8::Local<v8::Value> function;
  int offset = wrapped ? 0 : -static_cast<int>(rv8::kOpen.size());
  realm->shift = rv8::NamesItself(text) ? -offset : 0;
  if (int status = rv8::Run(realm, text, rv8::Text(isolate, realm->script_name), offset, &function, caught)) return status;
  v8::Local<v8::String> whole;
  bool is_function = function->IsFunction() && function.As<v8::Function>()->FunctionProtoToString(context).ToLocal(&whole);
  if (!is_function || (!wrapped && whole->Length() != rv8::Text(isolate, text)->Length() - 2)) {
    // The body closed the function that was put around it.
    isolate->ThrowException(v8::Exception::SyntaxError(rv8::Text(isolate, "Unexpected token '}'")));
    return rv8::Caught(realm, caught, true);
  }
  return rv8::CallMain(realm, function, caught);
}

// Runs the script of a WebAssembly grant: the body of an async function of (binary, name).
int rv8_run_binding(rv8_realm* r, const char* name, size_t name_size, const char* source, size_t size, const uint8_t* binary,
                    size_t binary_size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::Isolate* isolate = realm->isolate;
  v8::TryCatch caught(isolate);
  constexpr std::string_view open = "(async function(binary,name){";
  v8::Local<v8::Value> function, result;
  v8::Local<v8::String> label = rv8::Text(isolate, {name, name_size});
  if (int status = rv8::Run(realm, std::string(open) + std::string(source, size) + "\n})", label, -static_cast<int>(open.size()), &function, caught)) {
    return status;
  }
  v8::Local<v8::ArrayBuffer> buffer = v8::ArrayBuffer::New(isolate, binary_size);
  if (binary_size > 0) memcpy(buffer->GetBackingStore()->Data(), binary, binary_size);
  v8::Local<v8::Value> arguments[2] = {buffer, label};
  if (!function->IsFunction() ||
      !function.As<v8::Function>()->Call(realm->context_local(), v8::Undefined(isolate), 2, arguments).ToLocal(&result)) {
    return rv8::Caught(realm, caught, false);
  }
  return rv8::SetAwaited(realm, result, caught);
}

int rv8_set_arguments(rv8_realm* r, const uint8_t* args, size_t args_size, const uint8_t* input, size_t input_size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::Isolate* isolate = realm->isolate;
  v8::Local<v8::Context> context = realm->context_local();
  v8::TryCatch caught(isolate);
  std::vector<v8::Local<v8::Value>> list;
  v8::Local<v8::Value> value;
  if (input_size > 0) {
    if (!rv8::DecodeFrozen(realm, input, input_size).ToLocal(&value)) return rv8::Caught(realm, caught, false);
    list.push_back(value);
    (void)context->Global()->DefineOwnProperty(context, rv8::Ascii(isolate, "input"), value, v8::ReadOnly);
  }
  if (args_size > 0) {
    if (!rv8::Decode(realm, args, args_size).ToLocal(&value)) return rv8::Caught(realm, caught, false);
    if (value->IsArray()) {
      v8::Local<v8::Array> more = value.As<v8::Array>();
      for (uint32_t i = 0; i < more->Length(); i++) list.push_back(more->Get(context, i).ToLocalChecked());
    }
  }
  realm->arguments.Reset(isolate, v8::Array::New(isolate, list.data(), list.size()));
  return RV8_OK;
}

}  // extern "C"
