//go:build ignore

// Source maps, decoded when the first position is asked for.
#include "state.h"

#include <algorithm>

namespace rv8 {
namespace {

int Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

// Reads one base-64 VLQ number at *at.
int Number(const std::string& text, size_t* at) {
  unsigned value = 0, shift = 0;
  while (*at < text.size() && shift < 32) {
    int digit = Digit(text[*at]);
    if (digit < 0) break;
    ++*at;
    value |= static_cast<unsigned>(digit & 31) << shift;
    shift += 5;
    if ((digit & 32) == 0) break;
  }
  int magnitude = static_cast<int>(value >> 1);
  return (value & 1) ? -magnitude : magnitude;
}

void Decode(SourceMap& map) {
  map.decoded = true;
  const std::string& text = map.mappings;
  Segment s{0, 0, 0, 0};
  for (size_t at = 0; at < text.size();) {
    char c = text[at];
    if (c == ';') {
      s.line++, s.column = 0, at++;
    } else if (c == ',') {
      at++;
    } else if (Digit(c) < 0) {
      return;
    } else {
      s.column += Number(text, &at);
      bool mapped = at < text.size() && Digit(text[at]) >= 0;
      if (mapped) {
        Number(text, &at);  // the one source
        s.source_line += Number(text, &at);
        s.source_column += Number(text, &at);
        if (at < text.size() && Digit(text[at]) >= 0) Number(text, &at);  // a name
        map.segments.push_back(s);
      }
    }
  }
}

}  // namespace

// What stands before the first mapping is the compiler's own, such as the helpers of decorators: it has no place in the source.
Position Locate(SourceMap& map, Position generated) {
  if (!map.decoded) Decode(map);
  int line = generated.line - 1, column = generated.column - 1;
  auto after = std::upper_bound(map.segments.begin(), map.segments.end(), std::make_pair(line, column),
                                [](const std::pair<int, int>& at, const Segment& s) { return at < std::make_pair(s.line, s.column); });
  if (after == map.segments.begin()) return {};
  const Segment& s = *--after;
  return {s.source_line + 1, s.source_column + 1};
}

Position MapPosition(Realm* realm, std::string_view script, Position generated) {
  if (generated.line == 0) return generated;
  if (generated.line == 1 && script == realm->script_name) generated.column = std::max(1, generated.column - realm->shift);
  auto found = realm->maps.find(script);
  Position at = found == realm->maps.end() ? generated : Locate(found->second, generated);
  if (at.line == 1 && script == realm->script_name) at.column = std::max(1, at.column - realm->prefix);
  return at;
}

}  // namespace rv8

extern "C" void rv8_set_map(rv8_realm* r, const char* script, size_t script_size, const char* mappings, size_t size) {
  rv8::SourceMap& map = static_cast<rv8::Realm*>(r)->maps[std::string(script, script_size)];
  map = {};
  map.mappings = std::string(mappings, size);
}

extern "C" void rv8_set_prefix(rv8_realm* r, int columns) { static_cast<rv8::Realm*>(r)->prefix = columns; }
