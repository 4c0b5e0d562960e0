/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/sandbox.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* What the C library, json-c and libelf call. libseccomp leaves out what an architecture
 * does not have. */
static const int reading[] = {
    /* files */
    SCMP_SYS(open),
    SCMP_SYS(openat),
    SCMP_SYS(openat2),
    SCMP_SYS(close),
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(lseek),
    SCMP_SYS(_llseek),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(fstat),
    SCMP_SYS(stat64),
    SCMP_SYS(lstat64),
    SCMP_SYS(fstat64),
    SCMP_SYS(newfstatat),
    SCMP_SYS(fstatat64),
    SCMP_SYS(statx),
    SCMP_SYS(statfs),
    SCMP_SYS(fstatfs),
    SCMP_SYS(statfs64),
    SCMP_SYS(fstatfs64),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getdents64),
    SCMP_SYS(getcwd),
    SCMP_SYS(fcntl),
    SCMP_SYS(fcntl64),
    SCMP_SYS(fgetxattr),
    SCMP_SYS(fadvise64),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    /* memory */
    SCMP_SYS(brk),
    SCMP_SYS(mmap),
    SCMP_SYS(mmap2),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(mprotect),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(futex_time64),
    /* the process itself */
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(getresuid),
    SCMP_SYS(getresgid),
    SCMP_SYS(getrusage),
    SCMP_SYS(getrlimit),
    SCMP_SYS(ugetrlimit),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
    /* the machine and the time */
    SCMP_SYS(uname),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getrandom),
    SCMP_SYS(time),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_gettime64),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(clock_nanosleep_time64),
    SCMP_SYS(nanosleep),
};

static const int renaming[] = {
    SCMP_SYS(mkdir),  SCMP_SYS(mkdirat),  SCMP_SYS(rename),    SCMP_SYS(renameat),
    SCMP_SYS(unlink), SCMP_SYS(unlinkat), SCMP_SYS(renameat2), SCMP_SYS(rmdir),
};

static int allow_calls(scmp_filter_ctx filter, const int *calls, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count && error == 0; i++)
        error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
    return error;
}

/* Limits may be read, not set. ioctl(2) is asked whether a descriptor is a terminal: none is. */
static int allow_questions(scmp_filter_ctx filter)
{
    int error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
                                 SCMP_A2(SCMP_CMP_EQ, (scmp_datum_t)0));
    return error != 0 ? error
                      : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOTTY), SCMP_SYS(ioctl), 0);
}

int sandbox_enter(enum sandbox_kind kind)
{
    /* Asked with NULL for a filter, which fails with EFAULT where there are filters. */
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0 && errno != EFAULT)
        return 0;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    if (filter == NULL) /* Linux before 4.14 */
        filter = seccomp_init(SCMP_ACT_KILL);
    if (filter == NULL)
        return -ENOMEM;
    int error = allow_calls(filter, reading, COUNT(reading));
    if (error == 0)
        error = allow_questions(filter);
    if (error == 0 && kind == SANDBOX_RENAMES)
        error = allow_calls(filter, renaming, COUNT(renaming));
    if (error == 0)
        error = seccomp_load(filter);
    seccomp_release(filter);
    return error;
}
