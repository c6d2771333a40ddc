// The spawner's loop: requests in, answers out, children reaped. It ends when the
// supervisor does, and leaves nothing behind.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"
#include "spawner.h"

static char message[MAX_MESSAGE] __attribute__((aligned(8)));

int spawner_watch(struct spawner *s, int fd, struct watch *w)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = w};
	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event);
}

int spawner_send(const void *what, size_t size, int fd)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct iovec iov = {(void *)what, size};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof control;
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof fd);
		memcpy(CMSG_DATA(c), &fd, sizeof fd);
	}
	// Fails if the supervisor has died (the loop then reads the end of file), or if its
	// user has too many descriptors under way in messages.
	ssize_t sent;
	do
		sent = sendmsg(SPAWNER_SOCKET, &m, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -1 : 0;
}

// spawner_unwatch must come before a close: a child that was cloned a moment ago
// still holds the file, and with it the watch would live on.
void spawner_unwatch(struct spawner *s, int fd)
{
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, fd, NULL);
	close(fd);
}

static void close_channel(struct spawner *s, struct child *c)
{
	if (c->channel >= 0)
		spawner_unwatch(s, c->channel);
	c->channel = -1;
}

static void announce(struct child *c)
{
	if (c->announced)
		return;
	struct spawned m = {MSG_SPAWNED, c->id, c->pid, c->uid};
	if (spawner_send(&m, sizeof m, c->pidfd) == 0) {
		c->announced = 1;
		return;
	}
	// Nobody could kill it.
	struct failed f = {.type = MSG_FAILED, .id = c->id, .error = errno, .step = "hand over the process's descriptor"};
	child_failed(c, &f);
}

// listen_to reads one report. A child that died with our message unread resets the
// connection, which is told before what the child said first.
static ssize_t listen_to(struct child *c, struct report *r, int flags)
{
	ssize_t n = recv(c->channel, r, sizeof *r, flags);
	return n < 0 && errno == ECONNRESET ? recv(c->channel, r, sizeof *r, flags) : n;
}

static void failed(struct child *c, const struct report *r)
{
	struct failed f = {.type = MSG_FAILED, .id = c->id, .error = r->error};
	memcpy(f.layer, r->layer, sizeof f.layer);
	memcpy(f.step, r->step, sizeof f.step);
	memcpy(f.object, r->object, sizeof f.object);
	child_failed(c, &f);
}

// heard handles what a launching child says. The end of the file, once it was told
// to go, is its exec.
static void heard(struct spawner *s, struct child *c)
{
	struct report r = {0};
	if (listen_to(c, &r, 0) <= 0) {
		close_channel(s, c);
		if (c->released)
			announce(c);
		return;
	}
	char byte = *(char *)&r;
	switch (byte) {
	case CHANNEL_ARMED:
		c->released = 1;
		byte = CHANNEL_GO;
		if (send(c->channel, &byte, 1, MSG_NOSIGNAL) != 1)
			child_kill(c);
		break;
	case CHANNEL_STARTED:
		announce(c);
		break;
	case CHANNEL_STATUS:
		c->has_status = 1;
		c->status = r.error;
		break;
	case CHANNEL_FAILED:
		failed(c, &r);
		break;
	}
}

static void forget(struct spawner *s, struct child *c)
{
	struct child **at = &s->children;
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	close_channel(s, c);
	spawner_unwatch(s, c->pidfd);
	free(c);
}

// child_drain reads what a child has said so far.
void child_drain(struct spawner *s, struct child *c)
{
	struct report r;
	while (c->channel >= 0 && listen_to(c, &r, MSG_PEEK | MSG_DONTWAIT) > 0)
		heard(s, c);
}

static void reap(struct spawner *s, struct child *c)
{
	int status;
	struct rusage used;
	if (wait4(c->pid, &status, WNOHANG, &used) != c->pid)
		return;
	child_drain(s, c);
	if (!c->announced && !c->released) {
		struct failed f = {.type = MSG_FAILED, .id = c->id, .error = ECHILD, .status = status,
		                   .step = "killed during its launch"};
		child_failed(c, &f);
	}
	announce(c);
	struct exited m = {
		.type = MSG_EXITED,
		.id = c->id,
		.status = c->has_status ? c->status : status,
		.cpu_us = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000ull +
		          used.ru_utime.tv_usec + used.ru_stime.tv_usec,
		.max_rss_kib = used.ru_maxrss,
	};
	forget(s, c); // first: whoever hears of the end may count our descriptors
	spawner_send(&m, sizeof m, -1);
}

static void kill_one(struct spawner *s, uint32_t id)
{
	for (struct child *c = s->children; c != NULL; c = c->next)
		if (c->id == id)
			child_kill(c);
}

static void handle(struct spawner *s, size_t size, int *fds, int *nfds)
{
	uint32_t type = size >= sizeof type ? *(uint32_t *)message : 0;
	const struct guard *g = (const struct guard *)message;
	const char *strings = message + sizeof *g;
	if (type == MSG_SPAWN) {
		spawn(s, message, size, fds, *nfds);
		return;
	}
	if (size < sizeof *g)
		return;
	message[size < MAX_MESSAGE ? size : MAX_MESSAGE - 1] = 0;
	switch (type) {
	case MSG_GUARD_FILE:
		if (*nfds == 1) {
			guard_file(g, strings, fds[0]);
			*nfds = 0;
		}
		break;
	case MSG_GUARD_GROUPS:
		guard_groups(g, strings, size - sizeof *g);
		break;
	case MSG_UNGUARD:
		unguard(g->id);
		break;
	case MSG_KILL:
		kill_one(s, g->id);
		break;
	}
}

// receive takes one request. It is 0 once the supervisor is gone.
static int receive(struct spawner *s)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(3 * MAX_DONATED * sizeof(int))];
	} control;
	struct iovec iov = {message, sizeof message};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1,
	                   .msg_control = &control, .msg_controllen = sizeof control};
	ssize_t size = recvmsg(SPAWNER_SOCKET, &m, MSG_CMSG_CLOEXEC);
	if (size < 0 && errno == EINTR)
		return 1;
	if (size <= 0)
		return 0;
	int fds[3 * MAX_DONATED], nfds = 0;
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c != NULL && c->cmsg_type == SCM_RIGHTS) {
		nfds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), nfds * sizeof(int));
	}
	if (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return 0; // a supervisor of another protocol: end with everything
	handle(s, size, fds, &nfds);
	for (int i = 0; i < nfds; i++)
		close(fds[i]);
	return 1;
}

static void loop(struct spawner *s)
{
	for (;;) {
		// One at a time: handling an event may free what a second one points to.
		struct epoll_event event;
		int n = epoll_wait(s->epoll, &event, 1, -1);
		if (n < 0 && errno != EINTR)
			return;
		if (n <= 0)
			continue;
		struct watch *w = event.data.ptr;
		switch (w->source) {
		case FROM_SUPERVISOR:
			if (!receive(s))
				return;
			break;
		case FROM_LAUNCH:
			heard(s, w->child);
			break;
		case FROM_PIDFD:
			reap(s, w->child);
			break;
		}
	}
}

static void kill_all(struct spawner *s)
{
	for (struct child *c = s->children; c != NULL; c = c->next)
		child_kill(c);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

// become leaves the supervisor's session and groups. Only the supervisor's end
// ends us, not the signals that a terminal or a service manager sends to a group.
static void become(struct spawner *s)
{
	static const int ignored[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM};
	setsid();
	prctl(PR_SET_NAME, SPAWNER_NAME, 0, 0, 0);
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL); // the supervisor's user may ignore it: ends could not be waited for
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	s->lacks = root_lacks(&s->root);
	// Children cannot drop supplementary groups once setgroups is denied.
	if (s->root && syscall(SYS_setgroups, 0, NULL) != 0)
		s->groups_error = errno;
	if (chdir("/") != 0)
		_exit(1);
}

int spawner_main(void)
{
	struct spawner s = {.on_supervisor = {FROM_SUPERVISOR, NULL}};
	become(&s);
	fcntl(SPAWNER_SOCKET, F_SETFD, FD_CLOEXEC);
	s.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s.epoll < 0 || spawner_watch(&s, SPAWNER_SOCKET, &s.on_supervisor) != 0)
		return 1;
	struct hello hello = {MSG_HELLO, LAUNCHER_MAGIC, LAUNCHER_PROTOCOL, s.root, landlock_version(), ""};
	if (s.lacks != NULL)
		strncpy(hello.lacks, s.lacks, sizeof hello.lacks - 1);
	spawner_send(&hello, sizeof hello, -1);
	loop(&s);
	kill_all(&s);
	guards_release();
	return 0;
}
