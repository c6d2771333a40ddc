//go:build ignore

// CommonJS: a file becomes a function; it runs when it is first required or imported, and a synthetic module then has its exports.
#include "modules.h"

#include <cstdlib>

#include "_cgo_export.h"

namespace rv8 {
namespace {

// What `import x from` gives of a CommonJS module: as bundlers have it, the default that a compiler of modules left in it.
MaybeLocal<Value> CommonJSDefault(Realm* realm, Local<Value> exports) {
  Local<Value> compiled, value;
  if (!exports->IsObject()) return exports;
  if (!exports.As<Object>()->Get(realm->context_local(), Ascii(realm->isolate, "__esModule")).ToLocal(&compiled)) return {};
  if (!compiled->BooleanValue(realm->isolate)) return exports;
  if (!exports.As<Object>()->Get(realm->context_local(), Ascii(realm->isolate, "default")).ToLocal(&value)) return {};
  return value->IsUndefined() ? exports : value;
}

MaybeLocal<Value> CommonJSExports(Realm* realm, const ModuleRecord& record) {
  return record.commonjs.Get(realm->isolate)->Get(realm->context_local(), Ascii(realm->isolate, "exports"));
}

void Refuse(Isolate* isolate, std::string_view message, bool not_found) {
  Local<Value> error = v8::Exception::Error(Text(isolate, message));
  if (not_found) {  // packages look for it where they can do without
    (void)error.As<Object>()->Set(isolate->GetCurrentContext(), Ascii(isolate, "code"), Ascii(isolate, "MODULE_NOT_FOUND"));
  }
  isolate->ThrowException(error);
}

// require: data is the name of the file that it belongs to.
void Require(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  if (info.Length() == 0 || !info[0]->IsString()) return Refuse(isolate, "require needs the name of a module", false);
  std::string from = Utf8(isolate, info.Data()), name = Utf8(isolate, info[0]), kind = "require";
  char* refusal = nullptr;
  size_t size = 0;
  int index = rv8Import(realm->host, from.data(), from.size(), name.data(), name.size(), kind.data(), kind.size(), &refusal, &size);
  if (index < 0) {
    Refuse(isolate, {refusal, size}, true);
    free(refusal);
    return;
  }
  const ModuleRecord& record = Record(realm, index);
  Local<Value> exports;
  if (!record.commonjs.IsEmpty()) {
    if (RunCommonJS(realm, index) && CommonJSExports(realm, record).ToLocal(&exports)) info.GetReturnValue().Set(exports);
  } else if (!record.value.IsEmpty()) {
    info.GetReturnValue().Set(record.value.Get(isolate));
  } else {
    Refuse(isolate, "cannot require \"" + name + "\": it is no CommonJS module, import it", false);
  }
}

}  // namespace

// Runs a CommonJS file once; one that threw runs again, from the beginning, for whoever asks again. Within a cycle it is running
// already, and what it has exported so far counts.
bool RunCommonJS(Realm* realm, int module) {
  ModuleRecord& record = Record(realm, module);
  if (record.body.IsEmpty()) return true;
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  Local<Function> body = record.body.Get(isolate), require;
  Local<Object> self = Object::New(isolate), exports = Object::New(isolate);
  const std::string& name = record.name;
  if (self->CreateDataProperty(context, Ascii(isolate, "exports"), exports).IsNothing() ||
      !Function::New(context, Require, Text(isolate, name), 1, v8::ConstructorBehavior::kThrow).ToLocal(&require)) {
    return false;
  }
  record.body.Reset();
  record.commonjs.Reset(isolate, self);
  Local<Value> ignored;
  Local<Value> arguments[] = {exports, require, self, Text(isolate, name), Text(isolate, name.substr(0, name.find_last_of('/')))};
  if (body->Call(context, exports, 5, arguments).ToLocal(&ignored)) return true;
  record.body.Reset(isolate, body);
  return false;
}

// Makes the synthetic module that stands for a CommonJS file which has run.
bool BindCommonJS(Realm* realm, int module) {
  ModuleRecord& record = Record(realm, module);
  if (!record.module.IsEmpty()) return true;
  Isolate* isolate = realm->isolate;
  Local<Context> context = realm->context_local();
  Local<Value> exports;
  if (!CommonJSExports(realm, record).ToLocal(&exports)) return false;
  std::vector<std::string> names{"default"};
  if (exports->IsObject()) {
    Local<v8::Array> keys;
    if (!exports.As<Object>()
             ->GetOwnPropertyNames(context, static_cast<v8::PropertyFilter>(v8::ONLY_ENUMERABLE | v8::SKIP_SYMBOLS),
                                   v8::KeyConversionMode::kConvertToString)
             .ToLocal(&keys)) {
      return false;
    }
    for (uint32_t i = 0; i < keys->Length(); i++) {
      Local<Value> key;
      if (!keys->Get(context, i).ToLocal(&key)) return false;
      std::string name = Utf8(isolate, key);
      if (name != "default" && name != "__esModule" && IsWellFormed(isolate, key.As<String>())) names.push_back(std::move(name));
    }
  }
  record.module.Reset(isolate, Synthetic(realm, record.name, names));
  record.exports = std::move(names);
  return true;
}

bool SetCommonJSExports(Realm* realm, Local<v8::Module> module, const ModuleRecord& record) {
  Isolate* isolate = realm->isolate;
  Local<Value> exports, value;
  if (!CommonJSExports(realm, record).ToLocal(&exports)) return false;
  for (const std::string& name : record.exports) {
    bool got = name == "default" ? CommonJSDefault(realm, exports).ToLocal(&value)
                                 : exports.As<Object>()->Get(realm->context_local(), Text(isolate, name)).ToLocal(&value);
    if (!got || module->SetSyntheticModuleExport(isolate, Text(isolate, name), value).IsNothing()) return false;
  }
  return true;
}

}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

int rv8_module_commonjs(rv8_realm* r, const char* name, size_t name_size, const char* source, size_t size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::Isolate* isolate = realm->isolate;
  v8::Local<v8::Context> context = realm->context_local();
  v8::TryCatch caught(isolate);
  v8::ScriptCompiler::Source code(rv8::Code(isolate, {source, size}, {name, name_size}), rv8::Origin(isolate, rv8::Text(isolate, {name, name_size}), 0, false));
  v8::Local<v8::String> parameters[] = {rv8::Ascii(isolate, "exports"), rv8::Ascii(isolate, "require"), rv8::Ascii(isolate, "module"),
                                        rv8::Ascii(isolate, "__filename"), rv8::Ascii(isolate, "__dirname")};
  v8::Local<v8::Function> body;
  if (!v8::ScriptCompiler::CompileFunction(context, &code, 5, parameters).ToLocal(&body)) return -rv8::Caught(realm, caught, true);
  int index = rv8::Add(realm, v8::Local<v8::Module>());
  realm->modules.back().name = std::string(name, name_size);
  realm->modules.back().body.Reset(isolate, body);
  realm->modules.back().commonjs.Reset(isolate, v8::Object::New(isolate));
  return index;
}

}  // extern "C"
