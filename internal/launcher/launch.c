// The recipe: what a cloned child does, in order, before it executes a program.
// The first step that fails ends it; there is no way on with less.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch.h"

static int unshare_mounts(struct launch *l) { (void)l; return unshare(CLONE_NEWNS); }
static int unshare_network(struct launch *l) { (void)l; return unshare(CLONE_NEWNET); }
static int unshare_ipc(struct launch *l) { (void)l; return unshare(CLONE_NEWIPC); }
static int unshare_names(struct launch *l) { (void)l; return unshare(CLONE_NEWUTS); }
static int unshare_cgroups(struct launch *l) { (void)l; return unshare(CLONE_NEWCGROUP); }

// reset_signals undoes what the spawner ignores, and what the supervisor's user did.
static int reset_signals(struct launch *l)
{
	(void)l;
	struct sigaction none = {.sa_handler = SIG_DFL};
	for (int sig = 1; sig < 65; sig++)
		sigaction(sig, &none, NULL); // SIGKILL, SIGSTOP and libc's own refuse; they need none
	sigset_t empty;
	sigemptyset(&empty);
	return sigprocmask(SIG_SETMASK, &empty, NULL);
}

// make_victim raises the score before the uid changes: later the file is root's.
static int make_victim(struct launch *l)
{
	char text[16];
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int length = 0, score = l->head->oom_score;
	char digits[8];
	int n = 0;
	if (score < 0)
		score = 0;
	do
		digits[n++] = '0' + score % 10;
	while ((score /= 10) > 0);
	while (n > 0)
		text[length++] = digits[--n];
	int result = write(fd, text, length) == length ? 0 : -1;
	close(fd);
	return result;
}

// join_groups: a single-threaded child that moves itself costs 50 µs where a move
// from outside costs milliseconds.
static int join_groups(struct launch *l)
{
	for (uint32_t i = 0; i < l->head->tasks; i++)
		if (write(l->tasks[i], "0", 1) != 1)
			return -1;
	return 0;
}

// await_maps waits until the spawner has written the id maps. EOF: it has died.
static int await_maps(struct launch *l)
{
	char byte = 0;
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(MAX_DONATED * sizeof(int))];
	} control;
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1,
	                   .msg_control = &control, .msg_controllen = sizeof control};
	if (recvmsg(l->channel, &m, MSG_CMSG_CLOEXEC) != 1 || byte != CHANNEL_MAPPED)
		_exit(1);
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c == NULL)
		return 0;
	const int *fds = (const int *)CMSG_DATA(c);
	unsigned n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int), next = 0;
	for (uint32_t i = 0; i < l->head->mounts && next < n; i++)
		if (l->mounts[i].flags & MOUNT_MAP_OWNER)
			l->mapped[i] = fds[next++];
	return 0;
}

// take_ids keeps the capabilities: the namespace has no uid 0 that could be left.
// Raw calls, since the library's broadcast them to threads that do not exist.
static int take_ids(struct launch *l)
{
	long id = l->head->inside;
	if (syscall(SYS_setresgid, id, id, id) != 0)
		return -1;
	return syscall(SYS_setresuid, id, id, id);
}

// arm_death comes after the ids, whose change would clear it. The spawner answers
// once it knows; if it died before that, the last step before exec reads EOF.
static int arm_death(struct launch *l)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
		return -1;
	char byte = CHANNEL_ARMED;
	return write(l->channel, &byte, 1) == 1 ? 0 : -1;
}

static int await_go(struct launch *l)
{
	char byte = 0;
	if (read(l->channel, &byte, 1) != 1 || byte != CHANNEL_GO)
		_exit(1);
	return 0;
}

static int new_session(struct launch *l)
{
	(void)l;
	return setsid() < 0 ? -1 : 0;
}

// new_keyring leaves the session keyring of the supervisor's user. A kernel built
// without keys has none to leave.
static int new_keyring(struct launch *l)
{
	(void)l;
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS)
		return -1;
	return 0;
}

static int private_mounts(struct launch *l)
{
	(void)l;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

static int neutral_names(struct launch *l)
{
	(void)l;
	if (sethostname("realm", 5) != 0)
		return -1;
	return setdomainname("", 0);
}

static int make_root(struct launch *l)
{
	return l->head->kind == KIND_COMMAND ? command_root(l) : realm_root(l);
}

static const struct {
	const char *layer, *name;
	int (*run)(struct launch *l);
} recipe[] = {
	{"descriptors", "close what is not ours", keep_descriptors},
	{"pidns", "reset signals", reset_signals},
	{"cgroup.memory", "set oom_score_adj", make_victim},
	{"cgroup.memory", "join the control group", join_groups},
	{"mountns", "unshare mounts", unshare_mounts},
	{"netns", "unshare network", unshare_network},
	{"ipcns", "unshare ipc", unshare_ipc},
	{"utsns", "unshare host name", unshare_names},
	{"cgroupns", "unshare cgroups", unshare_cgroups},
	{"userns", "wait for the id maps", await_maps},
	{"userns", "take the inside ids", take_ids},
	{"pidns", "die with the spawner", arm_death},
	{"pidns", "new session", new_session},
	{"userns", "new session keyring", new_keyring},
	{"mountns", "make mounts private", private_mounts},
	{"rootfs", "build the root", make_root},
	{"rootfs", "enter the root", enter_root},
	{"rootfs", "make the root read-only", seal_root},
	{"utsns", "set the host name", neutral_names},
	{"descriptors", "place descriptors", place_descriptors},
	{"rlimits", "set resource limits", limit_resources},
	{"capabilities", "drop the bounding set", drop_bounding_set},
	{"no_new_privs", "set no_new_privs", forbid_privileges},
	{"landlock", "restrict files", restrict_files},
	{"capabilities", "clear every capability set", drop_capabilities},
	{"pidns", "hear that the spawner lives", await_go},
	{"seccomp", "install the filter", install_filter},
};

static void copy_text(char *to, size_t size, const char *from)
{
	size_t n = from == NULL ? 0 : strnlen(from, size - 1);
	memcpy(to, from == NULL ? "" : from, n);
	to[n] = 0;
}

_Noreturn void launch_fail(struct launch *l, const char *layer, const char *step, int error)
{
	struct report r = {.byte = CHANNEL_FAILED, .error = error};
	copy_text(r.layer, sizeof r.layer, layer);
	copy_text(r.step, sizeof r.step, step);
	copy_text(r.object, sizeof r.object, l->object);
	// write, not send: a command's filter may know no sockets.
	if (write(l->channel, &r, sizeof r) < 0)
		_exit(126);
	_exit(127);
}

_Noreturn void launch_child(struct launch *l)
{
	for (size_t i = 0; i < sizeof recipe / sizeof *recipe; i++) {
		l->object = NULL;
		if (recipe[i].run(l) != 0)
			launch_fail(l, recipe[i].layer, recipe[i].name, errno);
	}
	switch (l->head->kind) {
	case KIND_TRIAL:
		_exit(0);
	case KIND_COMMAND:
		command_init(l);
	}
	// Executed as a non-zero id without capabilities: exec clears every set.
	syscall(SYS_execveat, l->executable, "", l->args, l->env, AT_EMPTY_PATH);
	launch_fail(l, "", "execute the realm", errno);
	_exit(127);
}
