//go:build ignore

// Modules: the host compiles and links them one by one, so that nothing can be imported that it did not put there.
#include "modules.h"

#include <cstdlib>

#include "_cgo_export.h"

namespace rv8 {
namespace {

int Index(Realm* realm, Local<v8::Module> module) {
  for (size_t i = 0; i < realm->modules.size(); i++) {
    if (realm->modules[i].module == module) return static_cast<int>(i);
  }
  return -1;
}

MaybeLocal<v8::Module> Resolve(Local<Context> context, Local<String> specifier, Local<v8::FixedArray>, Local<v8::Module> referrer) {
  Isolate* isolate = Isolate::GetCurrent();
  Realm* realm = Of(isolate);
  int from = Index(realm, referrer);
  if (from >= 0) {
    auto& links = Record(realm, from).links;
    auto target = links.find(Utf8(isolate, specifier));
    if (target != links.end()) return Record(realm, target->second).module.Get(isolate);
  }
  isolate->ThrowException(v8::Exception::Error(Text(isolate, "module is not linked")));
  return {};
}

// Gives a synthetic module its exports: those of a part or of a CommonJS file, or the default export of a JSON module.
MaybeLocal<Value> EvaluateSynthetic(Local<Context> context, Local<v8::Module> module) {
  Isolate* isolate = Isolate::GetCurrent();
  Realm* realm = Of(isolate);
  int index = Index(realm, module);
  if (index < 0) return {};
  ModuleRecord& record = Record(realm, index);
  if (!record.commonjs.IsEmpty()) {
    if (!SetCommonJSExports(realm, module, record)) return {};
  } else if (record.part.empty()) {
    if (module->SetSyntheticModuleExport(isolate, Ascii(isolate, "default"), record.value.Get(isolate)).IsNothing()) return {};
  } else {
    Local<Object> part;
    if (!Part(realm, record.part).ToLocal(&part)) return {};
    for (const std::string& name : record.exports) {
      Local<Value> value;
      if (!part->Get(context, Text(isolate, name)).ToLocal(&value) ||
          module->SetSyntheticModuleExport(isolate, Text(isolate, name), value).IsNothing()) {
        return {};
      }
    }
  }
  Local<v8::Promise::Resolver> done;
  if (!v8::Promise::Resolver::New(context).ToLocal(&done)) return {};
  (void)done->Resolve(context, v8::Undefined(isolate));
  return done->GetPromise();
}

Local<v8::ModuleRequest> Request(Realm* realm, int module, int index) {
  return Record(realm, module).module.Get(realm->isolate)
      ->GetModuleRequests()
      ->Get(realm->context_local(), index)
      .As<v8::ModuleRequest>();
}

Local<v8::FixedArray> Attributes(Local<v8::ModuleRequest> request) {
#if V8_MAJOR_VERSION >= 13
  return request->GetImportAttributes();
#else
  return request->GetImportAssertions();
#endif
}

// Runs the CommonJS files among what a module imports, in the order of the imports: what they export has names only then.
bool Prepare(Realm* realm, int module, std::set<int>& seen) {
  if (!seen.insert(module).second) return true;
  if (!Record(realm, module).commonjs.IsEmpty()) return RunCommonJS(realm, module) && BindCommonJS(realm, module);
  if (Record(realm, module).links.empty()) return true;
  int n = Record(realm, module).module.Get(realm->isolate)->GetModuleRequests()->Length();
  for (int i = 0; i < n; i++) {
    auto& links = Record(realm, module).links;
    auto target = links.find(Utf8(realm->isolate, Request(realm, module, i)->GetSpecifier()));
    if (target != links.end() && !Prepare(realm, target->second, seen)) return false;
  }
  return true;
}

void ReturnData(const v8::FunctionCallbackInfo<Value>& info) { info.GetReturnValue().Set(info.Data()); }

// The rest of import(), in a reaction of its own: the code that imports goes on first. No module is being evaluated then, which V8
// would end the process for. data is the module's index.
void LoadLater(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  Local<Context> context = realm->context_local();
  int index = info.Data().As<v8::Int32>()->Value();
  std::set<int> seen;
  if (!Prepare(realm, index, seen)) return;  // what was thrown is what import() rejects with
  Local<v8::Module> module = Record(realm, index).module.Get(isolate);
  Local<Value> evaluated;
  Local<Function> give;
  Local<v8::Promise> done;
  if (module->InstantiateModule(context, Resolve).FromMaybe(false) && module->Evaluate(context).ToLocal(&evaluated) &&
      Function::New(context, ReturnData, module->GetModuleNamespace()).ToLocal(&give) &&
      evaluated.As<v8::Promise>()->Then(context, give).ToLocal(&done)) {
    info.GetReturnValue().Set(done);
  }
}

// The `type` among attributes that come in groups of stride.
std::string TypeOf(Realm* realm, Local<v8::FixedArray> attributes, int stride) {
  for (int i = 0; i + 1 < attributes->Length(); i += stride) {
    if (Utf8(realm->isolate, attributes->Get(realm->context_local(), i).As<Value>()) == "type") {
      return Utf8(realm->isolate, attributes->Get(realm->context_local(), i + 1).As<Value>());
    }
  }
  return {};
}

}  // namespace

int Add(Realm* realm, Local<v8::Module> module) {
  realm->modules.emplace_back();
  realm->modules.back().module.Reset(realm->isolate, module);
  return static_cast<int>(realm->modules.size()) - 1;
}

ModuleRecord& Record(Realm* realm, int module) { return realm->modules[static_cast<size_t>(module)]; }

Local<v8::Module> Synthetic(Realm* realm, std::string_view name, const std::vector<std::string>& exports) {
  std::vector<Local<String>> names;
  for (const std::string& e : exports) names.push_back(Text(realm->isolate, e));
#if V8_MAJOR_VERSION >= 13
  v8::MemorySpan<const Local<String>> span(names.data(), names.size());
#else
  const std::vector<Local<String>>& span = names;
#endif
  return v8::Module::CreateSyntheticModule(realm->isolate, Text(realm->isolate, name), span, EvaluateSynthetic);
}

MaybeLocal<v8::Promise> DynamicImport(Local<Context> context, Local<v8::Data>, Local<Value> referrer, Local<String> specifier,
                                      Local<v8::FixedArray> attributes) {
  Isolate* isolate = Isolate::GetCurrent();
  Realm* realm = Of(isolate);
  v8::EscapableHandleScope handles(isolate);
  Local<v8::Promise::Resolver> resolver;
  if (!v8::Promise::Resolver::New(context).ToLocal(&resolver)) return {};
  TryCatch caught(isolate);
  auto reject = [&](Local<Value> error) {
    (void)resolver->Reject(context, error);
    return handles.Escape(resolver->GetPromise());
  };
  std::string from = Utf8(isolate, referrer), name = Utf8(isolate, specifier), type = TypeOf(realm, attributes, 2);
  char* refusal = nullptr;
  size_t size = 0;
  int index = rv8Import(realm->host, from.data(), from.size(), name.data(), name.size(), type.data(), type.size(), &refusal, &size);
  if (index < 0) {
    if (caught.HasCaught()) return reject(caught.Exception());
    Local<Value> error = v8::Exception::TypeError(Text(isolate, {refusal, size}));
    free(refusal);
    return reject(error);
  }
  Local<Function> later;
  Local<v8::Promise> loaded;
  if (resolver->Resolve(context, v8::Undefined(isolate)).IsNothing() ||
      !Function::New(context, LoadLater, v8::Integer::New(isolate, index)).ToLocal(&later) ||
      !resolver->GetPromise()->Then(context, later).ToLocal(&loaded)) {
    caught.ReThrow();
    return {};
  }
  return handles.Escape(loaded);
}

}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

int rv8_module_compile(rv8_realm* r, const char* name, size_t name_size, const char* source, size_t size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::Isolate* isolate = realm->isolate;
  v8::TryCatch caught(isolate);
  v8::ScriptCompiler::Source code(rv8::Code(isolate, {source, size}, {name, name_size}), rv8::Origin(isolate, rv8::Text(isolate, {name, name_size}), 0, true));
  v8::Local<v8::Module> module;
  if (!v8::ScriptCompiler::CompileModule(isolate, &code).ToLocal(&module)) return -rv8::Caught(realm, caught, true);
  int index = rv8::Add(realm, module);
  realm->modules.back().name = std::string(name, name_size);
  return index;
}

int rv8_module_json(rv8_realm* r, const char* name, size_t name_size, const char* source, size_t size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch caught(realm->isolate);
  v8::Local<v8::Value> value;
  if (!v8::JSON::Parse(realm->context_local(), rv8::Text(realm->isolate, {source, size})).ToLocal(&value)) {
    return -rv8::Caught(realm, caught, true);
  }
  int index = rv8::Add(realm, rv8::Synthetic(realm, {name, name_size}, {"default"}));
  realm->modules.back().value.Reset(realm->isolate, value);
  return index;
}

// exports: the names, one a line.
int rv8_module_part(rv8_realm* r, const char* name, size_t name_size, const char* exports, size_t exports_size) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  std::vector<std::string> names;
  std::string_view rest(exports, exports_size);
  while (!rest.empty()) {
    size_t end = rest.find('\n');
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  int index = rv8::Add(realm, rv8::Synthetic(realm, {name, name_size}, names));
  realm->modules.back().part = std::string(name, name_size);
  realm->modules.back().exports = std::move(names);
  return index;
}

int rv8_module_requests(rv8_realm* r, int module) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::Local<v8::Module> m = rv8::Record(realm, module).module.Get(realm->isolate);
  return !m.IsEmpty() && m->IsSourceTextModule() ? m->GetModuleRequests()->Length() : 0;
}

void rv8_module_request(rv8_realm* r, int module, int index, rv8_request* out) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::Local<v8::ModuleRequest> request = rv8::Request(realm, module, index);
  v8::Location at = rv8::Record(realm, module).module.Get(realm->isolate)->SourceOffsetToLocation(request->GetSourceOffset());
  out->specifier = realm->Keep(rv8::Utf8(realm->isolate, request->GetSpecifier()));
  out->type = realm->Keep(rv8::TypeOf(realm, rv8::Attributes(request), 3));
  rv8::Position mapped = rv8::MapPosition(realm, rv8::Record(realm, module).name, {at.GetLineNumber() + 1, at.GetColumnNumber() + 1});
  out->line = mapped.line;
  out->column = mapped.column;
}

void rv8_module_link(rv8_realm* r, int module, const char* specifier, size_t size, int target) {
  Realm* realm = static_cast<Realm*>(r);
  rv8::Record(realm, module).links[std::string(specifier, size)] = target;
}

int rv8_module_instantiate(rv8_realm* r, int module) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch caught(realm->isolate);
  std::set<int> seen;
  if (!rv8::Prepare(realm, module, seen)) return rv8::Caught(realm, caught, false);
  if (rv8::Record(realm, module).module.Get(realm->isolate)
          ->InstantiateModule(realm->context_local(), rv8::Resolve)
          .IsNothing()) {
    int status = rv8::Caught(realm, caught, true);
    realm->failure_syntax = false;  // a name that is not exported may be missed by a file that is not the user's
    return status;
  }
  return RV8_OK;
}

// Evaluates; the evaluation's promise becomes the main value.
int rv8_module_run(rv8_realm* r, int module) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch caught(realm->isolate);
  v8::Local<v8::Value> done;
  if (!rv8::Record(realm, module).module.Get(realm->isolate)->Evaluate(realm->context_local()).ToLocal(&done)) {
    return rv8::Caught(realm, caught, false);
  }
  return rv8::SetAwaited(realm, done, caught);
}

// Calls the default export with the run's arguments, or takes it as the value.
int rv8_module_call_default(rv8_realm* r, int module) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  v8::TryCatch caught(realm->isolate);
  v8::Local<v8::Object> names =
      rv8::Record(realm, module).module.Get(realm->isolate)->GetModuleNamespace().As<v8::Object>();
  v8::Local<v8::String> name = rv8::Ascii(realm->isolate, "default");
  v8::Local<v8::Value> value;
  if (!names->Get(realm->context_local(), name).ToLocal(&value)) return rv8::Caught(realm, caught, false);
  return value->IsFunction() ? rv8::CallMain(realm, value, caught) : rv8::SetAwaited(realm, value, caught);
}

}  // extern "C"
