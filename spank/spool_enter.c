/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "spank/journal_owner.h"
#include "spank/spool.h"
#include "spank/spool_make.h"
#include "spank/spool_path.h"

/* TRIES: other daemons make and remove directories at the same time. */
enum { TRIES = 16, LOCK_TRIES = 50, LOCK_PAUSE_MS = 20 };

static int open_base(const char *spool)
{
    int base = directory_open_own(AT_FDCWD, spool);
    if (base != -ENOENT)
        return base;
    int error = directory_make_all(spool, 0711);
    return error < 0 ? error : directory_open_own(AT_FDCWD, spool);
}

/* Daemons rename directories one after the other: without the lock a second one could rename the
 * directory that the first has made in the meantime. Users cannot open the node's directory, and so
 * cannot hold its lock. A second is enough for a few renames. */
static int lock_base(int base)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(base, LOCK_EX | LOCK_NB) == 0)
            return 0;
        nanosleep(&pause, NULL);
    }
    return -EAGAIN;
}

static int rename_left(int base, const char *name)
{
    char left[SPOOL_NAME_MAX + 16];
    for (unsigned i = 1; i <= SPOOL_LEFT_MAX; i++) {
        snprintf(left, sizeof left, "%s" SPOOL_LEFT "%u", name, i);
        if (renameat2(base, name, base, left, RENAME_NOREPLACE) == 0 || errno == ENOENT)
            return 0;
        if (errno != EEXIST)
            return -errno;
    }
    return -EDQUOT;
}

/* Returns 0 when the name is free, or another daemon has made the directory again; or -errno. */
static int set_aside(int base, const char *name, uid_t uid)
{
    int error = lock_base(base);
    if (error != 0)
        return error;
    int fd = directory_open_own(base, name);
    if (fd >= 0 && journal_is_current(fd, uid) == 0)
        error = rename_left(base, name);
    if (fd >= 0)
        close(fd);
    flock(base, LOCK_UN);
    return error;
}

/* Opens the directory and appends the line. Returns a descriptor, or -errno: -ENOENT where there is
 * none. `*is_left`: an earlier job has left it, and nothing was done. */
static int enter_existing(int base, const char *name, uid_t uid, const struct journal_line *line,
                          bool *is_left)
{
    struct journal_line copy = *line;
    int fd = directory_open_own(base, name);
    if (fd < 0)
        return fd;
    int result = journal_is_current(fd, uid);
    *is_left = result == 0;
    if (result == 1)
        result = journal_append(&copy, fd);
    if (result >= 0 && !*is_left) /* 1: a full journal has counted the line */
        return fd;
    close(fd);
    return result;
}

static int enter_or_make(int base, const struct spool_run *run, const struct journal_line *line)
{
    char name[SPOOL_NAME_MAX];
    int result = -EAGAIN;
    spool_name(run->job, run->restart, name);
    for (int i = 0; i < TRIES; i++) {
        bool is_left = false;
        result = enter_existing(base, name, run->uid, line, &is_left);
        if (result == -ENOENT)
            result = spool_make(base, run, line);
        if (is_left)
            result = set_aside(base, name, run->uid);
        else if (result != -EEXIST)
            return result;
        if (result != 0 && result != -EEXIST)
            return result;
    }
    return -EAGAIN;
}

int spool_enter(const struct spool_run *run, const struct journal_line *line)
{
    int base = open_base(run->spool);
    if (base < 0)
        return base;
    int result = enter_or_make(base, run, line);
    close(base);
    return result;
}
