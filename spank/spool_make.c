/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/spool_make.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/access_list.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "contrib/hooks/packages.h"
#include "spank/journal.h"
#include "spank/journal_owner.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"

enum { RESERVE_BYTES = 4 << 20, PART_OF_ALL = 16 };

static int open_reserve(int base, int flags)
{
    return openat(base, SPOOL_RESERVE_NAME, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
}

/* Brings the reserve in the node's directory `base` to its full size: 4 MiB, or a sixteenth of a
 * small file system. Without room for that it stays as it is. */
static void spool_reserve_fill(int base)
{
    struct statvfs all;
    struct stat status;
    if (fstatvfs(base, &all) != 0)
        return;
    fsblkcnt_t sixteenth = all.f_blocks / PART_OF_ALL * all.f_frsize;
    off_t wanted = sixteenth < RESERVE_BYTES ? (off_t)sixteenth : RESERVE_BYTES;
    int fd = wanted == 0 ? -1 : open_reserve(base, O_CREAT);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0 && status.st_size < wanted && fallocate(fd, 0, 0, wanted) != 0)
        (void)!ftruncate(fd, status.st_size); /* gives back the part that it got */
    close(fd);
}

/* Frees one share. Returns whether there was one. */
static bool spool_reserve_take(int base)
{
    struct stat status;
    struct statvfs all;
    int fd = open_reserve(base, 0), taken = 0;
    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && status.st_size > 0 && fstatvfs(fd, &all) == 0) {
        off_t share = status.st_size / SPOOL_RESERVE_SHARES + 1;
        off_t left = status.st_size > share ? status.st_size - share : 0;
        off_t block = (off_t)all.f_frsize; /* of a file system in memory: a page of the kernel */
        taken = ftruncate(fd, left / block * block) == 0;
    }
    close(fd);
    return taken;
}

/* In addition to ledger, profile and packages: the file system's own page tables, and one line of a
 * hook beyond PACKAGES_BYTES. */
enum { MORE_BYTES = 1 << 20, FILES = 16 };

/* A journal of some hundred lines, where users can fill up the file system that it is on. */
enum { JOURNAL_ROOM = 128 << 10 };

static bool is_in_memory(int directory)
{
    struct statfs status;
    return fstatfs(directory, &status) == 0 && status.f_type == TMPFS_MAGIC;
}

/* The mark comes first: without it the directory would be taken for a plain one after the file
 * system is gone. */
static int mount_part(int job, uint64_t bytes)
{
    char path[64], options[96];
    int error = spool_part_note(job);
    if (error != 0)
        return error;
    snprintf(path, sizeof path, "/proc/self/fd/%d/" SPOOL_USER, job);
    snprintf(options, sizeof options, "size=%llu,nr_inodes=%d,mode=0711", (unsigned long long)bytes,
             FILES);
    if (mount("jobtrail", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) == 0)
        return 0;
    error = -errno;
    unlinkat(job, SPOOL_MOUNTED, 0);
    return error;
}

/* Allocates room for the journal, where users can fill the file system that it is on. */
static void reserve_room(int job)
{
    int fd = openat(job, JOURNAL_NAME, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return;
    (void)!fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, JOURNAL_ROOM);
    close(fd);
}

static int make_part(int job, const struct spool_run *run)
{
    int wanted =
        run->mount == SPOOL_MOUNT_YES || (run->mount == SPOOL_MOUNT_AUTO && is_in_memory(job));
    int error = directory_make_one(job, SPOOL_USER, 0711);
    if (error != 0)
        return error;
    if (!wanted || mount_part(job, run->user_bytes + PACKAGES_BYTES + MORE_BYTES) != 0)
        reserve_room(job);
    return 0;
}

static int fill_directory(int job, const struct spool_run *run, const struct journal_line *line)
{
    struct journal_line copy = *line;
    int error = access_list_give(job, run->uid, ACL_EXECUTE, 0711);
    if (error >= 0)
        error = make_part(job, run);
    return error != 0 ? error : journal_append(&copy, job);
}

static int make_once(int base, const struct spool_run *run, const struct journal_line *line)
{
    char temporary[64], name[SPOOL_NAME_MAX];
    snprintf(temporary, sizeof temporary, SPOOL_NEW "%d.%" PRIu64, (int)getpid(),
             clock_ns(CLOCK_MONOTONIC));
    int job = directory_make_open(base, temporary, 0700);
    if (job < 0)
        return job;
    int error = fill_directory(job, run, line);
    spool_name(run->job, run->restart, name);
    if (error == 0 && renameat2(base, temporary, base, name, RENAME_NOREPLACE) != 0)
        error = -errno;
    if (error == 0)
        return job;
    spool_part_unmount(job);
    unlinkat(job, SPOOL_USER, AT_REMOVEDIR);
    unlinkat(job, SPOOL_MOUNTED, 0);
    unlinkat(job, JOURNAL_NAME, 0);
    unlinkat(base, temporary, AT_REMOVEDIR);
    close(job);
    return error;
}

int spool_make(int base, const struct spool_run *run, const struct journal_line *line)
{
    spool_reserve_fill(base);
    int result = make_once(base, run, line);
    for (int i = 0; i < SPOOL_RESERVE_SHARES && result == -ENOSPC && spool_reserve_take(base); i++)
        result = make_once(base, run, line);
    return result;
}

/* ---- Entering -------------------------------------------------------------------------------- */

/* TRIES: other daemons make and remove directories at the same time. */
enum { TRIES = 16, LOCK_TRIES = 50, LOCK_PAUSE_MS = 20 };

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
    int base = directory_open_own(AT_FDCWD, run->spool);
    if (base == -ENOENT) {
        int error = directory_make_all(run->spool, 0711);
        base = error < 0 ? error : directory_open_own(AT_FDCWD, run->spool);
    }
    if (base < 0)
        return base;
    int result = enter_or_make(base, run, line);
    close(base);
    return result;
}
