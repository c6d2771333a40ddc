// Cloning a child and answering for it.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mounts.h"
#include "spawner.h"

#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ull
#endif

static struct failed failure(uint32_t id, const char *layer, const char *step, const char *object, int error)
{
	struct failed f = {.type = MSG_FAILED, .id = id, .error = error};
	strncpy(f.layer, layer, sizeof f.layer - 1);
	strncpy(f.step, step, sizeof f.step - 1);
	if (object != NULL)
		strncpy(f.object, object, sizeof f.object - 1);
	return f;
}

void child_failed(struct child *c, const struct failed *why)
{
	if (!c->announced)
		spawner_send(why, sizeof *why, -1);
	c->announced = 1;
	child_kill(c);
}

// child_kill goes by the pidfd: the pid may be another's once it was reaped.
void child_kill(struct child *c)
{
	syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0);
}

// refused_layer finds out which part of a clone was refused, after it was.
static const char *refused_layer(int error)
{
	static const struct {
		uint64_t flags;
		const char *layer;
	} parts[] = {{CLONE_NEWUSER, "userns"}, {CLONE_NEWUSER | CLONE_NEWPID, "pidns"}};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		struct clone_args args = {.flags = parts[i].flags, .exit_signal = SIGCHLD};
		pid_t pid = syscall(SYS_clone3, &args, sizeof args);
		if (pid == 0)
			_exit(0);
		if (pid < 0)
			return parts[i].layer;
		waitpid(pid, NULL, 0);
	}
	return error == EAGAIN || error == ENOMEM ? "cgroup.pids" : "cgroup.kill";
}

// map_mounts makes the id-mapped clones that only the owner of the file system's
// user namespace may make.
static int map_mounts(struct launch *l, uint32_t uid, int *fds)
{
	int n = 0;
	for (uint32_t i = 0; i < l->head->mounts; i++) {
		struct stat st;
		if (!(l->mounts[i].flags & MOUNT_MAP_OWNER))
			continue;
		if (n == MAX_DONATED) {
			errno = E2BIG;
			return -1;
		}
		int tree = mount_clone(l, i, &st);
		if (tree < 0)
			return -1;
		fds[n++] = tree;
		l->mapped[i] = tree;
		int userns = owner_map(st.st_uid, st.st_gid, uid, uid);
		if (userns < 0)
			return -1;
		int result = mount_restrict(tree, &l->mounts[i], &st, userns);
		close(userns);
		if (result != 0)
			return -1;
	}
	return 0;
}

static int send_mapped(int channel, const int *fds)
{
	char byte = CHANNEL_MAPPED;
	int n = 0;
	while (n < MAX_DONATED && fds[n] >= 0)
		n++;
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(MAX_DONATED * sizeof(int))];
	} control = {0};
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	if (n > 0) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n * sizeof(int));
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	return sendmsg(channel, &m, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

// release gives a cloned child its ids and mounts, and lets it go on.
static void release(struct spawner *s, struct child *c, struct launch *l)
{
	int fds[MAX_DONATED];
	memset(fds, -1, sizeof fds);
	uint32_t gid = s->root ? c->uid : getegid();
	l->object = NULL;
	const char *layer = "userns", *step = "drop supplementary groups";
	int result = s->groups_error == 0 ? 0 : -1;
	errno = s->groups_error;
	if (result == 0) {
		step = "write the id maps";
		result = map_ids(c->pid, l->head->inside, c->uid, gid);
	}
	if (result == 0) {
		layer = "rootfs", step = "map the owner of a mount";
		result = map_mounts(l, c->uid, fds);
	}
	if (result == 0) {
		layer = "userns", step = "release the child";
		result = send_mapped(c->channel, fds);
	}
	if (result != 0) {
		struct failed f = failure(c->id, layer, step, l->object, errno);
		// A child that has already failed by itself is the cause, not the effect.
		child_drain(s, c);
		child_failed(c, &f);
	}
	for (int i = 0; i < MAX_DONATED && fds[i] >= 0; i++)
		close(fds[i]);
}

static struct child *child_new(struct spawner *s, const struct launch *l, pid_t pid, int pidfd, int channel)
{
	struct child *c = calloc(1, sizeof *c);
	if (c == NULL)
		return NULL;
	c->id = l->head->id;
	c->pid = pid;
	c->uid = s->root ? HOST_ID_BASE + pid : geteuid();
	c->pidfd = pidfd;
	c->channel = channel;
	c->on_launch = (struct watch){FROM_LAUNCH, c};
	c->on_exit = (struct watch){FROM_PIDFD, c};
	c->next = s->children;
	s->children = c;
	return c;
}

static void launch(struct spawner *s, struct launch *l)
{
	int pair[2], pidfd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
		struct failed f = failure(l->head->id, "descriptors", "make a channel", NULL, errno);
		spawner_send(&f, sizeof f, -1);
		return;
	}
	struct clone_args args = {
		.flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_PIDFD,
		.pidfd = (uintptr_t)&pidfd,
		.exit_signal = SIGCHLD,
	};
	if (l->leaf >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = l->leaf;
	}
	pid_t pid = syscall(SYS_clone3, &args, sizeof args);
	if (pid == 0) {
		l->channel = pair[1];
		launch_child(l);
	}
	int error = errno;
	close(pair[1]);
	struct child *c = pid < 0 ? NULL : child_new(s, l, pid, pidfd, pair[0]);
	if (c == NULL) {
		struct failed f = failure(l->head->id, refused_layer(error), "clone", NULL, error);
		spawner_send(&f, sizeof f, -1);
		close(pair[0]); // a child that was cloned reads EOF and exits
		return;
	}
	if (spawner_watch(s, c->channel, &c->on_launch) != 0 || spawner_watch(s, c->pidfd, &c->on_exit) != 0)
		_exit(1); // without memory for a watch nothing can be answered for: all die
	release(s, c, l);
}

void spawn(struct spawner *s, char *message, size_t size, const int *fds, int nfds)
{
	struct launch *l = launch_parse(message, size, fds, nfds);
	if (l == NULL) {
		uint32_t id = size >= sizeof(struct spawn) ? ((struct spawn *)message)->id : 0;
		struct failed f = failure(id, "", "read the request", NULL, EPROTO);
		spawner_send(&f, sizeof f, -1);
		return;
	}
	launch(s, l);
	launch_free(l);
}
