/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "privileges.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static int limit(__rlimit_resource_t resource, rlim_t value)
{
    const struct rlimit limit = {value, value};
    return setrlimit(resource, &limit) != 0 ? -errno : 0;
}

static int set_limits(void)
{
    int result = limit(RLIMIT_CORE, 0);
    if (result == 0)
        result = limit(RLIMIT_NOFILE, 64);
    if (result == 0)
        result = limit(RLIMIT_CPU, 300);
    if (result == 0)
        result = limit(RLIMIT_FSIZE, 0);
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
    if (result == 0)
        result = limit(RLIMIT_AS, (rlim_t)2 << 30);
#endif
    return result;
}

int privileges_drop(uid_t uid, gid_t gid)
{
    int result = set_limits();
    if (result != 0)
        return result;
    if (geteuid() == 0) {
        if (setgroups(1, &gid) != 0 || setresgid(gid, gid, gid) != 0 ||
            setresuid(uid, uid, uid) != 0)
            return -errno;
    }
    if (geteuid() != uid || getuid() != uid)
        return -EPERM;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return -errno;
    return 0;
}
