/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/holdings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "spank/spool_path.h"
#include "submit/job/spool_read.h"

uint64_t holdings_bytes(int at, const char *path)
{
    uint64_t bytes = 0;
    struct stat status;
    CLEANUP_LISTING DIR *listing = NULL;
    listing_take(directory_open(at, path), &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        if (fstatat(dirfd(listing), name, &status, AT_SYMLINK_NOFOLLOW) == 0)
            bytes += (uint64_t)status.st_blocks * 512;
    return bytes;
}

struct user_holding *holdings_of(struct holdings *holdings, uid_t uid)
{
    for (size_t i = 0; i < holdings->count; i++)
        if (holdings->user[i].uid == uid)
            return &holdings->user[i];
    if (GROW(holdings->user, holdings->count) != 0)
        return NULL;
    holdings->user[holdings->count] = (struct user_holding){.uid = uid};
    return &holdings->user[holdings->count++];
}

static void add(struct holdings *holdings, struct user_holding *user, uint64_t jobs, uint64_t bytes)
{
    user->jobs += jobs;
    user->bytes += bytes;
    holdings->all.jobs += jobs;
    holdings->all.bytes += bytes;
}

static uint64_t job_bytes(int directory)
{
    return holdings_bytes(directory, ".") + holdings_bytes(directory, SPOOL_USER);
}

static bool read_mark(int directory, uid_t *uid)
{
    char text[16];
    ssize_t length = readlinkat(directory, SPOOL_WAITS, text, sizeof text - 1);
    if (length <= 0)
        return false;
    text[length] = '\0';
    *uid = (uid_t)strtoul(text, NULL, 10);
    return true;
}

int holdings_read(int spool, struct holdings *holdings)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t most = memory / HOLDINGS_MEMORY_PART;
    *holdings = (struct holdings){
        .most_bytes = most > HOLDINGS_BYTES_LEAST ? most : HOLDINGS_BYTES_LEAST,
    };
    struct spool_jobs jobs;
    int error = spool_list(spool, 0, &jobs);
    if (error != 0)
        return error;
    for (size_t i = 0; error == 0 && i < jobs.count; i++) {
        uid_t uid;
        CLEANUP_CLOSE int directory = spool_open_job(spool, &jobs.job[i]);
        if (directory < 0 || !read_mark(directory, &uid))
            continue;
        struct user_holding *user = holdings_of(holdings, uid);
        if (user == NULL)
            error = -ENOMEM;
        else
            add(holdings, user, 1, job_bytes(directory));
    }
    free(jobs.job);
    return error;
}

void holdings_free(struct holdings *holdings)
{
    free(holdings->user);
    *holdings = (struct holdings){.user = NULL};
}

static bool is_too_much(uint64_t own, uint64_t all, uint64_t most, size_t users)
{
    return own > most / HOLDINGS_USER_PART || (all > most && own > most / users);
}

bool holdings_may_wait(struct holdings *holdings, int directory, uid_t uid)
{
    char text[16];
    uid_t marked;
    struct user_holding *user = holdings_of(holdings, uid);
    if (user == NULL)
        return true;
    const uint64_t bytes = job_bytes(directory);
    snprintf(text, sizeof text, "%u", (unsigned)uid);
    if (!read_mark(directory, &marked) && symlinkat(text, directory, SPOOL_WAITS) == 0)
        add(holdings, user, 1, bytes);
    /* a single job that is larger than a user's part waits, while others leave it room */
    bool has_jobs = is_too_much(user->jobs, holdings->all.jobs, HOLDINGS_JOBS, holdings->count);
    bool has_bytes =
        is_too_much(user->bytes, holdings->all.bytes, holdings->most_bytes, holdings->count) &&
        (user->jobs > 1 || holdings->all.bytes > holdings->most_bytes);
    if (!has_jobs && !has_bytes)
        return true;
    add(holdings, user, (uint64_t)-1, -(bytes < user->bytes ? bytes : user->bytes));
    return false;
}

bool holdings_say(const struct conf *conf, uid_t uid, const char *what)
{
    enum { MOST = 64 << 10 };
    static char text[MOST];
    char path[PATH_MAX], day[32], entry[64];
    snprintf(path, sizeof path, "%s/said", conf->state);
    CLEANUP_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    ssize_t got = fd < 0 || flock(fd, LOCK_EX) != 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (got < 0)
        return true;
    text[got] = '\0';
    size_t day_length =
        (size_t)snprintf(day, sizeof day, "day %lld\n", (long long)time(NULL) / 86400);
    if (strncmp(text, day, day_length) != 0) {
        if (ftruncate(fd, 0) != 0 || pwrite(fd, day, day_length, 0) < 0)
            return true;
        text[0] = '\0';
        got = (ssize_t)day_length;
    }
    int length = snprintf(entry, sizeof entry, "\n%s %u\n", what, (unsigned)uid);
    if (strstr(text, entry) != NULL || got + length >= MOST)
        return false;
    return pwrite(fd, entry + 1, (size_t)length - 1, got) >= 0;
}
