#ifndef REALM_MOUNTS_H
#define REALM_MOUNTS_H

#include <sys/stat.h>

#include "launch.h"

int mount_clone(struct launch *l, unsigned i, struct stat *st);
int mount_restrict(int fd, const struct mount_entry *m, const struct stat *st, int userns);

#endif
