/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spank/spool_make.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "contrib/hooks/packages.h"
#include "spank/journal.h"
#include "spank/spool_access.h"
#include "spank/spool_part.h"
#include "spank/spool_reserve.h"

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
    int error = spool_access_give(job, run->uid);
    if (error == 0)
        error = make_part(job, run);
    return error != 0 ? error : journal_append(&copy, job);
}

static void take_back(int base, const char *name, int job)
{
    spool_part_unmount(job);
    unlinkat(job, SPOOL_USER, AT_REMOVEDIR);
    unlinkat(job, SPOOL_MOUNTED, 0);
    unlinkat(job, JOURNAL_NAME, 0);
    unlinkat(base, name, AT_REMOVEDIR);
}

static int make_directory(int base, char *name, size_t size)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    snprintf(name, size, SPOOL_NEW "%d.%lld.%09ld", (int)getpid(), (long long)now.tv_sec,
             now.tv_nsec);
    return directory_make_open(base, name, 0700);
}

static int make_once(int base, const struct spool_run *run, const struct journal_line *line)
{
    char temporary[64], name[SPOOL_NAME_MAX];
    int job = make_directory(base, temporary, sizeof temporary);
    if (job < 0)
        return job;
    int error = fill_directory(job, run, line);
    spool_name(run->job, run->restart, name);
    if (error == 0 && renameat2(base, temporary, base, name, RENAME_NOREPLACE) != 0)
        error = -errno;
    if (error == 0)
        return job;
    take_back(base, temporary, job);
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
