//go:build ignore

// Numbers and heads of the wire form.
#include <cmath>

#include "codec_state.h"

namespace rv8 {

void AppendBigEndian(uint64_t n, int bytes, std::string* out) {
  char b[8];
  for (int i = bytes - 1; i >= 0; i--, n >>= 8) b[i] = static_cast<char>(n);
  out->append(b, static_cast<size_t>(bytes));
}

namespace {

void AppendCode(uint8_t code, uint64_t n, int bytes, std::string* out) {
  char b[9];
  b[0] = static_cast<char>(code);
  for (int i = bytes; i > 0; i--, n >>= 8) b[i] = static_cast<char>(n);
  out->append(b, static_cast<size_t>(bytes) + 1);
}

}  // namespace

void AppendStrHead(size_t n, std::string* out) {
  if (n < 32) return out->push_back(static_cast<char>(0xa0 | n));
  if (n <= UINT8_MAX) return AppendCode(0xd9, n, 1, out);
  if (n <= UINT16_MAX) return AppendCode(0xda, n, 2, out);
  AppendCode(0xdb, n, 4, out);
}

void AppendBinHead(size_t n, std::string* out) {
  if (n <= UINT8_MAX) return AppendCode(0xc4, n, 1, out);
  if (n <= UINT16_MAX) return AppendCode(0xc5, n, 2, out);
  AppendCode(0xc6, n, 4, out);
}

void AppendArrayHead(size_t n, std::string* out) {
  if (n < 16) return out->push_back(static_cast<char>(0x90 | n));
  if (n <= UINT16_MAX) return AppendCode(0xdc, n, 2, out);
  AppendCode(0xdd, n, 4, out);
}

void AppendMapHead(size_t n, std::string* out) {
  if (n < 16) return out->push_back(static_cast<char>(0x80 | n));
  if (n <= UINT16_MAX) return AppendCode(0xde, n, 2, out);
  AppendCode(0xdf, n, 4, out);
}

void AppendExtHead(uint8_t code, size_t n, std::string* out) {
  switch (n) {
    case 1: out->push_back('\xd4'); break;
    case 2: out->push_back('\xd5'); break;
    case 4: out->push_back('\xd6'); break;
    case 8: out->push_back('\xd7'); break;
    case 16: out->push_back('\xd8'); break;
    default:
      if (n <= UINT8_MAX) AppendCode(0xc7, n, 1, out);
      else if (n <= UINT16_MAX) AppendCode(0xc8, n, 2, out);
      else AppendCode(0xc9, n, 4, out);
  }
  out->push_back(static_cast<char>(code));
}

void AppendTag(uint8_t tag, size_t parts, std::string* out) {
  AppendArrayHead(parts + 1, out);
  AppendExtHead(kExtTag, 1, out);
  out->push_back(static_cast<char>(tag));
}

void AppendInteger(int64_t n, std::string* out) {
  uint64_t u = static_cast<uint64_t>(n);
  if (n >= -32 && n <= 127) return out->push_back(static_cast<char>(n));
  if (n >= 0) {
    if (n <= UINT8_MAX) return AppendCode(0xcc, u, 1, out);
    if (n <= UINT16_MAX) return AppendCode(0xcd, u, 2, out);
    if (n <= UINT32_MAX) return AppendCode(0xce, u, 4, out);
    return AppendCode(0xcf, u, 8, out);
  }
  if (n >= INT8_MIN) return AppendCode(0xd0, u, 1, out);
  if (n >= INT16_MIN) return AppendCode(0xd1, u, 2, out);
  if (n >= INT32_MIN) return AppendCode(0xd2, u, 4, out);
  AppendCode(0xd3, u, 8, out);
}

void AppendNumber(double n, std::string* out) {
  if (std::abs(n) <= kMaxSafe && n == std::trunc(n) && (n != 0 || !std::signbit(n))) return AppendInteger(static_cast<int64_t>(n), out);
  uint64_t bits;
  memcpy(&bits, &n, sizeof bits);
  AppendCode(0xcb, bits, 8, out);
}

}  // namespace rv8
