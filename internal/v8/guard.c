// Linked with -Wl,--wrap=mmap64 (the Makefile does) every call of mmap64 comes here first.
//
// When it starts, V8 wants the first four gigabytes of the address space to be inaccessible and tries 256 times, one page higher
// each time, to reserve them: an mmap and an munmap of four gigabytes each, a tenth of the realm's whole start. The
// realm's image is not position-independent and lies in that range, so none of the tries can succeed. They fail here at once.
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

void* __real_mmap64(void*, size_t, int, int, int, off_t) __attribute__((weak));

// Part of the image: it is position-independent when this lies above the range.
static const char image;

void* __wrap_mmap64(void* hint, size_t size, int protection, int flags, int fd, off_t offset) {
  const uintptr_t first = 4096, last = 1 << 20;
  const size_t range = (size_t)4 << 30;
  uintptr_t start = (uintptr_t)hint;
  if (protection == PROT_NONE && start >= first && start <= last && start + size == range && (uintptr_t)&image < range) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return __real_mmap64(hint, size, protection, flags, fd, offset);
}
