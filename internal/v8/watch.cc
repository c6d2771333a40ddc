//go:build ignore

// The control thread: the one way to reach a realm whose JavaScript does not come back.
#include "state.h"

#include <cerrno>
#include <pthread.h>
#include <unistd.h>

namespace {

struct Watch {
  rv8_realm* realm;
  int fd;
};

void* Run(void* data) {
  Watch* watch = static_cast<Watch*>(data);
  for (;;) {
    char command = 0;
    ssize_t n = read(watch->fd, &command, 1);
    if (n < 0 && errno == EINTR) continue;
    int reason = n <= 0 ? RV8_HANGUP : command == 'T' ? RV8_DEADLINE : RV8_ABORT;
    rv8_stop(watch->realm, reason);
    if (n <= 0) return nullptr;
  }
}

}  // namespace

extern "C" int rv8_watch(rv8_realm* realm, int fd) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  int failed = pthread_create(&thread, &attributes, Run, new Watch{realm, fd});
  pthread_attr_destroy(&attributes);
  return failed;
}
