/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/database/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/trusted.h"

/* For the message alone: what was decided stays. */
static void say_culprit(const char *culprit, char *trouble, size_t size)
{
    struct stat facts = {0};
    if (lstat(culprit, &facts) == 0 && S_ISLNK(facts.st_mode))
        snprintf(trouble, size, "root does not follow %s, which is another user's link", culprit);
    else if (facts.st_uid != 0)
        snprintf(trouble, size,
                 "root writes nothing below %s, which is user %u's: run this as that user", culprit,
                 (unsigned)facts.st_uid);
    else
        snprintf(trouble, size,
                 "root writes nothing below %s, which others can write to: chmod go-w it, or run "
                 "this as another user",
                 culprit);
}

int sqlite_file_make(const char *path, char *trouble, size_t size)
{
    char culprit[PATH_MAX];
    int error = trusted_beside(path, culprit, sizeof culprit);
    if (error == -EPERM)
        say_culprit(culprit, trouble, size);
    if (error != 0)
        return error == -ENOENT ? 0 : error; /* SQLite says what is missing */
    if (access(path, F_OK) == 0)
        return 0;
    /* a link to a file that is to be made is followed, as it is trusted */
    CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) /* SQLite will say why */
        return 0;
    return fchmod(fd, 0600) != 0 ? -errno : 0; /* a default ACL may have given more */
}

/* SQLite gives them the mode that the file has when they are made; they stay when it is changed.
 * By O_PATH: closing another descriptor of a file would drop the locks that SQLite has on it. */
static void follow_mode(const char *path, const char *ending, const struct stat *facts)
{
    char name[PATH_MAX], self[64];
    struct stat have;
    if ((size_t)snprintf(name, sizeof name, "%s%s", path, ending) >= sizeof name)
        return;
    CLEANUP_CLOSE int fd = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (fstat(fd, &have) == 0 && S_ISREG(have.st_mode) && have.st_uid == facts->st_uid) {
        bool other_group = have.st_gid != facts->st_gid &&
                           fchownat(fd, "", (uid_t)-1, facts->st_gid, AT_EMPTY_PATH) != 0;
        mode_t mode = facts->st_mode & (other_group ? 0700 : 0777);
        if ((have.st_mode & 0777) != mode)
            chmod(self, mode);
    }
}

void sqlite_file_settle(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return;
    follow_mode(path, "-wal", &facts);
    follow_mode(path, "-shm", &facts);
    if ((facts.st_mode & S_IRWXO) != 0)
        fprintf(stderr,
                "jobtrail-load: everybody on this host may read what every user ran, in %s: "
                "chmod o= it\n",
                path);
}
