/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conf/base/descriptors.h"
#include "conf/base/process.h"
#include "conf/base/sandbox.h"

/* An id that no account has: below (uid_t)-2, which NFS knows as nobody. */
#define UID_OF_NOBODY ((uid_t)-3)

/* More than [submit] job_timeout may be: a child that takes too long reports first how far it has
 * come. */
enum { CPU_SECONDS = 330 };

static int set_limit(__rlimit_resource_t resource, rlim_t value)
{
    const struct rlimit limit = {value, value};
    return setrlimit(resource, &limit) != 0 ? -errno : 0;
}

/* SIGXCPU comes first, which names the reason, and then SIGKILL. */
static int limit_cpu(void)
{
    const struct rlimit limit = {CPU_SECONDS, CPU_SECONDS + 10};
    return setrlimit(RLIMIT_CPU, &limit) != 0 ? -errno : 0;
}

int privileges_limit_memory(uint64_t bytes)
{
#ifdef __SANITIZE_ADDRESS__ /* which reserves terabytes */
    bytes = 0;
#endif
    return bytes == 0 ? 0 : set_limit(RLIMIT_AS, (rlim_t)bytes);
}

static int set_limits(void)
{
    int error = set_limit(RLIMIT_CORE, 0);
    if (error == 0)
        error = set_limit(RLIMIT_NOFILE, 64);
    if (error == 0)
        error = limit_cpu();
    if (error == 0)
        error = set_limit(RLIMIT_NPROC, 0);
    if (error == 0)
        error = set_limit(RLIMIT_FSIZE, 0);
    if (error == 0)
        error = privileges_limit_memory(UINT64_C(2) << 30);
    return error;
}

/* Its real and saved user decide who may signal a process (kill(2)), its effective user what it may
 * open. In a user namespace without the id of nobody, the real user is the job's. */
static int become(uid_t uid, gid_t gid)
{
    if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0)
        return -errno;
    if (setresuid(UID_OF_NOBODY, uid, UID_OF_NOBODY) != 0 && setresuid(uid, uid, uid) != 0)
        return -errno;
    return 0;
}

static bool has_dropped(uid_t uid, gid_t gid)
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
    int error = descriptors_keep(keep, count);
    if (error == 0)
        error = set_limits();
    if (error == 0 && geteuid() == 0)
        error = become(uid, gid);
    if (error != 0)
        return error;
    if (!has_dropped(uid, gid))
        return -EPERM;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
        return -errno;
    return 0;
}

enum { PATIENCE_MS = 10000 };

static int as_user_run(const struct as_user_order *order)
{
    const size_t count = sizeof order->keep / sizeof order->keep[0];
    int error = privileges_drop(order->uid, order->gid, order->keep, count);
    if (error == 0)
        error = sandbox_enter(SANDBOX_RENAMES);
    return error != 0 ? error : order->act(order->context);
}

int as_user(const struct as_user_order *order)
{
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(as_user_run(order) != 0);
    if (pid < 0)
        return -errno;
    if (!process_reap(pid, PATIENCE_MS, &status)) {
        kill(pid, SIGKILL); /* it may hang in a file system */
        return -ETIMEDOUT;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}

int capabilities_drop(void)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_capset, &head, none) != 0)
        return -errno;
    return 0;
}
