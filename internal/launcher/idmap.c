// User and group id maps, of a child and of mounts.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spawner.h"

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
