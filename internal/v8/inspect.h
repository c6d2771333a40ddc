// Values as text for people: what the console prints.
#ifndef RV8_INSPECT_H
#define RV8_INSPECT_H

#include "state.h"

namespace rv8 {

// The bounds of one message. However large a value is, little more is looked at than is shown.
constexpr size_t kShownDepth = 4;
constexpr uint32_t kShownItems = 100;
constexpr uint32_t kShownKeys = 200;
constexpr int kShownString = 10000;  // UTF-16 units of a quoted string
constexpr size_t kShownTotal = 128 << 10;

// Writes one value. Reads data properties only: of the guest's code nothing runs but the getter of an error's stack.
class Inspector {
 public:
  explicit Inspector(Realm* realm);
  // Reasserts a termination that reading a stack met.
  ~Inspector();

  std::string Show(Local<Value> value, size_t indent);

 private:
  using Items = std::vector<std::string>;

  std::string Primitive(Local<Value> value);
  std::string Quote(Local<String> text);
  std::vector<uint16_t> Units(Local<String> text, int most);
  std::string Key(Local<Value> key);

  bool Own(Local<Object> object, Local<Value> key, Local<Object>* descriptor);
  bool Field(Local<Object> descriptor, std::string_view name, Local<Value>* value);
  Local<Value> OwnData(Local<Object> object, std::string_view name);
  std::string ClassName(Local<Object> object);
  std::string Tag(Local<Object> object);

  std::string Describe(Local<Object> object, size_t indent);
  bool DescribeExotic(Local<Object> object, size_t indent, const std::string& name, const std::string& extra, std::string* out);
  std::string DescribeFunction(Local<Function> function, size_t indent);
  std::string DescribeError(Local<Object> error, size_t indent);
  std::string DescribeBuffer(Local<Object> buffer, const std::string& prefix, size_t indent);
  bool DescribeView(Local<Object> object, size_t indent, const std::string& prefix, std::string* out);
  std::string Boxed(Local<Object> object);

  std::string Property(Local<Object> object, Local<Value> key, size_t indent, bool bare);
  void Properties(Local<Object> object, Items* items, size_t indent, bool indices, std::string_view known = {});
  void Elements(Local<Object> object, uint32_t length, Items* items, size_t indent);
  void Pairs(Local<v8::Array> entries, bool keyed, Items* items, size_t indent);
  std::string Lines(std::string prefix, char open, const Items& items, char close, bool fill, size_t indent);

  Realm* realm_;
  Isolate* isolate_;
  Local<Context> context_;
  Local<Value> plain_;  // Object.prototype
  std::vector<Local<Object>> path_;
  std::vector<Local<Object>> circular_;
  size_t spent_ = 0;
  bool terminated_ = false;
};

// Makes the console show what view(object) answers for objects that inherit from prototype.
void SetView(Realm* realm, Local<Object> prototype, Local<Function> view);

}  // namespace rv8

#endif
