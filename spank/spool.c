/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "spank/journal_owner.h"
#include "spank/spool_path.h"

void spool_name(uint32_t job, uint32_t restart, char name[SPOOL_NAME_MAX])
{
    snprintf(name, SPOOL_NAME_MAX, "%u.%u", job, restart);
}

static int open_run(const char *spool, uint32_t job, uint32_t restart)
{
    char name[SPOOL_NAME_MAX];
    int base = directory_open_own(AT_FDCWD, spool);
    if (base < 0)
        return base;
    spool_name(job, restart, name);
    int fd = directory_open_own(base, name);
    close(base);
    return fd;
}

int spool_find(const char *spool, uint32_t job, uint32_t restart, uid_t uid)
{
    int fd = open_run(spool, job, restart);
    int owned = fd < 0 ? fd : journal_is_of_user(fd, uid);
    if (fd >= 0 && owned != 1) {
        close(fd);
        fd = owned < 0 ? owned : -ENOENT;
    }
    return fd;
}

bool spool_parse_run(const char *name, uint32_t job, uint32_t *restart)
{
    char text[SPOOL_NAME_MAX];
    const char *point = strchr(name, '.');
    if (point == NULL)
        return false;
    *restart = (uint32_t)strtoul(point + 1, NULL, 10);
    spool_name(job, *restart, text);
    return strcmp(text, name) == 0;
}

int spool_find_runs(const char *spool, uint32_t job,
                    void (*found)(void *context, uint32_t restart, int directory), void *context)
{
    DIR *listing;
    uint32_t restart;
    int error = listing_open(AT_FDCWD, spool, &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        if (!spool_parse_run(name, job, &restart))
            continue;
        int run = open_run(spool, job, restart);
        if (run < 0) {
            error = error == -EACCES ? error : run;
            continue;
        }
        found(context, restart, run);
        close(run);
    }
    if (listing != NULL)
        closedir(listing);
    return error == -EACCES ? error : 0;
}

struct last {
    uid_t uid;
    int64_t running, ended; /* restart counts; -1: none */
    int error;
};

static void spool_take_last(void *context, uint32_t restart, int directory)
{
    struct last *last = context;
    int current = journal_is_current(directory, last->uid);
    int64_t *of = current == 1 ? &last->running : &last->ended;
    int owned = restart > *of ? journal_is_of_user(directory, last->uid) : 0;
    if (owned == 1)
        *of = restart;
    if (current == -EACCES || owned == -EACCES)
        last->error = -EACCES;
}

int spool_last_run(const char *spool, uint32_t job, uid_t uid, uint32_t *restart)
{
    struct last last = {uid, -1, -1, 0};
    int error = spool_find_runs(spool, job, spool_take_last, &last);
    if (last.running >= 0)
        *restart = (uint32_t)last.running;
    else if (last.ended >= 0)
        *restart = (uint32_t)last.ended;
    return error != 0 ? error : last.error;
}

enum { NOTE_PATH = PATH_MAX + SPOOL_NAME_MAX };

void spool_note_restart(const char *spool, uint32_t job, uid_t uid, uint32_t restart)
{
    char path[NOTE_PATH], text[SPOOL_NAME_MAX];
    snprintf(path, sizeof path, "%s/" SPOOL_AGAIN "%u", spool, job);
    spool_name(uid, restart, text);
    unlink(path);
    if (restart > 0)
        (void)!symlink(text, path);
}

uint32_t spool_noted_restart(const char *spool, uint32_t job, uid_t uid)
{
    char path[NOTE_PATH], text[SPOOL_NAME_MAX];
    uint32_t restart;
    snprintf(path, sizeof path, "%s/" SPOOL_AGAIN "%u", spool, job);
    ssize_t length = readlink(path, text, sizeof text - 1);
    text[length < 0 ? 0 : length] = '\0';
    return spool_parse_run(text, uid, &restart) ? restart : 0;
}

int spool_mark(int job, const char *name)
{
    int fd = openat(job, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}
