// Detached clones of host directories and files, for a command's root.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mounts.h"

// AT_RECURSIVE only where headers are older than the call.
#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

// mount_clone clones the tree at mount i's source, and checks that it still is
// what was granted. ENOENT for an optional one is the caller's to forgive.
int mount_clone(struct launch *l, unsigned i, struct stat *st)
{
	const struct mount_entry *m = &l->mounts[i];
	l->object = l->mount_paths[2 * i];
	int fd = syscall(SYS_open_tree, AT_FDCWD, l->object,
	                 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (fd < 0)
		return -1;
	if (fstat(fd, st) != 0) {
		close(fd);
		return -1;
	}
	if ((m->device | m->inode) != 0 && (st->st_dev != m->device || st->st_ino != m->inode)) {
		close(fd);
		errno = ESTALE;
		return -1;
	}
	return fd;
}

// mount_restrict: set-id bits and devices mean nothing below it, and nothing can
// be written unless the grant says so. userns >= 0 maps its owners.
int mount_restrict(int fd, const struct mount_entry *m, const struct stat *st, int userns)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_NOSUID};
	// A device that is bound by name is one of our own, /dev/null and its like.
	if (!S_ISCHR(st->st_mode))
		attr.attr_set |= MOUNT_ATTR_NODEV;
	if (!(m->flags & MOUNT_WRITABLE))
		attr.attr_set |= MOUNT_ATTR_RDONLY;
	if (userns >= 0) {
		attr.attr_set |= MOUNT_ATTR_IDMAP;
		attr.userns_fd = userns;
	}
	return syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof attr);
}
