// The root directory: a tmpfs that is entered by pivot_root and then read-only.
#define _GNU_SOURCE
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch.h"
#include "root.h"

// realm_root is one page and one inode: nothing to read, no room to write.
int realm_root(struct launch *l)
{
	(void)l;
	return mount("realm", ROOT_BASE, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
	             "size=4k,nr_inodes=1,mode=0555");
}

// enter_root: with "." twice the old root lies over the new one until it is
// detached, so that no directory has to exist for it.
int enter_root(struct launch *l)
{
	(void)l;
	if (chdir(ROOT_BASE) != 0 || syscall(SYS_pivot_root, ".", ".") != 0)
		return -1;
	if (umount2(".", MNT_DETACH) != 0)
		return -1;
	return chdir("/");
}

int seal_root(struct launch *l)
{
	unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
	if (l->head->kind != KIND_COMMAND)
		flags |= MS_NOEXEC;
	return mount(NULL, "/", NULL, flags, NULL);
}
