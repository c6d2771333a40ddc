//go:build ignore

// The prelude's parts, each evaluated when the guest first reads one of its globals, and the native object they get.
#include "state.h"

namespace rv8 {
namespace {

MaybeLocal<Function> Compile(Realm* realm, const std::string& name, const std::string& source) {
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  v8::ScriptCompiler::Source text(Text(isolate, source), Origin(isolate, Text(isolate, std::string(kOwnScripts) + "prelude/" + name), 0, false));
  Local<v8::Script> script;
  Local<Value> made;
  if (!v8::ScriptCompiler::Compile(context, &text).ToLocal(&script) || !script->Run(context).ToLocal(&made) || !made->IsFunction()) return {};
  return made.As<Function>();
}

Local<Object> Native(Realm* realm) {
  if (realm->native.IsEmpty()) {
    Local<Object> native = Object::New(realm->isolate);
    (void)native->SetPrototype(realm->context_local(), v8::Null(realm->isolate));
    InstallNatives(realm, native);
    InstallCalls(realm, native);
    InstallTimers(realm, native);
    InstallEncoding(realm, native);
    InstallClone(realm, native);
    InstallInspect(realm, native);
    InstallPlatform(realm, native);
    realm->native.Reset(realm->isolate, native);
  }
  return realm->native.Get(realm->isolate);
}

// The first read of a lazy global: data is [global, part].
void LazyGlobal(Local<v8::Name> name, const v8::PropertyCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  Local<Object> part;
  Local<Value> value;
  if (Part(realm, Utf8(isolate, info.Data())).ToLocal(&part) && part->Get(realm->context_local(), name).ToLocal(&value)) {
    info.GetReturnValue().Set(value);
  }
}

// The first read of a host tool's global.
void LazyTool(Local<v8::Name> name, const v8::PropertyCallbackInfo<Value>& info) {
  Realm* realm = Of(info.GetIsolate());
  Local<Object> part;
  Local<Value> make, tool, argument = name;
  if (Part(realm, "capabilities").ToLocal(&part) && GetOwn(realm, part, "tool").ToLocal(&make) && make->IsFunction() &&
      make.As<Function>()->Call(realm->context_local(), v8::Undefined(realm->isolate), 1, &argument).ToLocal(&tool)) {
    info.GetReturnValue().Set(tool);
  }
}

}  // namespace

MaybeLocal<Object> Part(Realm* realm, std::string_view name) {
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  auto known = realm->parts.find(name);
  if (known != realm->parts.end()) return known->second.Get(isolate);
  auto source = realm->part_sources.find(name);
  if (source == realm->part_sources.end()) {
    isolate->ThrowException(v8::Exception::Error(Text(isolate, "no such part")));
    return {};
  }
  Local<Function> function;
  if (!Compile(realm, source->first, source->second).ToLocal(&function)) return {};
  Local<Value> made;
  if (name == "primordials") {
    if (!function->Call(context, v8::Undefined(isolate), 0, nullptr).ToLocal(&made)) return {};
  } else {
    Local<Value> arguments[2] = {Native(realm), v8::Undefined(isolate)};
    if (realm->part_sources.count("primordials") > 0) {
      Local<Object> primordials;
      if (!Part(realm, "primordials").ToLocal(&primordials)) return {};
      arguments[1] = primordials;
    }
    if (!function->Call(context, v8::Undefined(isolate), 2, arguments).ToLocal(&made)) return {};
  }
  if (!made->IsObject()) return {};
  realm->parts.emplace(std::string(name), Global<Object>(isolate, made.As<Object>()));
  return made.As<Object>();
}

void Method(Realm* realm, Local<Object> on, std::string_view name, v8::FunctionCallback callback) {
  Local<Context> context = realm->context_local();
  Local<Function> function =
      Function::New(context, callback, Local<Value>(), 0, v8::ConstructorBehavior::kThrow).ToLocalChecked();
  on->CreateDataProperty(context, Ascii(realm->isolate, name), function).Check();
}

}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

int rv8_define_part(rv8_realm* r, const char* name, size_t size, const char* source, size_t source_size) {
  Realm* realm = static_cast<Realm*>(r);
  realm->part_sources[std::string(name, size)] = std::string(source, source_size);
  return RV8_OK;
}

int rv8_set_lazy(rv8_realm* r, const char* global, size_t size, const char* part, size_t part_size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::Local<v8::Context> context = realm->context_local();
  return context->Global()
                 ->SetLazyDataProperty(context, rv8::Ascii(realm->isolate, {global, size}), rv8::LazyGlobal,
                                       rv8::Text(realm->isolate, {part, part_size}), v8::DontEnum)
                 .FromMaybe(false)
             ? RV8_OK
             : RV8_THREW;
}

int rv8_set_tool(rv8_realm* r, const char* name, size_t size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::Local<v8::Context> context = realm->context_local();
  v8::Local<v8::String> key = rv8::Text(realm->isolate, {name, size});
  if (context->Global()->Has(context, key).FromMaybe(true)) return RV8_OK;  // not free: the tool is asked by request() alone
  return context->Global()
                 ->SetLazyDataProperty(context, key, rv8::LazyTool, v8::Local<v8::Value>(), v8::DontEnum)
                 .FromMaybe(false)
             ? RV8_OK
             : RV8_THREW;
}

}  // extern "C"
