//go:build ignore

// Errors as the user may see them: positions of his own source, frames of his own files.
#include "state.h"

#include <algorithm>

#include "values.h"

namespace rv8 {
namespace {

constexpr size_t kMaxText = 64 << 10;

bool Own(std::string_view script) { return script.substr(0, kOwnScripts.size()) == kOwnScripts; }

std::string Clip(std::string s) {
  if (s.size() <= kMaxText) return s;
  size_t end = kMaxText;
  while (end > 0 && (static_cast<unsigned char>(s[end]) & 0xc0) == 0x80) end--;
  s.resize(end);
  return s + "…";
}

// A property as text. Getters of the guest may run; what they throw counts as no text.
std::string TextOf(Realm* realm, Local<Object> object, std::string_view name) {
  if (realm->stopped.load() != RV8_RUNNING) return {};  // by one that did not come back: the next would not either
  TryCatch ignored(realm->isolate);
  Local<Value> value;
  Local<String> text;
  bool found = GetOwn(realm, object, name).ToLocal(&value) && !value->IsNullOrUndefined() && value->ToString(realm->context_local()).ToLocal(&text);
  if (ignored.HasTerminated()) realm->isolate->TerminateExecution();  // of whoever reads a stack, too
  return found ? Utf8(realm->isolate, text) : std::string();
}

std::string Shown(Realm* realm, const std::string& script) { return script == realm->script_name ? realm->script_label : script; }

void Append(std::string* out, Realm* realm, const std::string& script, const std::string& function, Position at) {
  std::string place = Shown(realm, script) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  *out += function.empty() ? "\n    at " + place : "\n    at " + function + " (" + place + ")";
}

void ReplaceAll(std::string* text, const std::string& from, const std::string& to) {
  if (from.empty() || from == to) return;
  for (size_t at = text->find(from); at != std::string::npos; at = text->find(from, at + to.size())) text->replace(at, from.size(), to);
}

// Calls a method of a call site. Guests never hold one, so its prototype is V8's own.
Local<Value> Ask(Realm* realm, Local<Object> site, std::string_view method) {
  Local<Context> context = realm->context_local();
  Local<Value> function, result = v8::Undefined(realm->isolate);
  if (GetOwn(realm, site, method).ToLocal(&function) && function->IsFunction()) {
    (void)function.As<Function>()->Call(context, site, 0, nullptr).ToLocal(&result);
  }
  return result;
}

int AskNumber(Realm* realm, Local<Object> site, std::string_view method) {
  Local<Value> n = Ask(realm, site, method);
  return n->IsInt32() ? n.As<v8::Int32>()->Value() : 0;
}

std::string Header(Realm* realm, Local<Value> error) {
  if (!error->IsObject()) return "Error";
  std::string name = TextOf(realm, error.As<Object>(), "name"), message = TextOf(realm, error.As<Object>(), "message");
  if (name.empty()) name = "Error";
  return message.empty() ? name : name + ": " + message;
}

Local<v8::Array> Mark(Realm* realm, Local<Value> error) {
  Local<Value> mark;
  if (error->IsObject() && !error->IsProxy() &&
      error.As<Object>()->GetPrivate(realm->context_local(), realm->mark.Get(realm->isolate)).ToLocal(&mark) && mark->IsArray()) {
    return mark.As<v8::Array>();
  }
  return {};
}

std::string MarkText(Realm* realm, Local<v8::Array> mark, uint32_t index) {
  Local<Value> value;
  return mark->Get(realm->context_local(), index).ToLocal(&value) ? Utf8(realm->isolate, value) : std::string();
}

// Whether a frame is the compiler's own: it has a place in what was made of the source, and none in the source.
bool Added(Position raw, Position at) { return raw.line > 0 && at.line == 0; }

// The first place in the user's source: a line of a granted module says nothing about it.
Position Top(Realm* realm, Local<v8::StackTrace> trace) {
  if (trace.IsEmpty()) return {};
  for (int i = 0; i < trace->GetFrameCount(); i++) {
    Local<v8::StackFrame> frame = trace->GetFrame(realm->isolate, static_cast<uint32_t>(i));
    std::string script = Utf8(realm->isolate, frame->GetScriptNameOrSourceURL());
    if (script != realm->script_name || frame->IsWasm()) continue;
    Position raw{frame->GetLineNumber(), frame->GetColumn()}, at = MapPosition(realm, script, raw);
    if (!Added(raw, at)) return at;
  }
  return {};
}

// The position that was noted when the error's stack was formatted. Unlike V8's own record it knows of awaits.
Position Place(Realm* realm, Local<Object> error) {
  Local<Value> place, line, column;
  if (error->IsProxy() || !error->GetPrivate(realm->context_local(), realm->place.Get(realm->isolate)).ToLocal(&place) || !place->IsArray() ||
      !place.As<v8::Array>()->Get(realm->context_local(), 0).ToLocal(&line) || !place.As<v8::Array>()->Get(realm->context_local(), 1).ToLocal(&column) ||
      !line->IsInt32() || !column->IsInt32()) {
    return {};
  }
  return {line.As<v8::Int32>()->Value(), column.As<v8::Int32>()->Value()};
}

Position Where(Realm* realm, Local<Value> error, Local<v8::Message> message) {
  if (error->IsObject()) {
    Position place = Place(realm, error.As<Object>());
    if (place.line > 0) return place;
    Position at = Top(realm, v8::Exception::GetStackTrace(error));
    if (at.line > 0) return at;
  }
  if (realm->failure_at.line > 0) return realm->failure_at;
  if (message.IsEmpty()) return {};
  Position at = Top(realm, message->GetStackTrace());
  if (at.line > 0) return at;
  std::string script = Utf8(realm->isolate, message->GetScriptResourceName());
  if (script.empty()) script = realm->script_name;  // a script form that did not compile has no name yet
  if (script != realm->script_name && !realm->failure_syntax) return {};
  int line = message->GetLineNumber(realm->context_local()).FromMaybe(0);
  if (line == 0) return {};
  return MapPosition(realm, script, {line, message->GetStartColumn() + 1});
}

}  // namespace

std::string FormatStack(Realm* realm, Local<v8::StackTrace> trace, Position* top) {
  std::string out;
  for (int i = 0; i < trace->GetFrameCount(); i++) {
    Local<v8::StackFrame> frame = trace->GetFrame(realm->isolate, static_cast<uint32_t>(i));
    std::string script = Utf8(realm->isolate, frame->GetScriptNameOrSourceURL());
    if (Own(script)) continue;
    Position raw{frame->GetLineNumber(), frame->GetColumn()}, at = MapPosition(realm, script, raw);
    if (Added(raw, at)) continue;
    if (top != nullptr && top->line == 0 && script == realm->script_name) *top = at;
    Append(&out, realm, script.empty() ? "<anonymous>" : script, Utf8(realm->isolate, frame->GetFunctionName()), at);
  }
  if (!out.empty()) out.erase(0, 1);
  return out;
}

void NoteSite(Realm* realm, Local<Object> refusal, Local<v8::StackTrace> site) {
  Isolate* isolate = realm->isolate;
  Position at;
  std::string frames = FormatStack(realm, site, &at);
  Local<Value> place[3] = {v8::Integer::New(isolate, at.line), v8::Integer::New(isolate, at.column), Text(isolate, frames)};
  (void)refusal->SetPrivate(realm->context_local(), realm->place.Get(isolate), v8::Array::New(isolate, place, 3));
}

// V8 asks for the text of error.stack when it is first read. Error.prepareStackTrace of the guest is not looked at.
MaybeLocal<Value> PrepareStack(Local<Context> context, Local<Value> error, Local<v8::Array> sites) {
  Isolate* isolate = Isolate::GetCurrent();
  Realm* realm = Of(isolate);
  v8::EscapableHandleScope handles(isolate);
  if (realm->codec->RunsNoGuest()) {  // sites cannot be asked; V8 calls again when somebody else reads the stack
    isolate->ThrowException(v8::Null(isolate));
    return {};
  }
  std::string out = Header(realm, error);
  bool first = true;
  for (uint32_t i = 0; i < sites->Length(); i++) {
    Local<Value> value;
    if (!sites->Get(context, i).ToLocal(&value) || !value->IsObject()) continue;
    Local<Object> site = value.As<Object>();
    std::string script = Utf8(isolate, Ask(realm, site, "getScriptNameOrSourceURL"));
    if (Own(script)) continue;
    std::string text = Utf8(isolate, Ask(realm, site, "toString"));
    ReplaceAll(&text, " (:", " (" + realm->script_name + ":");  // evaluated by the script form, whose name comes from a comment
    if (!script.empty()) {
      Position raw{AskNumber(realm, site, "getLineNumber"), AskNumber(realm, site, "getColumnNumber")};
      Position at = MapPosition(realm, script, raw);
      if (Added(raw, at)) continue;
      if (first && script == realm->script_name && error->IsObject() && !error->IsProxy()) {
        first = false;
        Local<Value> place[2] = {v8::Integer::New(isolate, at.line), v8::Integer::New(isolate, at.column)};
        (void)error.As<Object>()->SetPrivate(context, realm->place.Get(isolate), v8::Array::New(isolate, place, 2));
      }
      auto suffix = [](Position p) { return ":" + std::to_string(p.line) + ":" + std::to_string(p.column); };
      size_t found = text.rfind(suffix(raw));
      if (found != std::string::npos) text.replace(found, suffix(raw).size(), suffix(at));
      ReplaceAll(&text, realm->script_name, realm->script_label);
    }
    if (text.find(kOwnScripts) != std::string::npos) continue;  // eval at one of ours
    out += "\n    at " + text;
  }
  // An error of the supervisor's or the engine's whose caller did not await it, as in "return readText(path)", is placed at the call.
  Local<Object> noted = Mark(realm, error);
  if (noted.IsEmpty() && error->IsObject() && !error->IsProxy()) noted = error.As<Object>();
  Local<Value> site, frames;
  if (first && !noted.IsEmpty() && noted->GetPrivate(context, realm->place.Get(isolate)).ToLocal(&site) && site->IsArray() &&
      site.As<v8::Array>()->Get(context, 2).ToLocal(&frames) && frames->IsString()) {
    std::string text = Utf8(isolate, frames);
    if (!text.empty()) out += "\n" + text;
    (void)error.As<Object>()->SetPrivate(context, realm->place.Get(isolate), site);
  }
  return handles.Escape(Text(isolate, out));
}

// What an async function throws rejects its promise without a call, and V8 then knows the function and no place in it. A call
// stands in the stack as a frame of V8's own, but for that of a constructor, which rejects for what its argument threw.
Position Rejecting(Realm* realm) {
  Local<Object> error = v8::Exception::Error(String::Empty(realm->isolate)).As<Object>();
  std::string stack = TextOf(realm, error, "stack");
  auto native = [](std::string_view line) { return line.find(':') == std::string_view::npos; };
  size_t first = stack.find("\n    at ");
  if (first == std::string::npos) return {};
  size_t second = stack.find('\n', first + 1);
  if (!native(std::string_view(stack).substr(first, second - first))) return {};
  if (second != std::string::npos && std::string_view(stack).substr(second).substr(0, 12) == "\n    at new ") return {};
  return Place(realm, error);
}

Position Failure(Realm* realm) { return Where(realm, realm->failure.Get(realm->isolate), realm->failure_message.Get(realm->isolate)); }

void Fail(Realm* realm, Local<Value> error, Local<v8::Message> message, Position at) {
  if (realm->failed) return;
  realm->failed = true;
  realm->failure_syntax = realm->failure_unhandled = false;
  realm->failure.Reset(realm->isolate, error);
  realm->failure_message.Reset(realm->isolate, message);
  realm->failure_at = at;
}

int Caught(Realm* realm, TryCatch& caught, bool syntax) {
  if (caught.HasTerminated() || realm->stopped.load() != RV8_RUNNING) return RV8_TERMINATED;
  if (!caught.HasCaught()) return RV8_TERMINATED;
  if (realm->fatal) return syntax ? RV8_SYNTAX : RV8_THREW;  // the run has its failure
  realm->failed = false;
  Fail(realm, caught.Exception(), caught.Message());
  realm->failure_syntax = syntax;
  return syntax ? RV8_SYNTAX : RV8_THREW;
}

}  // namespace rv8

using rv8::Realm;
using rv8::Scope;

extern "C" {

void rv8_forget(rv8_realm* r) {
  Realm* realm = static_cast<Realm*>(r);
  realm->failed = realm->failed && realm->fatal;
}

void rv8_interrupt_stack(rv8_realm* r, rv8_bytes* stack, int* line, int* column) {
  Realm* realm = static_cast<Realm*>(r);
  *stack = {realm->interrupt_stack.data(), realm->interrupt_stack.size()};
  *line = realm->interrupt_at.line;
  *column = realm->interrupt_at.column;
}

void rv8_error(rv8_realm* r, rv8_error_info* out) {
  Realm* realm = static_cast<Realm*>(r);
  Scope scope(realm);
  *out = {};
  if (!realm->failed) return;
  v8::Isolate* isolate = realm->isolate;
  v8::TryCatch ignored(isolate);
  v8::Local<v8::Value> error = realm->failure.Get(isolate);
  auto text = [&](std::string_view name) { return rv8::Clip(rv8::TextOf(realm, error.As<v8::Object>(), name)); };
  out->is_error = error->IsNativeError();
  out->unhandled = realm->failure_unhandled;
  if (out->is_error) {
    out->name = realm->Keep(text("name"));
    out->message = realm->Keep(text("message"));
    out->stack = realm->Keep(text("stack"));
  } else if (error->IsString()) {
    out->message = realm->Keep(rv8::Clip(rv8::Utf8(isolate, error)));
  } else {
    out->message = realm->Keep(rv8::Clip(rv8::Inspect(realm, error)));
  }
  rv8::Position at = rv8::Failure(realm);  // after the stack was read
  out->line = at.line;
  out->column = at.column;
  v8::Local<v8::Array> mark = rv8::Mark(realm, error);
  if (!mark.IsEmpty()) {
    out->denied = rv8::MarkText(realm, mark, 0) == "denied";
    out->code = realm->Keep(rv8::MarkText(realm, mark, 1));
    out->capability = realm->Keep(rv8::MarkText(realm, mark, 3));
    out->target = realm->Keep(rv8::MarkText(realm, mark, 4));
    out->hint = realm->Keep(rv8::MarkText(realm, mark, 5));
  }
  if (realm->stopped.load() != RV8_RUNNING) return;  // by a getter that did not come back
  std::string encoded;
  rv8::EncodeError problem;
  if (rv8::Encode(realm, error, "thrown", rv8::kMaxText, &encoded, &problem)) out->thrown = realm->Keep(std::move(encoded));
}

}  // extern "C"
