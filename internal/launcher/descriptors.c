// The exact set of descriptors, at the start and at the end of a launch.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "launch.h"

#define PARKING 512 // above every target number

static int ascending(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int close_between(unsigned first, unsigned last)
{
	return first > last ? 0 : syscall(SYS_close_range, first, last, 0);
}

// keep_descriptors closes the spawner's own descriptors and those of launches in
// flight. Until it has, a sibling's channel would not show the end of its peer.
int keep_descriptors(struct launch *l)
{
	int keep[2 * MAX_DONATED + 2];
	size_t n = 0;
	keep[n++] = l->channel;
	if (l->executable >= 0)
		keep[n++] = l->executable;
	for (uint32_t i = 0; i < l->head->tasks; i++)
		keep[n++] = l->tasks[i];
	for (uint32_t i = 0; i < l->head->files; i++)
		keep[n++] = l->files[i];
	qsort(keep, n, sizeof *keep, ascending);
	unsigned from = 0;
	for (size_t i = 0; i < n; i++) {
		if (keep[i] > 0 && close_between(from, keep[i] - 1) != 0)
			return -1;
		from = keep[i] + 1;
	}
	return close_between(from, ~0u);
}

// own_null replaces the host's null device by the jail's, whose mount is read-only:
// times of the device can be set through the host's, and tell other jails something.
static int own_null(const struct launch *l, int fd)
{
	struct stat st;
	if (l->head->kind != KIND_COMMAND || fstat(fd, &st) != 0 || !S_ISCHR(st.st_mode) ||
	    st.st_rdev != makedev(1, 3))
		return 0;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return errno == ENOENT ? 0 : -1; // a jail that was given none
	int result = dup3(null, fd, O_CLOEXEC);
	close(null);
	return result < 0 ? -1 : 0;
}

// place_descriptors puts file i at number i. What is left above are the channel
// and the executable, both closed by exec.
int place_descriptors(struct launch *l)
{
	int n = l->head->files;
	int parked[MAX_DONATED];
	for (int i = 0; i < n; i++)
		if ((parked[i] = fcntl(l->files[i], F_DUPFD_CLOEXEC, PARKING)) < 0 || own_null(l, parked[i]) != 0)
			return -1;
	int channel = fcntl(l->channel, F_DUPFD_CLOEXEC, PARKING);
	if (channel < 0)
		return -1;
	int executable = -1;
	if (l->executable >= 0 && (executable = fcntl(l->executable, F_DUPFD_CLOEXEC, PARKING)) < 0)
		return -1;
	for (int i = 0; i < n; i++)
		if (dup2(parked[i], i) < 0)
			return -1;
	if ((l->channel = dup3(channel, n, O_CLOEXEC)) < 0)
		return -1;
	int top = n;
	if (executable >= 0 && (l->executable = dup3(executable, ++top, O_CLOEXEC)) < 0)
		return -1;
	return close_between(top + 1, ~0u);
}
