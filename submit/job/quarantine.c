/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/quarantine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/base/replacement.h"
#include "contrib/hooks/packages.h"
#include "preload/ledger.h"
#include "spank/journal.h"
#include "spank/spool_part.h"
#include "submit/job/holdings.h"

/* ---- What had no room ------------------------------------------------------------------------ */

int overflow_add(int directory, uint64_t more)
{
    char text[32] = "";
    CLEANUP_CLOSE int fd =
        openat(directory, OVERFLOW_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX) != 0 || pread(fd, text, sizeof text - 1, 0) < 0)
        return -errno;
    int length =
        snprintf(text, sizeof text, "%020" PRIu64 "\n", (uint64_t)strtoull(text, NULL, 10) + more);
    return pwrite(fd, text, (size_t)length, 0) == length ? 0 : -EIO;
}

uint64_t overflow_read(int directory)
{
    char text[32];
    io_read_text(directory, OVERFLOW_NAME, text, sizeof text);
    return strtoull(text, NULL, 10);
}

#define LEFT_OUT "; without its files, as the quarantine is full"

enum { START_BYTES = 256 };

/* What it holds, in all and of one user. */
struct usage {
    uint64_t bytes, user_bytes; /* on the disk */
    unsigned entries, user_entries;
};

static uid_t owner_of(int quarantine, const char *entry)
{
    char text[16], *end;
    int directory = openat(quarantine, entry, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    io_read_text(directory, QUARANTINE_OWNER, text, sizeof text);
    unsigned long uid = strtoul(text, &end, 10);
    if (directory >= 0)
        close(directory);
    return end == text ? QUARANTINE_NOBODY : (uid_t)uid;
}

int quarantine_each(int quarantine,
                    void (*each)(void *context, uid_t uid, const char *name, uint64_t bytes),
                    void *context)
{
    struct stat status;
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_open(quarantine, ".", &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        if (name[0] != '.' && strcmp(name, "outbox") != 0 &&
            fstatat(quarantine, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode))
            each(context, owner_of(quarantine, name), name, holdings_bytes(quarantine, name));
    return error;
}

struct usage_count {
    uid_t uid;
    const char *except;
    struct usage *usage;
};

static void add_entry(void *context, uid_t uid, const char *name, uint64_t bytes)
{
    const struct usage_count *count = context;
    if (strcmp(name, count->except) == 0)
        return;
    bool is_own = uid == count->uid;
    count->usage->bytes += bytes;
    count->usage->entries++;
    count->usage->user_bytes += is_own ? bytes : 0;
    count->usage->user_entries += is_own ? 1 : 0;
}

/* The copy has the same owner, so that it can be moved back into the spool. */
static int copy_open(int from, int to_directory, const char *name, uint64_t limit)
{
    struct stat status;
    CLEANUP_CLOSE int to =
        openat(to_directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int error = to < 0 ? -errno : set_aside_copy(from, to, (off_t)limit);
    if (error == 0 && (fstat(from, &status) != 0 || fchown(to, status.st_uid, status.st_gid) != 0))
        error = -errno;
    return error;
}

static int write_text(int directory, const char *name, const char *text, const char *more)
{
    const struct iovec parts[] = {{(void *)(uintptr_t)text, strlen(text)},
                                  {(void *)(uintptr_t)more, strlen(more)}};
    return set_aside_write(directory, name, SET_ASIDE_REPLACE, parts, 2);
}

/* The reason is written last: an entry without one was never finished. */
static int write_notes(int directory, uid_t uid, const char *reason, bool is_whole)
{
    char owner[16];
    snprintf(owner, sizeof owner, "%u", (unsigned)uid);
    int error = uid == QUARANTINE_NOBODY ? 0 : write_text(directory, QUARANTINE_OWNER, owner, "\n");
    return error != 0 ? error
                      : write_text(directory, "reason", reason, is_whole ? "\n" : LEFT_OUT "\n");
}

/* Reads the start of a journal, which identifies the job: it has the nanosecond of its start. */
static size_t read_journal_start(int directory, char *bytes)
{
    CLEANUP_CLOSE int fd = spool_open_file(directory, JOURNAL_NAME);
    ssize_t got = fd < 0 ? -1 : pread(fd, bytes, START_BYTES, 0);
    return got < 0 ? 0 : (size_t)got;
}

/* Whether the entry `name` does not exist, was never finished, or is of this job, as after a flush
 * that was killed. */
static bool may_use(int quarantine, const char *name, int directory)
{
    char ours[START_BYTES], theirs[START_BYTES];
    CLEANUP_CLOSE int fd = directory_open(quarantine, name);
    if (fd < 0)
        return fd == -ENOENT;
    size_t size = read_journal_start(directory, ours);
    return faccessat(fd, "reason", F_OK, AT_SYMLINK_NOFOLLOW) != 0 ||
           (read_journal_start(fd, theirs) == size && memcmp(ours, theirs, size) == 0);
}

/* JOB.RESTART, or where Slurm has given out the job's id again, JOB.RESTART-2 and so on. */
static int find_name(int quarantine, const struct spool_job *job, int directory, char *name,
                     size_t size)
{
    snprintf(name, size, "%s", job->name);
    for (unsigned next = 2; !may_use(quarantine, name, directory); next++) {
        if (next > QUARANTINE_USER_ENTRIES)
            return -EDQUOT;
        snprintf(name, size, "%s-%u", job->name, next);
    }
    return 0;
}

/* A file of a job that is to be kept, and how much of it. */
struct source {
    const char *name;
    int fd;         /* -1: there is none */
    uint64_t limit; /* 0: it is not kept */
};

enum { SOURCES = 4 };

static bool has_room_for(const struct usage *usage, const struct source *sources)
{
    uint64_t bytes = 0;
    struct stat status;
    for (size_t i = 0; i < SOURCES; i++)
        if (sources[i].fd >= 0 && fstat(sources[i].fd, &status) == 0) {
            uint64_t needed = (uint64_t)status.st_blocks * 512;
            bytes += needed < sources[i].limit ? needed : sources[i].limit;
        }
    return usage->bytes + bytes <= QUARANTINE_MAX_BYTES &&
           usage->user_bytes + bytes <= QUARANTINE_USER_BYTES;
}

static int fill_entry(int target, const struct source *sources, bool is_whole, uid_t uid,
                      const char *reason)
{
    int error = 0;
    for (size_t i = 0; is_whole && error == 0 && i < SOURCES; i++)
        if (sources[i].fd >= 0)
            error = copy_open(sources[i].fd, target, sources[i].name, sources[i].limit);
    if (error == 0)
        error = write_notes(target, uid, reason, is_whole);
    if (error == 0 && fsync(target) != 0)
        error = -errno;
    return error;
}

static int open_quarantine(const struct conf *conf)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/quarantine", conf->state);
    return length < 0 || (size_t)length >= sizeof path ? -ENAMETOOLONG : directory_make(path, 0700);
}

/* Makes and fills the entry `name`. */
static int keep_entry(int quarantine, const char *name, const struct source *sources, uid_t uid,
                      const char *reason)
{
    struct usage usage = {0};
    struct usage_count count = {uid, name, &usage}; /* what is to be filled again does not count */
    int error = quarantine_each(quarantine, add_entry, &count);
    if (error == 0 &&
        (usage.entries >= QUARANTINE_MAX_ENTRIES || usage.user_entries >= QUARANTINE_USER_ENTRIES))
        error = -EDQUOT;
    CLEANUP_CLOSE int target = error != 0 ? error : directory_make_open(quarantine, name, 0700);
    if (target < 0)
        return target;
    error = fill_entry(target, sources, has_room_for(&usage, sources), uid, reason);
    if (error == 0 && fsync(quarantine) != 0)
        error = -errno;
    return error;
}

/* Counts an entry that had no place. Returns `error`. */
static int count_overflow(int quarantine, int error)
{
    if (error == -EDQUOT)
        overflow_add(quarantine, 1);
    return error;
}

int quarantine_keep(const struct conf *conf, const struct spool_job *job, int directory, uid_t uid,
                    const char *reason, char *name, size_t size)
{
    struct source sources[SOURCES] = {
        {"ledger", -1, conf->ledger_bytes},
        {PACKAGES_NAME, -1, PACKAGES_BYTES + PACKAGES_LINE},
        {JOURNAL_NAME, -1, JOURNAL_BYTES},
        {PROFILE_NAME, -1, conf->profile_directory[0] == '\0' ? 0 : conf->profile_bytes},
    };
    CLEANUP_CLOSE int quarantine = open_quarantine(conf);
    if (quarantine < 0)
        return quarantine;
    int error = find_name(quarantine, job, directory, name, size);
    CLEANUP_CLOSE int part = error == 0 ? spool_part_open(directory) : error;
    if (part < 0)
        error = part;
    for (size_t i = 0; error == 0 && i < SOURCES; i++) {
        bool is_journal = strcmp(sources[i].name, JOURNAL_NAME) == 0;
        if (sources[i].limit == 0)
            continue;
        int fd = spool_open_file(is_journal ? directory : part, sources[i].name);
        sources[i].fd = fd;
        if (fd < 0 && fd != -ENOENT &&
            fd != -EINVAL) /* missing, or none that root opens: left out */
            error = fd;
    }
    if (error == 0)
        error = keep_entry(quarantine, name, sources, uid, reason);
    for (size_t i = 0; i < SOURCES; i++)
        if (sources[i].fd >= 0)
            close(sources[i].fd);
    return count_overflow(quarantine, error);
}

int quarantine_keep_session(const struct conf *conf, const char *session, uid_t uid, int ledger,
                            int packages, const char *reason)
{
    const struct source sources[SOURCES] = {
        {"ledger", ledger, conf->ledger_bytes},
        {PACKAGES_NAME, packages, PACKAGES_BYTES + PACKAGES_LINE},
        {JOURNAL_NAME, -1, 0},
        {PROFILE_NAME, -1, 0},
    };
    CLEANUP_CLOSE int quarantine = open_quarantine(conf);
    if (quarantine < 0)
        return quarantine;
    return count_overflow(quarantine, keep_entry(quarantine, session, sources, uid, reason));
}
