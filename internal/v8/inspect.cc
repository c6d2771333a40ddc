//go:build ignore

// The text of one value.
#include "inspect.h"

#include <algorithm>
#include <cmath>

namespace rv8 {
namespace {

constexpr size_t kLine = 76;

Local<v8::Private> ViewKey(Isolate* isolate) { return v8::Private::ForApi(isolate, Ascii(isolate, "view")); }

std::string More(uint32_t count) { return "... " + std::to_string(count) + (count == 1 ? " more item" : " more items"); }

// Columns that UTF-8 text takes, about.
size_t Width(const std::string& s) {
  return static_cast<size_t>(std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void Indent(std::string* text, size_t indent) {
  std::string pad = "\n" + std::string(indent, ' ');
  for (size_t at = text->find('\n'); at != std::string::npos; at = text->find('\n', at + pad.size())) text->replace(at, 1, pad);
}

std::string FunctionKind(Local<Function> function) {
  bool async = function->IsAsyncFunction(), generator = function->IsGeneratorFunction();
  return std::string(async ? "Async" : "") + (generator ? "Generator" : "") + "Function";
}

}  // namespace

Inspector::Inspector(Realm* realm) : realm_(realm), isolate_(realm->isolate), context_(realm->context_local()) {
  plain_ = Parent(Object::New(isolate_));
}

Inspector::~Inspector() {
  if (terminated_) isolate_->TerminateExecution();
}

// The descriptor of an own property. Objects that would run code for it are not asked.
bool Inspector::Own(Local<Object> object, Local<Value> key, Local<Object>* descriptor) {
  if (object->IsProxy() || !key->IsName()) return false;
  TryCatch caught(isolate_);
  Local<Value> found;
  bool ok = object->GetOwnPropertyDescriptor(context_, key.As<v8::Name>()).ToLocal(&found) && found->IsObject();
  terminated_ |= caught.HasTerminated();
  if (ok) *descriptor = found.As<Object>();
  return ok;
}

// A field of a descriptor; those that it lacks are not those of Object.prototype.
bool Inspector::Field(Local<Object> descriptor, std::string_view name, Local<Value>* value) {
  Local<String> key = Ascii(isolate_, name);
  return descriptor->HasOwnProperty(context_, key).FromMaybe(false) && descriptor->Get(context_, key).ToLocal(value);
}

Local<Value> Inspector::OwnData(Local<Object> object, std::string_view name) {
  Local<Object> descriptor;
  Local<Value> value;
  if (!Own(object, Ascii(isolate_, name), &descriptor) || !Field(descriptor, "value", &value)) return v8::Undefined(isolate_);
  return value;
}

// The name of the function that made the object, empty when there is none.
std::string Inspector::ClassName(Local<Object> object) {
  if (plain_ == Parent(object) && !object->HasOwnProperty(context_, Ascii(isolate_, "constructor")).FromMaybe(true)) return "Object";
  Local<Value> at = object;
  for (int hops = 0; at->IsObject() && !at->IsProxy() && hops < 100; hops++, at = Parent(at.As<Object>())) {
    Local<Value> maker = OwnData(at.As<Object>(), "constructor");
    if (!maker->IsFunction()) continue;
    std::string name = Utf8(isolate_, OwnData(maker.As<Object>(), "name"));
    if (!name.empty()) return name;
  }
  return {};
}

std::string Inspector::Tag(Local<Object> object) {
  Local<Value> at = object;
  for (int hops = 0; at->IsObject() && !at->IsProxy() && at != plain_ && hops < 100; hops++, at = Parent(at.As<Object>())) {
    Local<Object> descriptor;
    Local<Value> value;
    if (!Own(at.As<Object>(), v8::Symbol::GetToStringTag(isolate_), &descriptor)) continue;
    return Field(descriptor, "value", &value) ? Utf8(isolate_, value) : std::string();
  }
  return {};
}

std::string Inspector::Show(Local<Value> value, size_t indent) {
  if (!value->IsObject()) {
    std::string text = Primitive(value);
    spent_ += text.size();
    return text;
  }
  HandleScope handles(isolate_);
  while (value->IsProxy()) {
    Local<v8::Proxy> proxy = value.As<v8::Proxy>();
    if (proxy->IsRevoked()) return "<Revoked Proxy>";
    value = proxy->GetTarget();
  }
  Local<Object> object = value.As<Object>();
  auto number = [&] { return std::to_string(std::find(circular_.begin(), circular_.end(), object) - circular_.begin() + 1); };
  if (std::find(path_.begin(), path_.end(), object) != path_.end()) {
    if (std::find(circular_.begin(), circular_.end(), object) == circular_.end()) {
      circular_.push_back(*std::find(path_.begin(), path_.end(), object));
    }
    return "[Circular *" + number() + "]";
  }
  if (spent_ >= kShownTotal || terminated_) return "...";
  spent_ += 4;
  if (path_.size() > kShownDepth) {
    if (object->IsArray() && object.As<v8::Array>()->Length() > 0) return "[Array]";
    Local<v8::Array> keys;
    bool leaf = object->IsFunction() || object->IsDate() || object->IsRegExp() || object->IsNativeError() || object->IsArray() ||
                (Parent(object) == plain_ && object->GetOwnPropertyNames(context_).ToLocal(&keys) && keys->Length() == 0);
    if (!leaf) {
      std::string name = ClassName(object);
      return "[" + (name.empty() ? "Object" : name) + "]";
    }
  }
  path_.push_back(object);
  std::string text = Describe(object, indent);
  path_.pop_back();
  auto again = std::find(circular_.begin(), circular_.end(), object);
  if (again == circular_.end()) return text;
  text = "<ref *" + number() + "> " + text;
  again->Clear();  // its handle ends here, its number stays taken
  return text;
}

std::string Inspector::Describe(Local<Object> object, size_t indent) {
  if (object->IsFunction()) return DescribeFunction(object.As<Function>(), indent);
  if (object->IsNativeError()) return DescribeError(object, indent);

  std::string name = ClassName(object), tag = Tag(object), out;
  std::string extra = tag.empty() || tag == name ? "" : " [" + tag + "]";
  if (DescribeExotic(object, indent, name, extra, &out)) return out;

  Items items;
  if (object->IsArray()) {
    uint32_t length = object.As<v8::Array>()->Length();
    Elements(object, length, &items, indent);
    size_t elements = items.size();
    Properties(object, &items, indent, false);
    std::string head = name == "Array" && extra.empty() ? "" : (name.empty() ? "[Array: null prototype]" : name) + "(" + std::to_string(length) + ")" + extra + " ";
    return Lines(head, '[', items, ']', items.size() == elements, indent);
  }
  std::string prefix = (name.empty() ? "[Object: null prototype]" : name) + extra + " ";
  if (DescribeView(object, indent, prefix, &out)) return out;
  if (object->IsWeakMap() || object->IsWeakSet()) items.push_back("<items unknown>");
  Properties(object, &items, indent, true);
  return Lines(name == "Object" && extra.empty() ? "" : prefix, '{', items, '}', false, indent);
}

// A class of the platform shows what its view makes of the object, not its empty self.
bool Inspector::DescribeView(Local<Object> object, size_t indent, const std::string& prefix, std::string* out) {
  Local<v8::Private> key = ViewKey(isolate_);
  Local<Value> at = Parent(object);
  for (int hops = 0; at->IsObject() && !at->IsProxy() && at != plain_ && hops < 10; hops++, at = Parent(at.As<Object>())) {
    Local<Value> view, seen, argument = object;
    if (!at.As<Object>()->GetPrivate(context_, key).ToLocal(&view) || !view->IsFunction()) continue;
    TryCatch caught(isolate_);
    bool ok = view.As<Function>()->Call(context_, v8::Undefined(isolate_), 1, &argument).ToLocal(&seen);
    terminated_ |= caught.HasTerminated();
    if (!ok || !seen->IsObject()) return false;
    Items items;
    if (seen->IsMap()) Pairs(seen.As<v8::Map>()->AsArray(), true, &items, indent);
    else Properties(seen.As<Object>(), &items, indent, true);
    Properties(object, &items, indent, true);
    *out = Lines(prefix, '{', items, '}', false, indent);
    return true;
  }
  return false;
}

std::string Inspector::DescribeFunction(Local<Function> function, size_t indent) {
  Local<Value> own = OwnData(function, "name");
  std::string label = Utf8(isolate_, own), kind = ClassName(function), text;
  Local<String> source;
  bool known = function->FunctionProtoToString(context_).ToLocal(&source);
  std::vector<uint16_t> head = known ? Units(source, 6) : std::vector<uint16_t>();
  constexpr std::string_view kClass = "class";
  if (head.size() == 6 && std::equal(kClass.begin(), kClass.end(), head.begin()) && (head[5] == ' ' || head[5] == '{')) {
    Local<Value> parent = Parent(function);
    std::string above = parent->IsFunction() ? Utf8(isolate_, OwnData(parent.As<Object>(), "name")) : "";
    text = "[class " + (label.empty() ? "(anonymous)" : label) + (above.empty() ? "" : " extends " + above) + "]";
  } else {
    if (kind.empty()) kind = FunctionKind(function);
    text = "[" + kind + (label.empty() ? " (anonymous)" : ": " + label) + "]";
  }
  Items items;
  Properties(function, &items, indent, true);
  return items.empty() ? text : Lines(text + " ", '{', items, '}', false, indent);
}

std::string Inspector::DescribeError(Local<Object> error, size_t indent) {
  std::string text;
  {
    TryCatch caught(isolate_);
    Local<Value> stack;
    if (error->Get(context_, Ascii(isolate_, "stack")).ToLocal(&stack)) text = Utf8(isolate_, stack);
    terminated_ |= caught.HasTerminated();
  }
  if (text.empty()) {
    std::string name = ClassName(error), message = Utf8(isolate_, OwnData(error, "message"));
    text = "[" + (name.empty() ? "Error" : name) + (message.empty() ? "" : ": " + message) + "]";
  }
  if (text.size() > kShownTotal) text.resize(kShownTotal);
  spent_ += text.size();
  Items items;
  for (std::string_view name : {"cause", "errors"}) {
    Local<Object> descriptor;
    Local<Value> enumerable;
    Local<String> key = Ascii(isolate_, name);
    if (Own(error, key, &descriptor) && Field(descriptor, "enumerable", &enumerable) && enumerable->IsFalse()) {
      items.push_back(Property(error, key, indent + 2, false));
    }
  }
  Properties(error, &items, indent, true, text);
  if (indent > 0) Indent(&text, indent);
  return items.empty() ? text : Lines(text + " ", '{', items, '}', false, indent);
}

std::string Inspector::Property(Local<Object> object, Local<Value> key, size_t indent, bool bare) {
  Local<Object> descriptor;
  Local<Value> value;
  std::string text = "undefined";
  bool hidden = false;
  if (Own(object, key, &descriptor)) {
    hidden = Field(descriptor, "enumerable", &value) && value->IsFalse();
    if (Field(descriptor, "value", &value)) {
      text = Show(value, indent);
    } else {
      bool get = Field(descriptor, "get", &value) && value->IsFunction(), set = Field(descriptor, "set", &value) && value->IsFunction();
      text = get && set ? "[Getter/Setter]" : get ? "[Getter]" : "[Setter]";
    }
  }
  if (bare) return text;
  std::string label = hidden && key->IsString() ? "[" + Utf8(isolate_, key) + "]" : Key(key);
  return label + ": " + text;
}

// Appends the enumerable own properties. Of an error those are left out that its text, known, shows already.
void Inspector::Properties(Local<Object> object, Items* items, size_t indent, bool indices, std::string_view known) {
  Local<v8::Array> keys;
  TryCatch caught(isolate_);
  if (!object->GetPropertyNames(context_, v8::KeyCollectionMode::kOwnOnly, v8::ONLY_ENUMERABLE,
                                indices ? v8::IndexFilter::kIncludeIndices : v8::IndexFilter::kSkipIndices, v8::KeyConversionMode::kConvertToString)
           .ToLocal(&keys)) {
    terminated_ |= caught.HasTerminated();
    return;
  }
  for (uint32_t i = 0; i < keys->Length() && spent_ < kShownTotal; i++) {
    if (i >= kShownKeys) {
      items->push_back("... more properties");
      return;
    }
    Local<Value> key;
    if (!keys->Get(context_, i).ToLocal(&key)) continue;
    if (!known.empty() && key->IsString()) {
      std::string name = Utf8(isolate_, key);
      if (name == "stack") continue;
      if ((name == "name" || name == "message") && known.find(Utf8(isolate_, OwnData(object, name))) != std::string_view::npos) continue;
    }
    items->push_back(Property(object, key, indent + 2, false));
  }
}

void Inspector::Elements(Local<Object> object, uint32_t length, Items* items, size_t indent) {
  constexpr uint32_t kHoles = 10000;  // as many are counted; a sparse array may be as long as it likes
  uint32_t at = 0;
  while (at < length && items->size() < kShownItems && spent_ < kShownTotal) {
    if (object->HasRealIndexedProperty(context_, at).FromMaybe(false)) {
      Local<Value> key = v8::Integer::NewFromUnsigned(isolate_, at++)->ToString(context_).FromMaybe(String::Empty(isolate_));
      items->push_back(Property(object, key, indent + 2, true));
      continue;
    }
    uint32_t from = at;
    while (at < length && at - from < kHoles && !object->HasRealIndexedProperty(context_, at).FromMaybe(false)) at++;
    if (at - from == kHoles) at = length;
    items->push_back("<" + std::to_string(at - from) + (at - from == 1 ? " empty item>" : " empty items>"));
  }
  if (at < length) items->push_back(More(length - at));
}

void Inspector::Pairs(Local<v8::Array> entries, bool keyed, Items* items, size_t indent) {
  uint32_t step = keyed ? 2 : 1, length = entries->Length();
  for (uint32_t i = 0; i < length; i += step) {
    if (i / step >= kShownItems || spent_ >= kShownTotal) {
      items->push_back(More((length - i) / step));
      return;
    }
    Local<Value> key, value;
    if (!entries->Get(context_, i).ToLocal(&key)) continue;
    std::string text = Show(key, indent + 2);
    if (keyed && entries->Get(context_, i + 1).ToLocal(&value)) text += " => " + Show(value, indent + 2);
    items->push_back(std::move(text));
  }
}

// On one line what fits there, else an item a line; a long list of short items is filled like a paragraph.
std::string Inspector::Lines(std::string prefix, char open, const Items& items, char close, bool fill, size_t indent) {
  if (items.empty()) return prefix + open + close;
  size_t total = prefix.size() + indent + items.size() * 2;
  bool flat = prefix.find('\n') == std::string::npos;
  for (const std::string& item : items) {
    total += Width(item);
    flat = flat && item.find('\n') == std::string::npos;
  }
  std::string out = std::move(prefix) + open;
  if (flat && total <= kLine) {
    for (size_t i = 0; i < items.size(); i++) out += (i ? ", " : " ") + items[i];
    return out + " " + close;
  }
  std::string pad = "\n" + std::string(indent + 2, ' ');
  size_t width = 0;
  for (size_t i = 0; i < items.size(); i++) {
    size_t wide = Width(items[i]) + 2;
    bool room = fill && items.size() > 6 && width > 0 && width + wide + indent < kLine;
    out += (i ? "," : "") + (room ? std::string(" ") : pad) + items[i];
    width = room ? width + wide : wide;
  }
  return out + "\n" + std::string(indent, ' ') + close;
}

void SetView(Realm* realm, Local<Object> prototype, Local<Function> view) {
  (void)prototype->SetPrivate(realm->context_local(), ViewKey(realm->isolate), view);
}

}  // namespace rv8
