// The root of a command: a small tmpfs with what was granted mounted into it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mounts.h"
#include "root.h"

#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 0x04
#endif
#ifndef MOVE_MOUNT_T_EMPTY_PATH
#define MOVE_MOUNT_T_EMPTY_PATH 0x40
#endif

// inside opens path as the command will see it: links resolve below base.
static int inside(int base, const char *path, int flags)
{
	struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	return syscall(SYS_openat2, base, path, &how, sizeof how);
}

// make_parent makes the directories that path needs and opens the last of them;
// *name is then path's last element.
static int make_parent(int base, const char *path, const char **name)
{
	char part[4096];
	int dir = inside(base, "/", O_PATH | O_DIRECTORY);
	const char *at = path;
	while (dir >= 0) {
		at += strspn(at, "/");
		size_t length = strcspn(at, "/");
		if (at[length] == 0) {
			*name = at;
			return dir;
		}
		if (at + length - path >= (int)sizeof part) {
			close(dir);
			errno = ENAMETOOLONG;
			return -1;
		}
		char element[256];
		snprintf(element, sizeof element, "%.*s", (int)length, at);
		memcpy(part, path, at + length - path);
		part[at + length - path] = 0;
		int next = inside(base, part, O_PATH | O_DIRECTORY);
		if (next < 0 && errno == ENOENT && mkdirat(dir, element, 0755) == 0)
			next = inside(base, part, O_PATH | O_DIRECTORY);
		close(dir);
		dir = next;
		at += length;
	}
	return -1;
}

// make_target opens the place that a mount covers, and makes it if it is not there.
static int make_target(int base, const char *path, int directory)
{
	const char *name;
	int dir = make_parent(base, path, &name);
	if (dir < 0)
		return -1;
	int fd = inside(base, path, O_PATH);
	if (fd < 0 && errno == ENOENT) {
		int made = directory ? mkdirat(dir, name, 0755) : mknodat(dir, name, S_IFREG | 0444, 0);
		fd = made == 0 ? inside(base, path, O_PATH) : -1;
	}
	close(dir);
	return fd;
}

static int attach(int base, int tree, const char *path, int directory)
{
	int target = make_target(base, path, directory);
	if (target < 0)
		return -1;
	int result = syscall(SYS_move_mount, tree, "", target, "",
	                     MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
	close(target);
	return result;
}

static int make_link(int base, const char *text, const char *path)
{
	const char *name;
	int dir = make_parent(base, path, &name);
	if (dir < 0)
		return -1;
	int result = symlinkat(text, dir, name);
	close(dir);
	return result;
}

static int make_file(int base, const char *content, const char *path)
{
	const char *name;
	int dir = make_parent(base, path, &name);
	if (dir < 0)
		return -1;
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
	close(dir);
	if (fd < 0)
		return -1;
	size_t size = strlen(content);
	int result = write(fd, content, size) == (ssize_t)size ? 0 : -1;
	close(fd);
	return result;
}

// mount_tree mounts a host tree, id-mapped by the spawner or as it is.
static int mount_tree(struct launch *l, unsigned i, int base)
{
	struct stat st;
	int tree = l->mapped[i];
	if (tree >= 0) {
		if (fstat(tree, &st) != 0)
			return -1;
	} else {
		tree = mount_clone(l, i, &st);
		if (tree < 0)
			return errno == ENOENT && l->mounts[i].flags & MOUNT_OPTIONAL ? 0 : -1;
		if (mount_restrict(tree, &l->mounts[i], &st, -1) != 0)
			return -1;
	}
	int result = attach(base, tree, l->mount_paths[2 * i + 1], S_ISDIR(st.st_mode));
	close(tree);
	return result;
}

static int mount_entry(struct launch *l, unsigned i, int base)
{
	const char *source = l->mount_paths[2 * i], *target = l->mount_paths[2 * i + 1];
	l->object = target;
	if (l->mounts[i].flags & MOUNT_SYMLINK)
		return make_link(base, source, target);
	if (l->mounts[i].flags & MOUNT_CONTENT)
		return make_file(base, source, target);
	return mount_tree(l, i, base);
}

static int mount_own(int base, const char *name, const char *type, const char *options)
{
	char path[64];
	if (mkdirat(base, name, 0755) != 0)
		return -1;
	snprintf(path, sizeof path, "%s/%s", ROOT_BASE, name);
	return mount(type, path, type, MS_NOSUID | MS_NODEV, options);
}

int command_root(struct launch *l)
{
	char tmp[96];
	snprintf(tmp, sizeof tmp, "size=%llu,nr_inodes=65536,mode=1777",
	         (unsigned long long)l->head->tmp_bytes);
	if (mount("jail", ROOT_BASE, "tmpfs", MS_NOSUID | MS_NODEV,
	          "size=1m,nr_inodes=16384,mode=0755") != 0)
		return -1;
	int base = open(ROOT_BASE, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (base < 0)
		return -1;
	l->object = "/proc"; // while the host's is still visible: else the kernel refuses
	if (mount_own(base, "proc", "proc", "hidepid=2,subset=pid") != 0)
		return -1;
	l->object = "/tmp";
	if (mount_own(base, "tmp", "tmpfs", tmp) != 0)
		return -1;
	for (uint32_t i = 0; i < l->head->mounts; i++)
		if (mount_entry(l, i, base) != 0)
			return -1;
	close(base);
	return 0;
}
