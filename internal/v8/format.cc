//go:build ignore

// The console's line: its arguments as one text.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "inspect.h"

namespace rv8 {
namespace {

std::string Shown(Realm* realm, Local<Value> value) {
  if (value->IsString()) return Utf8(realm->isolate, value);
  return Inspector(realm).Show(value, 0);
}

// The number that text begins with, as parseInt reads it where it is a whole one, and else parseFloat.
double Leading(std::string_view text, bool whole) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f\r"), text.size()));
  size_t at = !text.empty() && (text[0] == '+' || text[0] == '-');
  std::string_view digits = whole ? "0123456789" : "0123456789.eE+-";
  if (!whole && text.substr(at, 8) == "Infinity") return text[0] == '-' ? -INFINITY : INFINITY;
  if (whole && (text.substr(at, 2) == "0x" || text.substr(at, 2) == "0X")) {
    digits = "0123456789abcdefABCDEF";
    at += 2;
  }
  if (at == text.size() || digits.find(text[at]) == std::string_view::npos) return NAN;
  std::string number(text.substr(0, text.find_first_not_of(digits, at)));
  char* end = nullptr;
  double n = strtod(number.c_str(), &end);
  return end == number.c_str() ? NAN : n;
}

// %d, %i and %f: the number of a primitive. Objects are not asked for one.
std::string Numeric(Realm* realm, Local<Value> value, char directive) {
  Local<Context> context = realm->context_local();
  if (value->IsBigInt() && directive != 'f') return Inspector(realm).Show(value, 0);
  double n = NAN;
  if (value->IsString() && directive != 'd') {
    n = Leading(Utf8(realm->isolate, value), directive == 'i');
  } else if (!value->IsObject() && !value->IsSymbol() && !value->IsBigInt()) {
    n = value->NumberValue(context).FromMaybe(NAN);
  }
  if (directive == 'i') n = std::trunc(n) + 0.0;
  return Inspector(realm).Show(v8::Number::New(realm->isolate, n), 0);
}

std::string Directive(Realm* realm, char directive, Local<Value> value) {
  switch (directive) {
    case 's': return value->IsString() ? Utf8(realm->isolate, value) : Inspector(realm).Show(value, 0);
    case 'd': case 'i': case 'f': return Numeric(realm, value, directive);
    case 'j': {
      TryCatch ignored(realm->isolate);
      Local<String> json;
      if (v8::JSON::Stringify(realm->context_local(), value).ToLocal(&json)) return Utf8(realm->isolate, json);
      if (ignored.HasTerminated()) realm->isolate->TerminateExecution();
      return Inspector(realm).Show(value, 0);
    }
    case 'o': case 'O': return Inspector(realm).Show(value, 0);
  }
  return {};  // %c is for colours
}

// Replaces the directives of text by arguments from next on.
std::string Expand(Realm* realm, const std::string& text, Local<v8::Array> args, uint32_t* next) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '%' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    char directive = text[i + 1];
    Local<Value> value;
    if (directive == '%') {
      out += '%';
      i++;
    } else if (std::string_view("sdifjoOc").find(directive) != std::string_view::npos && *next < args->Length() &&
               args->Get(realm->context_local(), *next).ToLocal(&value)) {
      out += Directive(realm, directive, value);
      ++*next;
      i++;
    } else {
      out += '%';
    }
  }
  return out;
}

void FormatCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Realm* realm = Of(info.GetIsolate());
  if (!info[0]->IsArray()) return;
  Local<v8::Array> args = info[0].As<v8::Array>();
  uint32_t next = 0;
  std::string out;
  Local<Value> first;
  if (args->Length() > 1 && args->Get(realm->context_local(), 0).ToLocal(&first) && first->IsString()) {
    next = 1;
    out = Expand(realm, Utf8(realm->isolate, first), args, &next);
  }
  for (bool begun = next > 0; next < args->Length(); next++, begun = true) {
    Local<Value> value;
    if (!args->Get(realm->context_local(), next).ToLocal(&value)) return;
    out += (begun ? " " : "") + Shown(realm, value);
  }
  info.GetReturnValue().Set(Text(realm->isolate, out));
}

void InspectCallback(const v8::FunctionCallbackInfo<Value>& info) {
  Realm* realm = Of(info.GetIsolate());
  info.GetReturnValue().Set(Text(realm->isolate, Inspector(realm).Show(info[0], 0)));
}

}  // namespace

void InstallInspect(Realm* realm, Local<Object> native) {
  Method(realm, native, "format", FormatCallback);
  Method(realm, native, "inspect", InspectCallback);
}

}  // namespace rv8
