/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/privileges.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "conf/base/descriptors.h"

/* An id that no account has: below (uid_t)-2, which NFS knows as nobody. */
#define UID_OF_NOBODY ((uid_t)-3)

/* More than [submit] job_timeout may be: who is late is to have told how far it has come. */
enum { CPU_SECONDS = 330 };

static int limit(__rlimit_resource_t resource, rlim_t value)
{
    const struct rlimit limit = {value, value};
    return setrlimit(resource, &limit) != 0 ? -errno : 0;
}

/* SIGXCPU, which tells what it is, and not at once SIGKILL. */
static int limit_cpu(void)
{
    const struct rlimit limit = {CPU_SECONDS, CPU_SECONDS + 10};
    return setrlimit(RLIMIT_CPU, &limit) != 0 ? -errno : 0;
}

static int set_limits(void)
{
    int result = limit(RLIMIT_CORE, 0);
    if (result == 0)
        result = limit(RLIMIT_NOFILE, 64);
    if (result == 0)
        result = limit_cpu();
    if (result == 0)
        result = limit(RLIMIT_NPROC, 0);
    if (result == 0)
        result = limit(RLIMIT_FSIZE, 0);
#ifndef __SANITIZE_ADDRESS__ /* which reserves terabytes */
    if (result == 0)
        result = limit(RLIMIT_AS, (rlim_t)2 << 30);
#endif
    return result;
}

/* Who may signal a process is decided by its real and saved user (kill(2)), what it may open by its
 * effective one. In a user namespace that lacks the id, the real user is the job's. */
static int become(uid_t uid, gid_t gid)
{
    if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0)
        return -errno;
    if (setresuid(UID_OF_NOBODY, uid, UID_OF_NOBODY) != 0 && setresuid(uid, uid, uid) != 0)
        return -errno;
    return 0;
}

static int has_dropped(uid_t uid, gid_t gid)
{
    uid_t real, effective, saved;
    gid_t real_group, group, saved_group;
    return getresuid(&real, &effective, &saved) == 0 &&
           getresgid(&real_group, &group, &saved_group) == 0 && effective == uid &&
           (uid == 0 || (real != 0 && saved != 0)) && real_group == gid && group == gid &&
           saved_group == gid;
}

int privileges_drop(uid_t uid, gid_t gid, const int *keep, size_t count)
{
    int result = descriptors_keep(keep, count);
    if (result == 0)
        result = set_limits();
    if (result == 0 && geteuid() == 0)
        result = become(uid, gid);
    if (result != 0)
        return result;
    if (!has_dropped(uid, gid))
        return -EPERM;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return -errno;
    return 0;
}
