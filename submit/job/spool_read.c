/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/spool_read.h"

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

#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/listing.h"
#include "conf/base/whole_file.h"
#include "spank/journal.h"
#include "spank/spool_part.h"

/* Making a directory takes a moment. */
enum { MAKING_S = 60 };

/* Whether `text` is the suffix of a directory that was left, or none. */
static int parse_left(const char *text, int *left)
{
    const size_t length = strlen(SPOOL_LEFT);
    *left = *text != '\0';
    return !*left || (strncmp(text, SPOOL_LEFT, length) == 0 && text[length] >= '1' &&
                      text[length] <= '0' + (int)SPOOL_LEFT_MAX && text[length + 1] == '\0');
}

/* "JOB.RESTART", both decimal. */
static int parse_name(const char *name, struct spool_job *job)
{
    char *end;
    if (strlen(name) >= sizeof job->name || *name < '1' || *name > '9')
        return 0;
    unsigned long id = strtoul(name, &end, 10);
    if (*end != '.' || end[1] < '0' || end[1] > '9' || id > UINT32_MAX)
        return 0;
    unsigned long restart = strtoul(end + 1, &end, 10);
    if (restart > UINT32_MAX || !parse_left(end, &job->left))
        return 0;
    job->job = (uint32_t)id;
    job->restart = (uint32_t)restart;
    strcpy(job->name, name);
    return 1;
}

static int by_number(const void *left, const void *right)
{
    const struct spool_job *a = left, *b = right;
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    if (a->restart != b->restart)
        return a->restart < b->restart ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int add_job(struct spool_jobs *jobs, const struct spool_job *job)
{
    if (GROW(jobs->job, jobs->count) != 0)
        return -ENOMEM;
    jobs->job[jobs->count++] = *job;
    return 0;
}

int spool_list(int spool, uint32_t job, struct spool_jobs *jobs)
{
    struct spool_jobs found = {NULL, 0};
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_open(spool, ".", &listing);
    for (const char *name; error == 0 && (name = listing_next(listing)) != NULL;) {
        struct spool_job one;
        if (parse_name(name, &one) && (job == 0 || one.job == job))
            error = add_job(&found, &one);
    }
    if (error != 0) {
        free(found.job);
        return error;
    }
    if (found.count > 0)
        qsort(found.job, found.count, sizeof *found.job, by_number);
    *jobs = found;
    return 0;
}

int spool_open_node(const char *path)
{
    return directory_open_own(AT_FDCWD, path);
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

/* Removes all files in the directory but the journal. */
static int remove_files(int directory)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_open(directory, ".", &listing);
    if (error != 0)
        return error;
    /* The ledger first: a directory without one has nothing left to record. */
    unlinkat(directory, "ledger", 0);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        if (strcmp(name, JOURNAL_NAME) != 0)
            unlinkat(directory, name, 0);
    return 0;
}

/* That it was mounted is forgotten before it is unmounted: a directory whose flush was killed in
 * between has nothing left to record, and has lost nothing. */
static int remove_part(int directory)
{
    int part = spool_part_open(directory);
    int result = part < 0 ? part : remove_files(part);
    if (part >= 0)
        close(part);
    unlinkat(directory, SPOOL_MOUNTED, 0);
    if (result == 0)
        result = spool_part_unmount(directory);
    if (result == 0 && unlinkat(directory, SPOOL_USER, AT_REMOVEDIR) != 0 && errno != ENOENT)
        result = -errno;
    return result;
}

/* The name that the directory has now, in the `path` it is read into, or NULL. */
static const char *present_name(int directory, char path[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *slash = strrchr(path, '/');
    return slash == NULL ? NULL : slash + 1;
}

/* The directory may have got another name meanwhile, and another one its old name (spool.h). */
static int remove_directory(int spool, int directory, const char *name)
{
    char path[PATH_MAX];
    struct stat own, named;
    if (fstatat(spool, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(directory, &own) == 0 &&
        named.st_ino != own.st_ino) {
        const char *present = present_name(directory, path);
        return present == NULL ? -ENOENT : unlinkat(spool, present, AT_REMOVEDIR) != 0 ? -errno : 0;
    }
    return unlinkat(spool, name, AT_REMOVEDIR) != 0 && errno != ENOENT ? -errno : 0;
}

static int remove_all(int spool, int directory, const char *name)
{
    int result = remove_part(directory);
    if (result == 0)
        result = remove_files(directory);
    if (result != 0)
        return result;
    unlinkat(directory, JOURNAL_NAME, 0);
    return remove_directory(spool, directory, name);
}

/* Gives the directory a name that no job has, for spool_sweep(). Under the lock under which others
 * rename (spank/spool_enter.c): its name may be that of a job's that runs by then. */
static int give_up_name(int spool, int directory)
{
    char path[PATH_MAX], name[64];
    struct stat status;
    if (fstat(directory, &status) != 0)
        return -errno;
    snprintf(name, sizeof name, SPOOL_NEW "over.%llu", (unsigned long long)status.st_ino);
    int result = spool_lock(spool, 1);
    if (result != 0)
        return result;
    const char *present = present_name(directory, path);
    if (present == NULL)
        result = -ENOENT;
    else if (renameat2(spool, present, spool, name, RENAME_NOREPLACE) != 0)
        result = -errno;
    flock(spool, LOCK_UN);
    return result;
}

/* A mount namespace made as systemd makes a unit's has a second copy of each mount that no path
 * leads to: what is mounted in the directory can be emptied there, and its directory not removed.
 */
int spool_remove(int spool, int directory, const struct spool_job *job)
{
    int result = remove_all(spool, directory, job->name);
    if (result != -EBUSY)
        return result;
    result = give_up_name(spool, directory);
    if (result == 0)
        result = remove_files(directory);
    if (result == 0)
        unlinkat(directory, JOURNAL_NAME, 0);
    return result;
}

static void sweep_one(int spool, const char *name, uint64_t now_ns)
{
    struct stat status;
    int directory = directory_open_own(spool, name);
    if (directory < 0)
        return;
    if (fstat(directory, &status) == 0 &&
        (uint64_t)status.st_mtim.tv_sec + MAKING_S < now_ns / 1000000000u)
        remove_all(spool, directory, name);
    close(directory);
}

void spool_sweep(int spool, uint64_t now_ns)
{
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(spool, ".", &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;)
        if (strncmp(name, SPOOL_NEW, strlen(SPOOL_NEW)) == 0)
            sweep_one(spool, name, now_ns);
}
