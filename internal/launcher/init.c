// Pid 1 of a command's pid namespace. It runs the command, tells the spawner how
// it ended, and exits: with it the kernel kills whatever the command left behind.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"

// check_executable: the file at the path must be the one that was granted.
static int check_executable(struct launch *l)
{
	struct stat st;
	l->object = l->path;
	if (stat(l->path, &st) != 0)
		return -1;
	if ((l->head->device | l->head->inode) != 0 &&
	    (st.st_dev != l->head->device || st.st_ino != l->head->inode)) {
		errno = ESTALE;
		return -1;
	}
	return 0;
}

// execute runs in the command's own process; it reports on failed and dies.
static _Noreturn void execute(struct launch *l, int failed)
{
	if (chdir(l->dir[0] == 0 ? "/" : l->dir) == 0)
		execve(l->path, l->args, l->env);
	int error = errno;
	if (write(failed, &error, sizeof error) < 0)
		_exit(126);
	_exit(127);
}

static void tell(struct launch *l, uint32_t byte, int32_t value)
{
	struct report r = {.byte = byte, .error = value};
	if (write(l->channel, &r, sizeof r) < 0)
		_exit(126); // the spawner has died, and so do we
}

_Noreturn void command_init(struct launch *l)
{
	int failed[2], error;
	// The memory of this process is the spawner's: not to be looked at.
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (check_executable(l) != 0)
		launch_fail(l, "", errno == ESTALE ? "executable replaced" : "find the executable", errno);
	if (pipe2(failed, O_CLOEXEC) != 0)
		launch_fail(l, "descriptors", "make a pipe", errno);
	pid_t command = fork();
	if (command < 0)
		launch_fail(l, "cgroup.pids", "fork the command", errno);
	if (command == 0)
		execute(l, failed[1]);
	close(failed[1]);
	if (read(failed[0], &error, sizeof error) == sizeof error)
		launch_fail(l, "", "execute the command", error);
	close(failed[0]);
	// The command's own descriptors must end when the command closes them.
	for (uint32_t i = 0; i < l->head->files; i++)
		close(i);
	tell(l, CHANNEL_STARTED, 0);
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, 0);
		if (pid < 0 && errno != EINTR)
			_exit(125);
		if (pid == command) {
			tell(l, CHANNEL_STATUS, status);
			_exit(0);
		}
	}
}
