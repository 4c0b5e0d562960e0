/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/spool_read.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "preload/ledger.h"
#include "spank/journal.h"
#include "spank/spool_part.h"
#include "spank/spool_path.h"

/* Whether `text`, which follows JOB.RESTART, is empty or the suffix of one that was left. */
static bool parse_left(const char *text, bool *left)
{
    const size_t length = strlen(SPOOL_LEFT);
    *left = *text != '\0';
    return !*left || (strncmp(text, SPOOL_LEFT, length) == 0 && text[length] >= '1' &&
                      text[length] <= '0' + (int)SPOOL_LEFT_MAX && text[length + 1] == '\0');
}

/* "JOB.RESTART", both decimal. */
static bool parse_job_name(const char *name, struct spool_job *job)
{
    char *end;
    if (strlen(name) >= sizeof job->name || *name < '1' || *name > '9')
        return false;
    unsigned long id = strtoul(name, &end, 10);
    if (*end != '.' || end[1] < '0' || end[1] > '9' || id > UINT32_MAX)
        return false;
    unsigned long restart = strtoul(end + 1, &end, 10);
    if (restart > UINT32_MAX || !parse_left(end, &job->left))
        return false;
    job->job = (uint32_t)id;
    job->restart = (uint32_t)restart;
    strcpy(job->name, name);
    return true;
}

static int compare_jobs(const void *left, const void *right)
{
    const struct spool_job *a = left, *b = right;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    if (a->restart != b->restart)
        return a->restart < b->restart ? -1 : 1;
    return strcmp(a->name, b->name);
}

int spool_list(int spool, uint32_t job, struct spool_jobs *jobs)
{
    struct spool_jobs found = {NULL, 0};
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_open(spool, ".", &listing);
    for (const char *name; error == 0 && (name = listing_next(listing)) != NULL;) {
        struct spool_job one;
        if (!parse_job_name(name, &one) || (job != 0 && one.job != job))
            continue;
        error = GROW(found.job, found.count);
        if (error == 0)
            found.job[found.count++] = one;
    }
    if (error != 0) {
        free(found.job);
        return error;
    }
    if (found.count > 0)
        qsort(found.job, found.count, sizeof *found.job, compare_jobs);
    *jobs = found;
    return 0;
}

int spool_open_node(const char *path)
{
    char text[PATH_MAX]; /* the spool itself may be a symbolic link */
    int length = snprintf(text, sizeof text, "%s/.", path);
    return length < 0 || (size_t)length >= sizeof text ? -ENAMETOOLONG
                                                       : directory_open_own(AT_FDCWD, text);
}

int spool_open_job(int spool, const struct spool_job *job)
{
    return directory_open_own(spool, job->name);
}

int spool_lock(int directory, unsigned timeout_s)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    struct stat status;
    for (unsigned waited = 0; flock(directory, LOCK_EX | LOCK_NB) != 0; waited++) {
        if (errno != EWOULDBLOCK)
            return -errno;
        if (waited >= timeout_s * 50)
            return -EAGAIN;
        nanosleep(&pause, NULL);
    }
    if (fstat(directory, &status) != 0)
        return -errno;
    return status.st_nlink == 0 ? -ENOENT : 0;
}

int spool_open_file(int directory, const char *name)
{
    struct stat status;
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return errno == ELOOP || errno == ENXIO ? -EINVAL : -errno; /* a symbolic link, a socket */
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1)
        return fd;
    close(fd);
    return -EINVAL;
}

int spool_read_file(int directory, const char *name, size_t limit, char **text, size_t *size)
{
    return whole_file_take(spool_open_file(directory, name), limit, text, size);
}

int spool_open_users(int directory, const char *name, uid_t uid)
{
    struct stat status;
    int part = spool_part_open(directory);
    int fd = part < 0 ? part : spool_open_file(part, name);
    if (part >= 0)
        close(part);
    if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_uid != uid)) {
        close(fd);
        return -SPOOL_FOREIGN;
    }
    return fd;
}

int spool_part_lost(int directory)
{
    return spool_part_is_mounted(directory) ? 0 : spool_part_noted(directory);
}

/* ---- The node's spool ------------------------------------------------------------------------ */

/* Files of the process watch and of the plugin, which a spool without jobs may have. */
static const char *const kept[] = {LEDGER_WAKE, SPOOL_WATCH_LOCK, SPOOL_RESERVE_NAME, SPOOL_MOUNTED,
                                   VERSION_NOTE};

enum { KEPT = sizeof kept / sizeof *kept };

/* Whether there is nothing of a job in it. */
static bool has_no_jobs(int directory)
{
    CLEANUP_LISTING DIR *listing = NULL;
    bool is_empty = listing_open(directory, ".", &listing) == 0;
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        int i = 0;
        while (i < KEPT && strcmp(name, kept[i]) != 0)
            i++;
        is_empty &= i < KEPT;
    }
    return is_empty;
}

/* Whether it is on the file system of the directory above it, and that one is in memory. */
static bool shares_memory(int directory)
{
    struct stat own, above;
    struct statfs kind;
    return fstat(directory, &own) == 0 &&
           fstatat(directory, "..", &above, AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev == above.st_dev && fstatfs(directory, &kind) == 0 &&
           kind.f_type == TMPFS_MAGIC;
}

/* Removes what a mount would hide, unless a process watch runs. Returns whether none runs. */
static bool remove_kept(int directory)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    CLEANUP_CLOSE int lock = openat(directory, SPOOL_WATCH_LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool is_free = lock < 0 ? errno == ENOENT : fcntl(lock, F_SETLK, &whole) == 0;
    for (int i = 0; is_free && i < KEPT; i++)
        unlinkat(directory, kept[i], 0);
    return is_free;
}

/* Mounts a file system of its own; the note of it is written first, as for a job's. */
static bool mount_over(int directory, const char *path)
{
    return has_no_jobs(directory) && remove_kept(directory) && spool_part_note(directory) == 0 &&
           mount("jobtrail", path, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                 "size=10%,mode=0711") == 0;
}

int spool_node_make(const char *path, bool may_mount)
{
    int directory = directory_make(path, 0711);
    if (directory < 0)
        return directory;
    if (!may_mount || !shares_memory(directory) || !mount_over(directory, path)) {
        unlinkat(directory, SPOOL_MOUNTED, 0); /* of an earlier mount */
        return directory;
    }
    close(directory);
    return directory_make(path, 0711);
}
