// What is removed when the supervisor dies without having been able to.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "spawner.h"

struct guarded {
	struct guarded *next;
	uint32_t id;
	int dir; // of a file; -1 for control groups
	char *path, *prefix;
};

static struct guarded *guards; // the one list of a process with one thread

static struct guarded *add(uint32_t id, int dir, const char *path, const char *prefix)
{
	struct guarded *g = calloc(1, sizeof *g);
	if (g == NULL)
		return NULL;
	*g = (struct guarded){guards, id, dir, strdup(path), strdup(prefix)};
	return guards = g;
}

void guard_file(const struct guard *g, const char *name, int dir)
{
	if (add(g->id, dir, name, "") == NULL)
		close(dir);
}

// guard_groups takes a prefix and then parent directories.
void guard_groups(const struct guard *g, const char *strings, size_t size)
{
	const char *end = strings + size, *prefix = strings;
	for (uint32_t i = 0; i < g->count && strings < end; i++) {
		if (i > 0)
			add(g->id, -1, strings, prefix);
		strings += strnlen(strings, end - strings) + 1;
	}
}

void unguard(uint32_t id)
{
	for (struct guarded **at = &guards; *at != NULL; at = &(*at)->next) {
		struct guarded *g = *at;
		if (g->id != id)
			continue;
		*at = g->next;
		if (g->dir >= 0)
			close(g->dir);
		free(g->path);
		free(g->prefix);
		free(g);
		return;
	}
}

// kill_group kills what is in a group, by cgroup.kill or one by one.
static void kill_group(int group)
{
	char text[4096];
	int fd = openat(group, "cgroup.kill", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, "1", 1) == 1) {
			close(fd);
			return;
		}
		close(fd);
	}
	fd = openat(group, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n < 0 ? 0 : n] = 0;
	for (char *at = text; *at != 0; at += strcspn(at, "\n"), at += *at == '\n') {
		pid_t pid = atoi(at);
		if (pid > 1)
			kill(pid, SIGKILL);
	}
}

// remove_group tries for two seconds: tasks leave a group some time after their end.
static void remove_group(int parent, const char *name)
{
	for (int tries = 0; tries < 400; tries++) {
		if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return;
		int group = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (group >= 0) {
			kill_group(group);
			close(group);
		}
		nanosleep(&(struct timespec){0, 5000000}, NULL);
	}
}

static void remove_groups(const char *path, const char *prefix)
{
	int parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = parent < 0 ? NULL : opendir(path);
	struct dirent *e;
	while (dir != NULL && (e = readdir(dir)) != NULL)
		if (strncmp(e->d_name, prefix, strlen(prefix)) == 0)
			remove_group(parent, e->d_name);
	if (dir != NULL)
		closedir(dir);
	if (parent >= 0)
		close(parent);
}

void guards_release(void)
{
	for (struct guarded *g = guards; g != NULL; g = g->next) {
		if (g->path == NULL || g->prefix == NULL)
			continue;
		if (g->dir >= 0)
			unlinkat(g->dir, g->path, 0);
		else if (g->prefix[0] != 0)
			remove_groups(g->path, g->prefix);
	}
}
