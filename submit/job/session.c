/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/caller.h"
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

int session_own(struct session *session)
{
    pid_t leader = getsid(0);
    uint64_t ticks;
    if (leader <= 0 || !process_start(leader, &ticks)) {
        /* The process that takes the place of a leader that cannot be seen: it has ended, it is in
         * another pid namespace, as with containers (then getsid(2) gives 0), or /proc hides it
         * (hidepid, proc(5)). */
        pid_t first = 0;
        for (pid_t pid = getppid(); pid > 0 && is_own_process(pid); pid = process_parent(pid))
            first = pid;
        leader = first;
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
    /* in a namespace within one of uid 0 alone, whose user is not known */
    if (caller_uid() == 0 && !caller_is_root())
        return -EPERM;
    snprintf(name, sizeof name, "%u", (unsigned)caller_uid());
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
                          (unsigned)caller_uid(), name);
    if (length < 0 || length >= PATH_MAX)
        return -ENAMETOOLONG;
    CLEANUP_CLOSE int user = session_open_user(sessions);
    return user < 0 ? user : session_open_own(user, name);
}

/* ---- Directories of users -------------------------------------------------------------------- */

static int find_group(uid_t uid, gid_t *gid)
{
    struct passwd entry, *found = NULL;
    char buffer[4096];
    getpwuid_r(uid, &entry, buffer, sizeof buffer, &found);
    if (found == NULL)
        return -ENOENT;
    *gid = found->pw_gid;
    return 0;
}

static int make_name(uid_t uid, char name[SESSION_ASIDE_SIZE])
{
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -EIO;
    snprintf(name, SESSION_ASIDE_SIZE, SESSION_ASIDE "%u.%016" PRIx64, (unsigned)uid, random);
    return 0;
}

/* Makes a directory for the user under a random name, which nobody can guess. It is root's until it
 * is complete. */
static int make_directory(int base, uid_t uid, gid_t gid, char name[SESSION_ASIDE_SIZE])
{
    int made = make_name(uid, name);
    if (made != 0)
        return made;
    if (mkdirat(base, name, 0700) != 0)
        return -errno;
    CLEANUP_CLOSE int fd = directory_open(base, name);
    int error = fd < 0 ? fd : fchmod(fd, 0700) != 0 || fchown(fd, uid, gid) != 0 ? -errno : 0;
    if (error != 0)
        unlinkat(base, name, AT_REMOVEDIR);
    return error;
}

static bool is_users_directory(int base, const char *name, uid_t uid)
{
    struct stat status;
    return fstatat(base, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == uid;
}

/* Exchanges the two names in one step, so that nobody can act in between. If meanwhile the other
 * user has removed `name`, and the user has made a directory of that name, that one was exchanged:
 * then it is put back. */
static int exchange_names(int base, const char *name, const char *made, uid_t uid)
{
    if (renameat2(base, made, base, name, RENAME_EXCHANGE) != 0)
        return errno == ENOENT && renameat2(base, made, base, name, RENAME_NOREPLACE) == 0 ? 0
                                                                                           : -errno;
    if (is_users_directory(base, made, uid) &&
        renameat2(base, made, base, name, RENAME_EXCHANGE) != 0)
        return -errno;
    return 0;
}

/* Removes `name` where it is an empty directory. `aside` is "" then, else `name`. */
static void remove_empty(int base, const char *name, char aside[SESSION_ASIDE_SIZE])
{
    unlinkat(base, name, AT_REMOVEDIR);
    snprintf(aside, SESSION_ASIDE_SIZE, "%s",
             faccessat(base, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? name : "");
}

int session_place_clear(int base, uid_t uid, char aside[SESSION_ASIDE_SIZE])
{
    char name[16], new_name[SESSION_ASIDE_SIZE];
    int error = make_name(uid, new_name);
    if (error != 0)
        return error;
    snprintf(name, sizeof name, "%u", (unsigned)uid);
    aside[0] = '\0';
    if (renameat2(base, name, base, new_name, RENAME_NOREPLACE) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (is_users_directory(base, new_name, uid) && /* the user has just made it */
        renameat2(base, new_name, base, name, RENAME_NOREPLACE) == 0)
        return 0;
    remove_empty(base, new_name, aside);
    return 0;
}

int session_place_mend(int base, uid_t uid, char aside[SESSION_ASIDE_SIZE])
{
    char name[16], made[SESSION_ASIDE_SIZE];
    gid_t gid;
    int error = find_group(uid, &gid);
    if (error == 0)
        error = make_directory(base, uid, gid, made);
    if (error != 0)
        return error;
    snprintf(name, sizeof name, "%u", (unsigned)uid);
    error = exchange_names(base, name, made, uid);
    remove_empty(base, made, aside);
    return error;
}
