/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "directories.h"
#include "journal.h"
#include "ledger.h"
#include "packages.h"
#include "spool_path.h"

/* Room for some sixty small captures at once before a process has to ask for more. */
enum { BACKED_BYTES = 512 << 10 };

const char *spool_node(void)
{
    static char host[256];
    const char *name = getenv("SLURMD_NODENAME");
    if (name != NULL && name[0] != '\0' && strchr(name, '/') == NULL)
        return name;
    if (gethostname(host, sizeof host - 1) != 0)
        return "localhost";
    host[strcspn(host, ".")] = '\0';
    return host;
}

/* Where others could write they could forge a journal: -EPERM. */
static int open_directory(int at, const char *path)
{
    struct stat status;
    int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &status) == 0 && status.st_uid == geteuid() &&
        (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return fd;
    close(fd);
    return -EPERM;
}

static int open_job(const char *spool, uint32_t job, uint32_t restart, int make)
{
    char name[32];
    int base = open_directory(AT_FDCWD, spool);
    if (base < 0)
        return base;
    snprintf(name, sizeof name, "%u.%u", job, restart);
    int fd = make ? directory_make_one(base, name, 0711) : 0;
    if (fd == 0)
        fd = open_directory(base, name);
    close(base);
    return fd;
}

int spool_open(const char *spool, uint32_t job, uint32_t restart)
{
    int fd = open_job(spool, job, restart, 1);
    if (fd != -ENOENT)
        return fd;
    int result = directory_make_all(spool, 0711);
    return result < 0 ? result : open_job(spool, job, restart, 1);
}

int spool_find(const char *spool, uint32_t job, uint32_t restart)
{
    return open_job(spool, job, restart, 0);
}

/* Whether `name` is JOB.RESTART, as open_job() writes it. */
static int run_of(const char *name, uint32_t job, uint32_t *restart)
{
    char text[32];
    const char *point = strchr(name, '.');
    if (point == NULL)
        return 0;
    *restart = (uint32_t)strtoul(point + 1, NULL, 10);
    snprintf(text, sizeof text, "%u.%u", job, *restart);
    return strcmp(text, name) == 0;
}

void spool_find_runs(const char *spool, uint32_t job,
                     void (*found)(void *context, uint32_t restart, int directory), void *context)
{
    DIR *base = opendir(spool);
    struct dirent *entry;
    uint32_t restart;
    while (base != NULL && (entry = readdir(base)) != NULL) {
        int run = run_of(entry->d_name, job, &restart) ? spool_find(spool, job, restart) : -1;
        if (run < 0)
            continue;
        found(context, restart, run);
        close(run);
    }
    if (base != NULL)
        closedir(base);
}

static void take_last(void *context, uint32_t restart, int directory)
{
    int64_t *last = context;
    (void)directory;
    if (restart > *last)
        *last = restart;
}

uint32_t spool_last_run(const char *spool, uint32_t job, uint32_t otherwise)
{
    int64_t last = -1;
    spool_find_runs(spool, job, take_last, &last);
    return last < 0 ? otherwise : (uint32_t)last;
}

static int fill_ledger(int fd, uid_t uid, gid_t gid, uint64_t bytes)
{
    struct ledger_header header = {
        .magic = LEDGER_MAGIC,
        .size_bytes = bytes,
        .used_bytes = LEDGER_PAGE,
    };
    if (ftruncate(fd, (off_t)bytes) != 0 || fallocate(fd, 0, 0, LEDGER_PAGE) != 0)
        return -errno;
    header.backed_bytes = BACKED_BYTES < bytes ? BACKED_BYTES : bytes;
    if (fallocate(fd, 0, 0, (off_t)header.backed_bytes) != 0)
        header.backed_bytes = LEDGER_PAGE;
    if (pwrite(fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
        return -EIO;
    return fchown(fd, uid, gid) != 0 ? -errno : 0;
}

/* The daemons of two steps may do this at once, and a process must never see half a ledger: it is
 * made under a name of its own and moved to its place, which only the first one can. */
int spool_make_ledger(int job, uid_t uid, gid_t gid, uint64_t bytes)
{
    char name[32];
    struct stat status;
    if (fstatat(job, "ledger", &status, AT_SYMLINK_NOFOLLOW) == 0)
        return 0;
    snprintf(name, sizeof name, "ledger.%d", (int)getpid());
    unlinkat(job, name, 0);
    int fd = openat(job, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int result = fill_ledger(fd, uid, gid, bytes);
    close(fd);
    if (result == 0 && renameat2(job, name, job, "ledger", RENAME_NOREPLACE) != 0 &&
        errno != EEXIST)
        result = -errno;
    unlinkat(job, name, 0);
    return result;
}

int spool_make_packages(int job, uid_t uid, gid_t gid)
{
    int fd = openat(job, PACKAGES_NAME, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno == EEXIST ? 0 : -errno;
    int result = fchown(fd, uid, gid) != 0 ? -errno : 0;
    close(fd);
    return result;
}

void spool_mark_opted_out(int job)
{
    int fd = openat(job, SPOOL_OPTED_OUT, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0)
        close(fd);
}

void spool_forget(const char *spool, uint32_t job, uint32_t restart)
{
    char path[PATH_MAX + 32];
    struct stat status;
    int fd = open_job(spool, job, restart, 0);
    if (fd < 0)
        return;
    if (fstatat(fd, JOURNAL_NAME, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_size == 0)
        unlinkat(fd, JOURNAL_NAME, 0);
    close(fd);
    snprintf(path, sizeof path, "%s/%u.%u", spool, job, restart);
    rmdir(path); /* fails when it holds anything */
}
