// V8 guards the first four gigabytes of the address space, where a null pointer with an offset would lead: it asks for
// them from each of the first 256 pages on until one request is met. The realm itself is linked there, so that none ever
// is; 510 system calls, a tenth of the engine's start. The requests are refused here, before the kernel is asked.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const char __executable_start[];

static const uintptr_t megabyte = 1u << 20, gigabytes = (uintptr_t)4 << 30;

void* mmap64(void* at, size_t length, int protection, int flags, int fd, off64_t offset) {
  uintptr_t from = (uintptr_t)at;
  if (from > 0 && from <= megabyte && from + length == gigabytes && (uintptr_t)__executable_start < gigabytes) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void*)syscall(SYS_mmap, at, length, protection, flags, fd, offset);
}

void* mmap(void* at, size_t length, int protection, int flags, int fd, off_t offset) {
  return mmap64(at, length, protection, flags, fd, offset);
}
