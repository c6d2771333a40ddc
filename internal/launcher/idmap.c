// User and group id maps, of a child and of mounts.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawner.h"

// has_host_ids reads a map of our own namespace: each line is an id here, one outside,
// and how many there are.
static int has_host_ids(const char *map)
{
	static char text[16 << 10]; // the longest has 340 lines
	int fd = open(map, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t size = read(fd, text, sizeof text - 1);
	close(fd);
	text[size > 0 ? size : 0] = 0;
	for (char *at = text, *end;; at = end) {
		uint64_t from = strtoull(at, &end, 10);
		if (end == at)
			return 0;
		strtoull(end, &end, 10);
		uint64_t to = from + strtoull(end, &end, 10);
		if (from <= HOST_ID_BASE && to >= (uint64_t)HOST_ID_BASE + HOST_IDS)
			return 1;
	}
}

// root_lacks decides whether children get host ids of their own, by what that takes:
// uid 0 may have no capabilities, or be in a namespace of few ids; and another user
// may have both. It names what is missing for it, or for a part of it.
const char *root_lacks(int *root)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {0};
	syscall(SYS_capget, &header, sets);
	uint32_t have = sets[0].effective;
	*root = 0;
	if (!(have & 1u << CAP_SETUID))
		return "CAP_SETUID";
	if (!(have & 1u << CAP_SETGID))
		return "CAP_SETGID";
	if (!has_host_ids("/proc/self/uid_map") || !has_host_ids("/proc/self/gid_map"))
		return "their ids in this user namespace";
	*root = 1;
	return have & 1u << CAP_SYS_ADMIN ? NULL : "CAP_SYS_ADMIN"; // for the owner of a mount
}

static int write_file(pid_t pid, const char *name, const char *text)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t size = strlen(text), n = write(fd, text, size);
	int error = errno;
	close(fd);
	errno = n < 0 ? error : EIO;
	return n == size ? 0 : -1;
}

static int write_map(pid_t pid, const char *name, uint32_t inside, uint32_t outside)
{
	char line[48];
	snprintf(line, sizeof line, "%u %u 1\n", inside, outside);
	return write_file(pid, name, line);
}

// map_ids maps one id and nothing else.
int map_ids(pid_t pid, uint32_t inside, uint32_t uid, uint32_t gid)
{
	if (write_file(pid, "setgroups", "deny") != 0)
		return -1;
	if (write_map(pid, "uid_map", inside, uid) != 0)
		return -1;
	return write_map(pid, "gid_map", inside, gid);
}

// stand_in only exists, and no longer than the spawner.
static _Noreturn void stand_in(pid_t spawner)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	while (getppid() == spawner)
		pause();
	_exit(0);
}

// owner_map makes a user namespace whose map turns the owner on disk into the
// command's ids, for an id-mapped mount. A process has to be in it for a moment.
int owner_map(uint32_t disk_uid, uint32_t disk_gid, uint32_t uid, uint32_t gid)
{
	char path[64];
	int pidfd = -1, userns = -1;
	struct clone_args args = {.flags = CLONE_NEWUSER | CLONE_PIDFD, .pidfd = (uintptr_t)&pidfd,
	                          .exit_signal = SIGCHLD};
	pid_t self = getpid(), pid = syscall(SYS_clone3, &args, sizeof args);
	if (pid == 0)
		stand_in(self);
	if (pid < 0)
		return -1;
	if (write_map(pid, "uid_map", disk_uid, uid) == 0 && write_map(pid, "gid_map", disk_gid, gid) == 0) {
		snprintf(path, sizeof path, "/proc/%d/ns/user", (int)pid);
		userns = open(path, O_RDONLY | O_CLOEXEC);
	}
	int error = errno;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(pidfd);
	errno = error;
	return userns;
}
