/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spool_read.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "journal.h"

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
    if (*end != '\0' || restart > UINT32_MAX)
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
    return a->restart < b->restart ? -1 : a->restart > b->restart;
}

static int add_job(struct spool_jobs *jobs, const struct spool_job *job)
{
    if ((jobs->count & (jobs->count - 1)) == 0) {
        size_t room = jobs->count == 0 ? 1 : jobs->count * 2;
        struct spool_job *larger = reallocarray(jobs->job, room, sizeof *larger);
        if (larger == NULL)
            return -ENOMEM;
        jobs->job = larger;
    }
    jobs->job[jobs->count++] = *job;
    return 0;
}

int spool_list(int spool, uint32_t job, struct spool_jobs *jobs)
{
    struct spool_jobs found = {NULL, 0};
    int fd = openat(spool, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory == NULL) {
        int result = -errno;
        if (fd >= 0)
            close(fd);
        return result;
    }
    int result = 0;
    struct dirent *entry;
    while (result == 0 && (entry = readdir(directory)) != NULL) {
        struct spool_job one;
        if (parse_name(entry->d_name, &one) && (job == 0 || one.job == job))
            result = add_job(&found, &one);
    }
    closedir(directory);
    if (result != 0) {
        free(found.job);
        return result;
    }
    if (found.count > 0)
        qsort(found.job, found.count, sizeof *found.job, by_number);
    *jobs = found;
    return 0;
}

static int open_own(int at, const char *path, int flags)
{
    struct stat status;
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
        (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return fd;
    close(fd);
    return -EPERM;
}

int spool_open_node(const char *path)
{
    return open_own(AT_FDCWD, path, 0);
}

int spool_open_job(int spool, const struct spool_job *job)
{
    return open_own(spool, job->name, O_NOFOLLOW);
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

static int read_whole(int fd, size_t limit, char **text, size_t *size)
{
    size_t used = 0, room = 16 << 10;
    char *bytes = malloc(room);
    while (bytes != NULL && used <= limit) {
        if (room - used < 2) {
            char *larger = realloc(bytes, room *= 2);
            if (larger == NULL)
                break;
            bytes = larger;
        }
        ssize_t got = read(fd, bytes + used, room - used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            int result = -errno;
            free(bytes);
            return result;
        }
        used += (size_t)got;
        if (got == 0) {
            bytes[used] = '\0';
            *text = bytes;
            *size = used;
            return 0;
        }
    }
    free(bytes);
    return used > limit ? -EFBIG : -ENOMEM;
}

int spool_read_file(int directory, const char *name, size_t limit, char **text, size_t *size)
{
    int fd = spool_open_file(directory, name);
    if (fd < 0)
        return fd;
    int result = read_whole(fd, limit, text, size);
    close(fd);
    return result;
}

int spool_remove(int spool, int directory, const struct spool_job *job)
{
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (listing == NULL) {
        int result = -errno;
        if (fd >= 0)
            close(fd);
        return result;
    }
    /* The ledger first: a directory without one has nothing left to record. The journal last. */
    unlinkat(directory, "ledger", 0);
    struct dirent *entry;
    while ((entry = readdir(listing)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, JOURNAL_NAME) != 0)
            unlinkat(directory, entry->d_name, 0);
    }
    closedir(listing);
    unlinkat(directory, JOURNAL_NAME, 0);
    return unlinkat(spool, job->name, AT_REMOVEDIR) != 0 && errno != ENOENT ? -errno : 0;
}
