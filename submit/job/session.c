/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/process.h"
#include "spank/job_formats.h"

bool session_parse(const char *name, struct session *session)
{
    char *end;
    if (strspn(name, "0123456789.") != strlen(name) || name[0] < '1' || name[0] > '9')
        return false;
    unsigned long pid = strtoul(name, &end, 10);
    if (*end != '.' || end[1] < '0' || pid > INT32_MAX || strlen(end) > 21)
        return false;
    session->leader = (pid_t)pid;
    session->ticks = strtoull(end + 1, &end, 10);
    return *end == '\0';
}

static bool is_own_process(pid_t pid)
{
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d", (int)pid);
    return getsid(pid) == getsid(0) && stat(path, &status) == 0 && status.st_uid == geteuid();
}

/* The process that takes the place of a leader that cannot be seen: it has ended, it is in another
 * pid namespace, as with containers (then getsid(2) gives 0), or /proc hides it (hidepid, proc(5)).
 */
static pid_t first_ancestor(void)
{
    pid_t first = 0;
    for (pid_t pid = getppid(); pid > 0 && is_own_process(pid); pid = process_parent(pid))
        first = pid;
    return first;
}

int session_own(struct session *session)
{
    pid_t leader = getsid(0);
    uint64_t ticks;
    if (leader <= 0 || !process_start(leader, &ticks)) {
        leader = first_ancestor();
        if (leader <= 0 || !process_start(leader, &ticks))
            return -ESRCH;
    }
    *session = (struct session){leader, ticks};
    return 0;
}

int session_open_own(int at, const char *name)
{
    struct stat status;
    int fd = directory_make_open(at, name, 0700);
    if (fd < 0)
        return fd;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
        (status.st_mode & (S_IRWXG | S_IRWXO)) == 0)
        return fd;
    close(fd);
    return -EPERM;
}

int session_open_user(const char *sessions)
{
    char name[16], path[PATH_MAX];
    snprintf(name, sizeof name, "%u", (unsigned)geteuid());
    /* O_PATH, as users cannot read it: they are not to see the names of others */
    int length = snprintf(path, sizeof path, "%s" JOB_FORMATS_SUFFIX, sessions);
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    CLEANUP_CLOSE int base = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (base < 0)
        return -errno;
    return session_open_own(base, name);
}

int session_make(const char *sessions, const struct session *session, char path[PATH_MAX])
{
    char name[48];
    snprintf(name, sizeof name, "%d.%" PRIu64, (int)session->leader, session->ticks);
    int length = snprintf(path, PATH_MAX, "%s" JOB_FORMATS_SUFFIX "/%u/%s", sessions,
                          (unsigned)geteuid(), name);
    if (length < 0 || length >= PATH_MAX)
        return -ENAMETOOLONG;
    CLEANUP_CLOSE int user = session_open_user(sessions);
    return user < 0 ? user : session_open_own(user, name);
}
