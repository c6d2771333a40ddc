// A spawn message, checked and turned into pointers into itself.
#include <stdlib.h>
#include <string.h>

#include "launch.h"

struct cursor {
	char *at, *end;
	int broken;
};

static void *take(struct cursor *c, size_t size)
{
	if (c->broken || size > (size_t)(c->end - c->at)) {
		c->broken = 1;
		return NULL;
	}
	char *start = c->at;
	c->at += size;
	return start;
}

static char *take_string(struct cursor *c)
{
	char *start = c->at;
	char *nul = c->broken ? NULL : memchr(start, 0, c->end - start);
	if (nul == NULL) {
		c->broken = 1;
		return NULL;
	}
	c->at = nul + 1;
	return start;
}

// take_strings makes a NULL-terminated array of count strings.
static char **take_strings(struct cursor *c, size_t count)
{
	if (c->broken || count > (size_t)(c->end - c->at)) {
		c->broken = 1;
		return NULL;
	}
	char **list = calloc(count + 1, sizeof *list);
	if (list == NULL) {
		c->broken = 1;
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		list[i] = take_string(c);
	return list;
}

static int take_descriptors(struct launch *l, const int *fds, int nfds)
{
	const struct spawn *h = l->head;
	int has_executable = h->kind != KIND_COMMAND, has_leaf = (h->flags & SPAWN_LEAF) != 0;
	if (h->tasks > MAX_DONATED || h->files > MAX_DONATED ||
	    nfds != (int)(has_executable + has_leaf + h->tasks + h->files))
		return -1;
	int next = 0;
	l->executable = has_executable ? fds[next++] : -1;
	l->leaf = has_leaf ? fds[next++] : -1;
	for (uint32_t i = 0; i < h->tasks; i++)
		l->tasks[i] = fds[next++];
	for (uint32_t i = 0; i < h->files; i++)
		l->files[i] = fds[next++];
	return 0;
}

struct launch *launch_parse(char *message, size_t size, const int *fds, int nfds)
{
	struct cursor c = {message, message + size, 0};
	struct launch *l = calloc(1, sizeof *l);
	if (l == NULL)
		return NULL;
	const struct spawn *h = l->head = take(&c, sizeof *h);
	if (h == NULL || h->kind < KIND_REALM || h->kind > KIND_TRIAL ||
	    h->limits > 64 || h->mounts > 4096 || h->filter > 4096 || h->executes > 1024 ||
	    take_descriptors(l, fds, nfds) != 0) {
		launch_free(l);
		return NULL;
	}
	l->channel = -1;
	l->limits = take(&c, h->limits * sizeof *l->limits);
	l->mounts = take(&c, h->mounts * sizeof *l->mounts);
	l->filter = take(&c, h->filter * sizeof *l->filter);
	l->args = take_strings(&c, h->args);
	l->env = take_strings(&c, h->env);
	l->mount_paths = (const char **)take_strings(&c, 2 * (size_t)h->mounts);
	l->executes = (const char **)take_strings(&c, h->executes);
	l->path = take_string(&c);
	l->dir = take_string(&c);
	l->mapped = calloc(h->mounts + 1, sizeof *l->mapped);
	if (c.broken || c.at != c.end || l->mapped == NULL || h->args == 0) {
		launch_free(l);
		return NULL;
	}
	for (uint32_t i = 0; i < h->mounts; i++)
		l->mapped[i] = -1;
	return l;
}

void launch_free(struct launch *l)
{
	free(l->args);
	free(l->env);
	free(l->mount_paths);
	free(l->executes);
	free(l->mapped);
	free(l);
}
