//go:build ignore

#include "wire.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include "calls.h"

namespace rv8 {
namespace {

constexpr uint8_t kReplyOp = 65;
constexpr size_t kMaxFrame = (1u << 30) + (1u << 20);  // rpc.MaxFrameBytes
constexpr size_t kChunk = 64 << 10;
// Milliseconds for which a wait looks on before it sleeps, when the last one was about that short: to wake a processor that
// has gone idle takes longer than a whole call.
constexpr double kBriefly = 0.05;
constexpr size_t kLarge = 1 << 20;  // bytes of an answer that are read to where they stay

uint32_t Big32(const uint8_t* at) { return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3]; }

// Reads what a Reply is made of. The supervisor is trusted; a frame that does not fit ends the realm all the same.
struct Cursor {
  const uint8_t *at, *end;
  bool bad = false;

  uint64_t Take(size_t n) {
    if (static_cast<size_t>(end - at) < n) return Fail();
    uint64_t value = 0;
    while (n-- > 0) value = value << 8 | *at++;
    return value;
  }
  uint64_t Fail() {
    bad = true;
    at = end;
    return 0;
  }
  uint64_t Unsigned() {
    uint64_t c = Take(1);
    if (c < 0x80) return c;
    return c >= 0xcc && c <= 0xcf ? Take(size_t{1} << (c - 0xcc)) : Fail();
  }
  size_t Array() {
    uint64_t c = Take(1);
    return (c & 0xf0) == 0x90 ? c & 15 : c == 0xdc ? Take(2) : Fail();
  }
  std::string_view Text() {
    uint64_t c = Take(1);
    uint64_t n = (c & 0xe0) == 0xa0 ? c & 31 : c >= 0xd9 && c <= 0xdb ? Take(size_t{1} << (c - 0xd9)) : Fail();
    if (bad || n > static_cast<size_t>(end - at)) return Fail(), std::string_view();
    std::string_view text(reinterpret_cast<const char*>(at), n);
    at += n;
    return text;
  }
};

bool Settle(Realm* realm, const uint8_t* data, size_t size) {
  Cursor c{data, data + size};
  if (c.Array() != 3 || c.Take(1) != kReplyOp) return false;
  uint64_t id = c.Unsigned();
  size_t fields = c.Array();
  uint64_t fine = c.Take(1);
  if (c.bad) return false;
  if (fields == 2 && fine == 0xc3) return ResolveCall(realm, id, c.at, static_cast<size_t>(c.end - c.at));
  if (fields != 7 || fine != 0xc2) return false;
  std::string_view parts[kRefusalParts];
  for (std::string_view& part : parts) part = c.Text();
  return !c.bad && RejectCall(realm, id, parts);
}

// The length of the frame at the front of the buffer with its header, 0 while the header is not there.
size_t FrontFrame(const Wire& wire) {
  return wire.end - wire.begin < 4 ? 0 : 4 + size_t{Big32(wire.buffer.data() + wire.begin)};
}

// Makes room for the frame that has begun, or for a chunk.
bool MakeRoom(Wire& wire) {
  size_t frame = FrontFrame(wire);
  if (frame > kMaxFrame) return false;
  size_t have = wire.end - wire.begin, want = std::max(frame, have + kChunk);
  if (wire.begin > 0) {
    memmove(wire.buffer.data(), wire.buffer.data() + wire.begin, have);
    wire.begin = 0;
    wire.end = have;
  }
  if (wire.buffer.size() < want) wire.buffer.resize(want);
  return true;
}

// Fills n bytes at to from the pipe. False: the supervisor is gone, or the engine was stopped.
bool ReadFully(Realm* realm, uint8_t* to, size_t n) {
  while (n > 0) {
    if (realm->stopped.load() != RV8_RUNNING) return false;
    ssize_t got = read(realm->wire.in, to, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    n -= static_cast<size_t>(got);
  }
  return true;
}

// Answers whether the frame at the front, which is not all there, is a large one that holds bytes and nothing else. Then they are
// read into the Uint8Array that the guest gets: 64 MiB take a third of the time and half of the memory.
bool ReceiveBytes(Realm* realm, size_t frame, Received* received) {
  Wire& wire = realm->wire;
  const uint8_t* front = wire.buffer.data() + wire.begin;
  Cursor c{front + 4, wire.buffer.data() + wire.end};
  if (frame < kLarge || c.Array() != 3 || c.Take(1) != kReplyOp) return false;
  uint64_t id = c.Unsigned();
  if (c.Array() != 2 || c.Take(1) != 0xc3 || c.Take(1) != 0xc6) return false;
  size_t size = c.Take(4), have = static_cast<size_t>(c.end - c.at);
  if (c.bad || static_cast<size_t>(c.at - front) + size != frame) return false;
  HandleScope handles(realm->isolate);
  Local<v8::ArrayBuffer> buffer = v8::ArrayBuffer::New(realm->isolate, size);
  uint8_t* data = static_cast<uint8_t*>(buffer->GetBackingStore()->Data());
  memcpy(data, c.at, have);
  wire.begin = wire.end = 0;
  bool fine = ReadFully(realm, data + have, size - have) && ResolveCall(realm, id, v8::Uint8Array::New(buffer, 0, size));
  *received = fine ? Received::kReply : Received::kGone;
  return true;
}

// Drops the memory that a large frame took.
void Consume(Wire& wire, size_t n) {
  wire.begin += n;
  if (wire.begin == wire.end) {
    wire.begin = wire.end = 0;
    if (wire.buffer.size() > 16 * kChunk) wire.buffer = std::vector<uint8_t>(kChunk);
  }
}

// Reads what is there. False: the supervisor is gone, or sends what cannot be.
bool Fill(Wire& wire) {
  if (!MakeRoom(wire)) return false;
  ssize_t n = read(wire.in, wire.buffer.data() + wire.end, wire.buffer.size() - wire.end);
  if (n > 0) wire.end += static_cast<size_t>(n);
  return n > 0 || (n < 0 && errno == EINTR);
}

// Waits until the supervisor takes more, and reads meanwhile what it sends: it may be waiting for that before it takes any.
bool AwaitRoom(Wire& wire) {
  if (wire.epoll < 0) return false;
  epoll_event room{}, wake{};
  room.events = EPOLLOUT;
  room.data.fd = wire.out;
  wake.events = EPOLLIN;
  wake.data.fd = wire.wake;
  (void)epoll_ctl(wire.epoll, EPOLL_CTL_DEL, wire.wake, nullptr);  // what stops the engine is for whoever waits next
  bool fine = epoll_ctl(wire.epoll, EPOLL_CTL_ADD, wire.out, &room) == 0;
  for (bool more = false; fine && !more;) {
    epoll_event events[2];
    int n = epoll_pwait(wire.epoll, events, 2, -1, nullptr);
    fine = n >= 0 || errno == EINTR;
    for (int i = 0; i < n; i++) {
      if (events[i].data.fd == wire.out) more = true;
      else fine = Fill(wire) && fine;
    }
  }
  (void)epoll_ctl(wire.epoll, EPOLL_CTL_DEL, wire.out, nullptr);
  return epoll_ctl(wire.epoll, EPOLL_CTL_ADD, wire.wake, &wake) == 0 && fine;
}

// Writes all of them. False: the supervisor is gone.
bool Write(Wire& wire, std::vector<iovec> pieces) {
  for (size_t first = 0; first < pieces.size();) {
    ssize_t n = writev(wire.out, &pieces[first], static_cast<int>(pieces.size() - first));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN && AwaitRoom(wire)) continue;
    if (n < 0) return false;
    for (size_t left = static_cast<size_t>(n); first < pieces.size(); first++) {
      if (left < pieces[first].iov_len) {
        pieces[first].iov_base = static_cast<char*>(pieces[first].iov_base) + left;
        pieces[first].iov_len -= left;
        break;
      }
      left -= pieces[first].iov_len;
    }
  }
  return true;
}

}  // namespace

bool Send(Realm* realm, uint8_t op, uint64_t id, std::initializer_list<std::string_view> parts) {
  char head[4 + 1 + 1 + 9];
  size_t length = 2 + 9;
  for (std::string_view part : parts) length += part.size();
  if (length > kMaxFrame) return false;
  for (int i = 0; i < 4; i++) head[i] = static_cast<char>(length >> (24 - 8 * i));
  head[4] = '\x93';
  head[5] = static_cast<char>(op);
  head[6] = '\xcf';
  for (int i = 0; i < 8; i++) head[7 + i] = static_cast<char>(id >> (56 - 8 * i));
  std::vector<iovec> pieces{{head, sizeof head}};
  for (std::string_view part : parts) pieces.push_back({const_cast<char*>(part.data()), part.size()});
  return Write(realm->wire, std::move(pieces));
}

Received Receive(Realm* realm, double milliseconds) {
  Wire& wire = realm->wire;
  for (;;) {
    size_t frame = FrontFrame(wire);
    if (frame > 0 && frame <= wire.end - wire.begin) {
      bool fine = Settle(realm, wire.buffer.data() + wire.begin + 4, frame - 4);
      Consume(wire, frame);
      return fine ? Received::kReply : Received::kGone;
    }
    Received received;
    if (frame > 0 && ReceiveBytes(realm, frame, &received)) return received;
    int input = rv8_wait(realm, milliseconds);
    if (input == RV8_WAIT_GONE) return Received::kGone;
    if (input != RV8_WAIT_INPUT) return Received::kNothing;
    if (!Fill(wire)) return Received::kGone;
  }
}

}  // namespace rv8

using rv8::Realm;

extern "C" {

int rv8_connect(rv8_realm* r, int in, int out) {
  rv8::Wire& wire = static_cast<Realm*>(r)->wire;
  wire.in = in;
  wire.out = out;
  int flags = fcntl(out, F_GETFL);
  if (flags < 0 || fcntl(out, F_SETFL, flags | O_NONBLOCK) != 0) return errno;
  wire.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  wire.epoll = epoll_create1(EPOLL_CLOEXEC);
  if (wire.wake < 0 || wire.epoll < 0) return errno;
  for (int fd : {in, wire.wake}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (epoll_ctl(wire.epoll, EPOLL_CTL_ADD, fd, &event) != 0) return errno;
  }
  return 0;
}

bool rv8_write(rv8_realm* r, const char* data, size_t size) {
  return rv8::Write(static_cast<Realm*>(r)->wire, {{const_cast<char*>(data), size}});
}

void rv8_disconnect(rv8_realm* r) {
  rv8::Wire& wire = static_cast<Realm*>(r)->wire;
  for (int* fd : {&wire.wake, &wire.epoll}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
}

// Waits until input is there, the engine was stopped, or the time has passed.
int rv8_wait(rv8_realm* r, double milliseconds) {
  rv8::Wire& wire = static_cast<Realm*>(r)->wire;
  int timeout = milliseconds < 0 ? -1 : static_cast<int>(std::fmin(std::ceil(milliseconds), 1 << 30));
  if (wire.epoll < 0) return usleep(static_cast<useconds_t>(std::fmax(milliseconds, 0) * 1000)), RV8_WAIT_NOTHING;  // not connected: timers alone
  epoll_event events[2];
  int n = 0;
  double since = rv8::Now();
  if (wire.brisk && timeout != 0) {
    do {
      if ((n = epoll_pwait(wire.epoll, events, 2, 0, nullptr)) == 0) sched_yield();
    } while (n == 0 && rv8::Now() < since + rv8::kBriefly);
  }
  if (n == 0) n = epoll_pwait(wire.epoll, events, 2, timeout, nullptr);
  wire.brisk = n > 0 && rv8::Now() < since + 2 * rv8::kBriefly;
  if (n < 0) return errno == EINTR ? RV8_WAIT_NOTHING : RV8_WAIT_GONE;
  bool input = false;
  for (int i = 0; i < n; i++) {
    if (events[i].data.fd == wire.in) {
      input = true;
      continue;
    }
    uint64_t count;
    if (read(wire.wake, &count, sizeof count) < 0 && errno != EINTR && errno != EAGAIN) return RV8_WAIT_GONE;
    return RV8_WAIT_NOTHING;  // what stopped the engine comes first
  }
  return input ? RV8_WAIT_INPUT : RV8_WAIT_NOTHING;
}

}  // extern "C"
