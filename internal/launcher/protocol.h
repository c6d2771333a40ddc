// Messages between the supervisor (internal/launch/wire.go) and the spawner, one
// per SOCK_SEQPACKET datagram, in host byte order. A change of this file is a new
// LAUNCHER_PROTOCOL.
#ifndef REALM_PROTOCOL_H
#define REALM_PROTOCOL_H

#include <stdint.h>

#define LAUNCHER_PROTOCOL 3
#define LAUNCHER_MAGIC 0x6d6c6572u // "relm"

#define SPAWNER_SOCKET 3
#define SPAWNER_NAME "realm-spawner"

#define MAX_MESSAGE (192 * 1024)
#define MAX_DONATED 64

enum message {
	MSG_HELLO = 1,    // spawner: I am here
	MSG_SPAWN,        // supervisor: start a process
	MSG_SPAWNED,      // spawner: it executes its program; a pidfd comes along
	MSG_FAILED,       // spawner: it does not
	MSG_EXITED,       // spawner: it has ended
	MSG_GUARD_FILE,   // supervisor: unlink this name if I die; a directory comes along
	MSG_GUARD_GROUPS, // supervisor: remove control groups with this prefix if I die
	MSG_UNGUARD,      // supervisor: forget that file
	MSG_KILL,         // supervisor: kill that process, whose pidfd did not arrive
};

enum kind { KIND_REALM = 1, KIND_COMMAND, KIND_TRIAL };

enum spawn_flag {
	SPAWN_LANDLOCK = 1 << 0,
	SPAWN_LEAF = 1 << 1, // a v2 cgroup directory comes along
};

enum mount_flag {
	MOUNT_WRITABLE = 1 << 0,
	MOUNT_MAP_OWNER = 1 << 1,
	MOUNT_OPTIONAL = 1 << 2,
	MOUNT_SYMLINK = 1 << 3, // source is the link's text
	MOUNT_CONTENT = 1 << 4, // source is the file's content
};

struct hello {
	uint32_t type, magic, protocol;
	uint32_t root;    // children have host ids of their own
	int32_t landlock; // ABI version, 0 where there is none
	char lacks[60];   // what stands in the way of root mode, or of a part of it
};

// A spawn request: this header, limits, mounts, the filter, then NUL-terminated
// strings: arguments, environment, source and target of each mount, executable
// paths for landlock and, for a command, its path and working directory.
// Descriptors: the executable (realm and trial), the leaf, tasks files, files.
struct spawn {
	uint32_t type, id, kind, flags;
	int32_t oom_score;
	uint32_t tasks, files, limits, mounts, filter, args, env, executes, inside;
	uint64_t tmp_bytes, device, inode;
};

struct limit {
	uint32_t resource, reserved;
	uint64_t value;
};

struct mount_entry {
	uint32_t flags, reserved;
	uint64_t device, inode;
};

struct spawned {
	uint32_t type, id, pid, uid;
};

struct failed {
	uint32_t type, id;
	int32_t error, status; // status: how it died, where it could not say why
	char layer[24], step[48], object[200];
};

struct exited {
	uint32_t type, id;
	int32_t status; // as wait(2) gives it
	uint32_t reserved;
	uint64_t cpu_us, max_rss_kib;
};

struct guard {
	uint32_t type, id, count, reserved; // count strings follow
};

#endif
