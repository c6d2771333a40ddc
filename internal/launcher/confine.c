// Limits and privileges of the child itself.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launch.h"

// limit_resources sets soft and hard alike, never above the hard limit there is.
int limit_resources(struct launch *l)
{
	for (uint32_t i = 0; i < l->head->limits; i++) {
		struct rlimit now, want = {l->limits[i].value, l->limits[i].value};
		int resource = l->limits[i].resource;
		if (getrlimit(resource, &now) != 0)
			return -1;
		if (want.rlim_max > now.rlim_max)
			want.rlim_cur = want.rlim_max = now.rlim_max;
		if (setrlimit(resource, &want) != 0)
			return -1;
	}
	return 0;
}

int drop_bounding_set(struct launch *l)
{
	(void)l;
	for (int cap = 0; cap < 64; cap++)
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
			return errno == EINVAL && cap > CAP_SETPCAP ? 0 : -1; // above the kernel's last
	return 0;
}

int forbid_privileges(struct launch *l)
{
	(void)l;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int drop_capabilities(struct launch *l)
{
	(void)l;
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
		return -1;
	return syscall(SYS_capset, &header, none);
}

// install_filter is for commands; a realm installs its own once it has warmed up.
int install_filter(struct launch *l)
{
	if (l->head->kind != KIND_COMMAND)
		return 0;
	if (l->head->filter == 0) {
		errno = EINVAL;
		return -1;
	}
	struct sock_fprog program = {.len = l->head->filter, .filter = l->filter};
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
