// Landlock: a second fence that needs no privilege. A realm may do nothing with
// files at all; a command may use its root, and execute what its grant lists.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch.h"

// By number and by hand: the headers of older systems know fewer.
#define SYS_landlock_create_ruleset_ 444
#define SYS_landlock_add_rule_ 445
#define SYS_landlock_restrict_self_ 446
#define CREATE_RULESET_VERSION 1
#define RULE_PATH_BENEATH 1

#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_TRUNCATE (1ull << 14)
#define FS_IOCTL_DEV (1ull << 15)
#define FILE_RIGHTS (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

struct ruleset {
	uint64_t fs, net, scoped;
};

struct beneath {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

int landlock_version(void)
{
	int version = syscall(SYS_landlock_create_ruleset_, NULL, 0, CREATE_RULESET_VERSION);
	return version < 0 ? 0 : version;
}

// handled is every right that the ABI knows: 13 of files in ABI 1, then REFER,
// TRUNCATE and IOCTL_DEV; TCP bind and connect; abstract sockets and signals.
static struct ruleset handled(int version, size_t *size)
{
	struct ruleset r = {0};
	unsigned rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
	r.fs = (1ull << rights) - 1;
	r.net = version >= 4 ? 3 : 0;
	r.scoped = version >= 6 ? 3 : 0;
	*size = version >= 6 ? sizeof r : version >= 4 ? offsetof(struct ruleset, scoped)
	                                               : offsetof(struct ruleset, net);
	return r;
}

static int allow(int ruleset, int fd, uint64_t rights)
{
	struct beneath rule = {.allowed = rights, .parent = fd};
	return syscall(SYS_landlock_add_rule_, ruleset, RULE_PATH_BENEATH, &rule, 0);
}

static int allow_path(struct launch *l, int ruleset, const char *path, uint64_t rights)
{
	l->object = path;
	struct stat st;
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int result = fstat(fd, &st);
	if (result == 0)
		result = allow(ruleset, fd, S_ISDIR(st.st_mode) ? rights : rights & FILE_RIGHTS);
	close(fd);
	return result;
}

static int add_rules(struct launch *l, int ruleset, uint64_t all)
{
	// The one right of a realm: to be executed. Exec opens for reading too.
	if (l->head->kind != KIND_COMMAND)
		return allow(ruleset, l->executable, FS_EXECUTE | FS_READ_FILE);
	if (l->head->executes == 0)
		return allow_path(l, ruleset, "/", all);
	if (allow_path(l, ruleset, "/", all & ~FS_EXECUTE) != 0)
		return -1;
	for (uint32_t i = 0; i < l->head->executes; i++)
		if (allow_path(l, ruleset, l->executes[i], FS_EXECUTE) != 0)
			return -1;
	return 0;
}

int restrict_files(struct launch *l)
{
	if (!(l->head->flags & SPAWN_LANDLOCK))
		return 0;
	int version = landlock_version();
	if (version == 0) {
		errno = ENOSYS;
		return -1;
	}
	size_t size;
	struct ruleset r = handled(version, &size);
	int ruleset = syscall(SYS_landlock_create_ruleset_, &r, size, 0);
	if (ruleset < 0)
		return -1;
	int result = add_rules(l, ruleset, r.fs);
	if (result == 0)
		result = syscall(SYS_landlock_restrict_self_, ruleset, 0);
	int error = errno;
	close(ruleset);
	errno = error;
	return result;
}
