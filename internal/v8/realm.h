// The C face of the engine's native part, for cgo. Everything is called on the thread that entered the realm.
#ifndef RV8_REALM_H
#define RV8_REALM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rv8_realm rv8_realm;

// Bytes that stay valid until the next call on the same realm.
typedef struct {
  const char* data;
  size_t size;
} rv8_bytes;

// How a call into the engine ended.
enum {
  RV8_OK = 0,
  RV8_THREW = 1,       // see rv8_error
  RV8_SYNTAX = 2,      // see rv8_error; no guest code ran
  RV8_TERMINATED = 3,  // see rv8_stopped
};

// Why execution was stopped; the first reason wins.
enum {
  RV8_RUNNING = 0,
  RV8_DEADLINE = 1,
  RV8_ABORT = 2,
  RV8_HEAP = 3,
  RV8_HANGUP = 4,
};

typedef struct {
  bool is_error;  // an Error object, or an object that looks like one
  bool denied;    // made by the realm itself for a refused operation
  bool unhandled;  // a rejection that nobody had handled when nothing was left to wait for
  int line, column;  // 1-based, in the user's source; 0 unknown
  rv8_bytes name, message, stack, capability, target, hint, code;
  rv8_bytes thrown;  // encoded value, empty when it cannot cross
} rv8_error_info;

// Life. The thread that opens a realm holds it until it closes it. Whether code is generated is the process's choice: the
// first realm's.
rv8_realm* rv8_open(uintptr_t host, size_t heap_bytes, bool jitless);
void rv8_close(rv8_realm*);
void rv8_set_heap_limit(rv8_realm*, size_t bytes);
size_t rv8_heap_used(rv8_realm*);
void rv8_set_time_zone(rv8_realm*, const char* name);
bool rv8_knows_time_zone(rv8_realm*);
void rv8_set_write_limit(rv8_realm*, size_t bytes);  // largest data of one call that is sent at all

// The program.
void rv8_set_source(rv8_realm*, const char* name, size_t size, rv8_bytes* known_as);
void rv8_set_map(rv8_realm*, const char* script, size_t script_size, const char* mappings, size_t size);
void rv8_set_prefix(rv8_realm*, int columns);
void rv8_warm(rv8_realm*, const char* part, size_t size);
int rv8_run_script(rv8_realm*, const char* source, size_t size);
int rv8_run_function(rv8_realm*, const char* source, size_t size, bool wrapped);
int rv8_run_binding(rv8_realm*, const char* name, size_t name_size, const char* source, size_t size, const uint8_t* binary, size_t binary_size);
int rv8_set_arguments(rv8_realm*, const uint8_t* args, size_t args_size, const uint8_t* input, size_t input_size);
int rv8_set_lazy(rv8_realm*, const char* global, size_t size, const char* part, size_t part_size);
int rv8_set_tool(rv8_realm*, const char* name, size_t size);  // a lazy global: what the part "capabilities" makes for the name
int rv8_define_part(rv8_realm*, const char* name, size_t size, const char* source, size_t source_size);

// Modules are numbered from 0. A negative number is the status, negated.
typedef struct {
  rv8_bytes specifier, type;
  int line, column;
} rv8_request;
int rv8_module_compile(rv8_realm*, const char* name, size_t name_size, const char* source, size_t size);
int rv8_module_commonjs(rv8_realm*, const char* name, size_t name_size, const char* source, size_t size);
int rv8_module_json(rv8_realm*, const char* name, size_t name_size, const char* source, size_t size);
int rv8_module_part(rv8_realm*, const char* name, size_t name_size, const char* exports, size_t exports_size);
int rv8_module_requests(rv8_realm*, int module);
void rv8_module_request(rv8_realm*, int module, int index, rv8_request* out);
void rv8_module_link(rv8_realm*, int module, const char* specifier, size_t size, int target);
int rv8_module_instantiate(rv8_realm*, int module);
int rv8_module_run(rv8_realm*, int module);
int rv8_module_call_default(rv8_realm*, int module);

// The loop: runs until the main value has settled and every call has been answered. Unless it is the last, it leaves calls and
// rejections to the next once the main value is fulfilled.
enum { RV8_SETTLED = 0, RV8_FAILED = 1, RV8_STOPPED = 2, RV8_DEADLOCK = 3, RV8_GONE = 4 };
int rv8_loop(rv8_realm*, bool last);
int rv8_connect(rv8_realm*, int in, int out);  // an errno, or 0
void rv8_disconnect(rv8_realm*);
bool rv8_write(rv8_realm*, const char* data, size_t size);  // false: the supervisor is gone
enum { RV8_WAIT_INPUT = 0, RV8_WAIT_NOTHING = 1, RV8_WAIT_GONE = 2 };
int rv8_wait(rv8_realm*, double milliseconds);
void rv8_forget(rv8_realm*);
int rv8_stopped(rv8_realm*);
// Encode the main value, and send it. RV8_SYNTAX here: the value at path cannot cross. sent is false when the supervisor is gone.
int rv8_encode_main(rv8_realm*, size_t limit, rv8_bytes* out, rv8_bytes* path, rv8_bytes* why);
int rv8_send_main(rv8_realm*, size_t limit, rv8_bytes* path, rv8_bytes* why, bool* sent);
void rv8_error(rv8_realm*, rv8_error_info* out);
void rv8_interrupt_stack(rv8_realm*, rv8_bytes* stack, int* line, int* column);
int rv8_pending(rv8_realm*);
void rv8_pending_at(rv8_realm*, int index, rv8_bytes* out);
int rv8_timers(rv8_realm*, double* next);  // how many are armed, and in how many milliseconds the next is due
void rv8_wind_up(rv8_realm*, const char* message, size_t size);

// The control thread: reads fd and stops the engine.
int rv8_watch(rv8_realm*, int fd);
void rv8_stop(rv8_realm*, int reason);

void rv8_start(rv8_realm*);
const char* rv8_version(void);

#ifdef __cplusplus
}
#endif
#endif
