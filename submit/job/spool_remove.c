/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/job/spool_remove.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/directory.h"
#include "spank/job_sluid.h"
#include "spank/journal.h"
#include "spank/spool_part.h"

/* How long a process may take to make a directory, or slurmd to take a job that starts again for
 * the same (SPOOL_AGAIN): its credentials expire after 120 s. */
enum { MAKING_S = 180 };

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

/* The directory's present name, which is written to `path`; NULL: unknown. */
static const char *present_name(int directory, char path[PATH_MAX])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    const char *slash = strrchr(path, '/');
    return slash == NULL ? NULL : slash + 1;
}

static int remove_job(int spool, int directory, const char *name)
{
    /* The note that a file system was mounted goes before it is unmounted. So, when the flush is
     * killed in between, the next one does not take the file system, which is empty by then, for
     * lost. */
    int part = spool_part_open(directory);
    int error = part < 0 ? part : remove_files(part);
    if (part >= 0)
        close(part);
    unlinkat(directory, SPOOL_MOUNTED, 0);
    if (error == 0)
        error = spool_part_unmount(directory);
    if (error == 0 && unlinkat(directory, SPOOL_USER, AT_REMOVEDIR) != 0 && errno != ENOENT)
        error = -errno;
    if (error == 0)
        error = remove_files(directory);
    if (error != 0)
        return error;
    unlinkat(directory, JOURNAL_NAME, 0);
    /* Removes the open directory, which had that name. Meanwhile it may have got another name, and
     * another directory its old one (spool.h). */
    char path[PATH_MAX];
    struct stat own, named;
    if (fstatat(spool, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(directory, &own) == 0 &&
        named.st_ino != own.st_ino) {
        const char *present = present_name(directory, path);
        return present == NULL ? -ENOENT : unlinkat(spool, present, AT_REMOVEDIR) != 0 ? -errno : 0;
    }
    return unlinkat(spool, name, AT_REMOVEDIR) != 0 && errno != ENOENT ? -errno : 0;
}

/* Gives the directory a name that no job has, for spool_sweep(). This takes the lock under which
 * others rename (spank/spool.c): the directory's old name may be that of a running job by then. */
static int give_up_name(int spool, int directory)
{
    char path[PATH_MAX], name[64];
    struct stat status;
    if (fstat(directory, &status) != 0)
        return -errno;
    snprintf(name, sizeof name, SPOOL_NEW "over.%llu", (unsigned long long)status.st_ino);
    int error = spool_lock(spool, 1);
    if (error != 0)
        return error;
    const char *present = present_name(directory, path);
    if (present == NULL)
        error = -ENOENT;
    else if (renameat2(spool, present, spool, name, RENAME_NOREPLACE) != 0)
        error = -errno;
    flock(spool, LOCK_UN);
    return error;
}

/* Of the job's SLUIDs: no process is left in their cgroups. */
static void remove_links(int spool, const char *job)
{
    char text[NAME_MAX];
    CLEANUP_LISTING DIR *listing = NULL;
    listing_open(spool, ".", &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        ssize_t length =
            job_sluid_is(name, '\0') ? readlinkat(spool, name, text, sizeof text - 1) : -1;
        text[length < 0 ? 0 : length] = '\0';
        if (strcmp(text, job) == 0)
            unlinkat(spool, name, 0);
    }
}

/* A mount namespace as systemd makes it for a unit has a second copy of each mount, which no path
 * leads to. There, what is mounted in the directory can be emptied, but the directory not removed
 * (EBUSY). */
int spool_remove(int spool, int directory, const struct spool_job *job)
{
    remove_links(spool, job->name);
    int error = remove_job(spool, directory, job->name);
    if (error != -EBUSY)
        return error;
    error = give_up_name(spool, directory);
    if (error == 0)
        error = remove_files(directory);
    if (error == 0)
        unlinkat(directory, JOURNAL_NAME, 0);
    return error;
}

void spool_sweep(int spool, uint64_t now_ns)
{
    CLEANUP_LISTING DIR *listing = NULL;
    struct stat status;
    listing_open(spool, ".", &listing);
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        if (strncmp(name, SPOOL_NEW, strlen(SPOOL_NEW)) != 0)
            continue;
        if (fstatat(spool, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            (uint64_t)status.st_mtim.tv_sec + MAKING_S >= now_ns / 1000000000u)
            continue;
        CLEANUP_CLOSE int directory = directory_open_own(spool, name);
        if (directory >= 0)
            remove_job(spool, directory, name);
        else if (!S_ISDIR(status.st_mode))
            unlinkat(spool, name, 0);
    }
}
