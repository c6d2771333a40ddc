//go:build ignore

// One pass over wire bytes, before anything is made of them.
#include "codec_state.h"

namespace rv8 {

bool ScanWire(const uint8_t* data, size_t size, bool* references, const char** problem) {
  uint64_t owed = 1;
  const uint8_t *p = data, *end = data + size;
  for (; owed > 0; owed--) {
    if (owed > static_cast<uint64_t>(end - p)) return *problem = "truncated", false;
    uint8_t c = *p++;
    uint64_t skip = 0;
    int width = 0;
    if (c <= 0x7f || c >= 0xe0) continue;
    if (c <= 0x8f) {
      owed += 2 * uint64_t{c & 15u};
    } else if (c <= 0x9f) {
      owed += c & 15u;
    } else if (c <= 0xbf) {
      skip = c & 31u;
    } else if (c >= 0xc4 && c <= 0xc6) {
      width = 1 << (c - 0xc4);
    } else if (c >= 0xc7 && c <= 0xc9) {
      width = 1 << (c - 0xc7);
      skip = 1;
    } else if (c >= 0xcb && c <= 0xd3) {
      constexpr uint8_t kSizes[] = {8, 1, 2, 4, 8, 1, 2, 4, 8};
      skip = kSizes[c - 0xcb];
    } else if (c >= 0xd4 && c <= 0xd8) {
      if (p < end && *p == kExtRef) *references = true;
      skip = 1 + (uint64_t{1} << (c - 0xd4));
    } else if (c >= 0xd9 && c <= 0xdb) {
      width = 1 << (c - 0xd9);
    } else if (c >= 0xdc && c <= 0xdf) {
      width = c % 2 == 0 ? 2 : 4;
    } else if (c == 0xc1 || c == 0xca) {
      return *problem = "a code that is never used", false;
    }
    if (width > end - p) return *problem = "truncated", false;
    uint64_t n = 0;
    for (; width > 0; width--) n = n << 8 | *p++;
    if (c == 0xdc || c == 0xdd) owed += n;
    else if (c == 0xde || c == 0xdf) owed += 2 * n;
    else skip += n;
    if (skip > static_cast<uint64_t>(end - p)) return *problem = "truncated", false;
    p += skip;
  }
  return true;
}

}  // namespace rv8
