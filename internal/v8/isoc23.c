// The engine's archive was built against a C library that renamed these; older ones (glibc before 2.38) lack the new
// names. Newer ones have them, and there these forwards would call themselves.
#include <features.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__GLIBC__) && !__GLIBC_PREREQ(2, 38)

#define WEAK __attribute__((weak))

WEAK long __isoc23_strtol(const char* s, char** end, int base) { return strtol(s, end, base); }
WEAK long long __isoc23_strtoll(const char* s, char** end, int base) { return strtoll(s, end, base); }
WEAK unsigned long __isoc23_strtoul(const char* s, char** end, int base) { return strtoul(s, end, base); }
WEAK unsigned long long __isoc23_strtoull(const char* s, char** end, int base) { return strtoull(s, end, base); }

WEAK int __isoc23_sscanf(const char* s, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsscanf(s, format, arguments);
  va_end(arguments);
  return n;
}

WEAK int __isoc23_fscanf(FILE* file, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vfscanf(file, format, arguments);
  va_end(arguments);
  return n;
}

#endif
