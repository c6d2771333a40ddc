// One launch: what the cloned child does between clone and exec.
#ifndef REALM_LAUNCH_H
#define REALM_LAUNCH_H

#include <linux/filter.h>
#include <stddef.h>

#include "protocol.h"

// Messages on the channel between the spawner and a child that it launches.
enum signal_byte {
	CHANNEL_MAPPED = 'M', // spawner: ids are mapped; id-mapped mounts come along
	CHANNEL_ARMED = 'A',  // child: dies with the spawner from here on
	CHANNEL_GO = 'G',     // spawner: I live, execute
	CHANNEL_FAILED = 'F', // child: a step failed
	CHANNEL_STARTED = 'S', // command's init: the command executes
	CHANNEL_STATUS = 'X', // command's init: the command's wait status
};

struct report {
	uint32_t byte;
	int32_t error; // or the wait status
	char layer[24], step[48], object[200];
};

struct launch {
	const struct spawn *head;
	const struct limit *limits;
	const struct mount_entry *mounts;
	struct sock_filter *filter;
	char **args, **env;        // NULL-terminated
	const char **mount_paths;  // source, target, source, target, …
	const char **executes;
	const char *path, *dir;
	int executable, leaf;
	int tasks[MAX_DONATED], files[MAX_DONATED];
	int channel;
	int *mapped;        // per mount: the id-mapped clone, or -1
	const char *object; // what the step is working on, for its error
};

// parse.c: NULL if the message is not well-formed.
struct launch *launch_parse(char *message, size_t size, const int *fds, int nfds);
void launch_free(struct launch *l);

// launch.c
_Noreturn void launch_child(struct launch *l);
_Noreturn void launch_fail(struct launch *l, const char *layer, const char *step, int error);

// Steps: 0, or -1 with errno.
int keep_descriptors(struct launch *l);  // descriptors.c
int place_descriptors(struct launch *l); // descriptors.c
int realm_root(struct launch *l);        // root.c
int command_root(struct launch *l);      // jail.c
int seal_root(struct launch *l);         // root.c
int enter_root(struct launch *l);        // root.c
int limit_resources(struct launch *l);   // confine.c
int drop_bounding_set(struct launch *l); // confine.c
int forbid_privileges(struct launch *l); // confine.c
int drop_capabilities(struct launch *l); // confine.c
int install_filter(struct launch *l);    // confine.c
int restrict_files(struct launch *l);    // landlock.c
int landlock_version(void);              // landlock.c

_Noreturn void command_init(struct launch *l); // init.c

#endif
