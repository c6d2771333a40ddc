// The spawner's own parts.
#ifndef REALM_SPAWNER_H
#define REALM_SPAWNER_H

#include <stddef.h>
#include <sys/types.h>

#include "protocol.h"

struct launch; // launch.h

// What an event of the loop is about.
enum source { FROM_SUPERVISOR, FROM_LAUNCH, FROM_PIDFD };

struct watch {
	enum source source;
	struct child *child;
};

struct child {
	struct child *next;
	uint32_t id, uid;
	pid_t pid;
	int pidfd, channel;
	int released;    // it was told to go, and executes its program next
	int announced;   // SPAWNED or FAILED was sent
	int has_status;  // a command's init told its status
	int32_t status;
	struct watch on_launch, on_exit;
};

struct spawner {
	int epoll;
	int root;            // children get host ids of their own
	const char *lacks;   // what root mode lacks, or a part of it; or NULL
	int groups_error;    // why supplementary groups could not be dropped, or 0
	struct child *children;
	struct watch on_supervisor;
};

int spawner_main(void);
int spawner_send(const void *message, size_t size, int fd);
int spawner_watch(struct spawner *s, int fd, struct watch *w);
void spawner_unwatch(struct spawner *s, int fd);
void child_drain(struct spawner *s, struct child *c);

// clone.c
void spawn(struct spawner *s, char *message, size_t size, const int *fds, int nfds);
void child_failed(struct child *c, const struct failed *why);
void child_kill(struct child *c);

// Host ids of confined processes in root mode: this plus the pid that the spawner
// sees, so that no two live ones of a pid namespace share an id and none is 0.
#define HOST_ID_BASE 0x70000000u
#define HOST_IDS (1u << 22) // no pid is larger

// idmap.c
const char *root_lacks(int *root);
int map_ids(pid_t pid, uint32_t inside, uint32_t uid, uint32_t gid);
int owner_map(uint32_t disk_uid, uint32_t disk_gid, uint32_t uid, uint32_t gid);

// guard.c
void guard_file(const struct guard *g, const char *name, int dir);
void guard_groups(const struct guard *g, const char *strings, size_t size);
void unguard(uint32_t id);
void guards_release(void);

#endif
