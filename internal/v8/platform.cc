//go:build ignore

// Makes classes of the prelude look like the platform's.
#include "inspect.h"
#include "state.h"

namespace rv8 {
namespace {

void Expose(Isolate* isolate, Local<Context> context, Local<Object> target, std::string_view hidden) {
  v8::PropertyDescriptor visible;
  visible.set_enumerable(true);
  Local<v8::Array> keys;
  if (!target->GetOwnPropertyNames(context, v8::SKIP_SYMBOLS).ToLocal(&keys)) return;
  for (uint32_t i = 0; i < keys->Length(); i++) {
    Local<Value> key;
    if (!keys->Get(context, i).ToLocal(&key) || !key->IsString()) continue;
    if (hidden.find(" " + Utf8(isolate, key) + " ") == std::string_view::npos) (void)target->DefineProperty(context, key.As<v8::Name>(), visible);
  }
}

// Gives a class what interfaces of the platform have and classes of the language have not: enumerable members and a tag;
// and to the console what it shows of an object of that class.
void PlatformCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Isolate* isolate = info.GetIsolate();
  Realm* realm = Of(isolate);
  Local<Context> context = realm->context_local();
  Local<Value> found;
  if (!info[0]->IsFunction() || !info[1]->IsString()) return;
  Local<Object> made = info[0].As<Object>();
  if (!made->Get(context, Ascii(isolate, "prototype")).ToLocal(&found) || !found->IsObject()) return;
  Local<Object> prototype = found.As<Object>();
  Expose(isolate, context, made, " prototype name length ");
  Expose(isolate, context, prototype, " constructor ");
  v8::PropertyDescriptor tag(info[1], false);
  tag.set_enumerable(false);
  tag.set_configurable(true);
  (void)prototype->DefineProperty(context, v8::Symbol::GetToStringTag(isolate), tag);
  if (info[2]->IsFunction()) SetView(realm, prototype, info[2].As<Function>());
  info.GetReturnValue().Set(made);
}

}  // namespace

void InstallPlatform(Realm* realm, Local<Object> native) {
  Method(realm, native, "platform", PlatformCallback);
}

}  // namespace rv8
