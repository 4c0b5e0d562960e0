/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "quarantine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "directories.h"
#include "directory.h"
#include "journal.h"
#include "packages.h"
#include "spool_part.h"

#define LEFT_OUT "; without ledger and packages, as the quarantine is full"

enum { START_BYTES = 256, NAMES_MAX = 1000 };

static int all_zero(const char *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Copies the first `limit` bytes, of them what is not zero: a ledger is mostly a hole, and its
 * owner can make it as long as the file system allows. */
static int copy_bytes(int from, int to, uint64_t limit)
{
    char block[64 << 10];
    off_t at = 0;
    ssize_t got;
    while ((got = pread(from, block, sizeof block, at)) > 0 && (uint64_t)at < limit) {
        if (!all_zero(block, (size_t)got) && pwrite(to, block, (size_t)got, at) != got)
            return -EIO;
        at += got;
    }
    return got < 0 || ftruncate(to, at) != 0 || fsync(to) != 0 ? -errno : 0;
}

/* The copy has the same owner: who moves it back into the spool finds it there as it was. */
static int copy_open(int from, int to_directory, const char *name, uint64_t limit)
{
    struct stat status;
    int to =
        openat(to_directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int result = to < 0 ? -errno : copy_bytes(from, to, limit);
    if (result == 0 && (fstat(from, &status) != 0 || fchown(to, status.st_uid, status.st_gid) != 0))
        result = -errno;
    if (to >= 0)
        close(to);
    return result;
}

/* What is missing, or no file that root would open, is left out: the reason stays. */
static int copy_file(int from_directory, int to_directory, const char *name, uint64_t limit)
{
    int from = spool_open_file(from_directory, name);
    if (from == -ENOENT || from == -EINVAL)
        return 0;
    if (from < 0)
        return from;
    int result = copy_open(from, to_directory, name, limit);
    close(from);
    return result;
}

static int write_reason(int directory, const char *reason, int whole)
{
    int fd =
        openat(directory, "reason", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int result = dprintf(fd, "%s%s\n", reason, whole ? "" : LEFT_OUT) < 0 ? -EIO : 0;
    if (result == 0 && fsync(fd) != 0)
        result = -errno;
    close(fd);
    return result;
}

/* Bytes that a file of a job takes in the quarantine on the disk. */
static uint64_t file_bytes(int quarantine, const char *job, const char *file)
{
    struct stat status;
    char path[2 * NAME_MAX + 2];
    snprintf(path, sizeof path, "%s/%s", job, file);
    return fstatat(quarantine, path, &status, AT_SYMLINK_NOFOLLOW) == 0
               ? (uint64_t)status.st_blocks * 512
               : 0;
}

/* Bytes that what users wrote takes there. */
static uint64_t used_bytes(int quarantine)
{
    uint64_t used = 0;
    const struct dirent *entry;
    int fd = openat(quarantine, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (listing == NULL) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    while ((entry = readdir(listing)) != NULL) {
        if (entry->d_name[0] != '.')
            used += file_bytes(quarantine, entry->d_name, "ledger") +
                    file_bytes(quarantine, entry->d_name, PACKAGES_NAME);
    }
    closedir(listing);
    return used;
}

/* The start of a journal tells the nanosecond at which a job began: the same for one job, and for
 * no two. */
static size_t read_start(int directory, char *bytes)
{
    int fd = spool_open_file(directory, JOURNAL_NAME);
    ssize_t got = fd < 0 ? -1 : pread(fd, bytes, START_BYTES, 0);
    if (fd >= 0)
        close(fd);
    return got < 0 ? 0 : (size_t)got;
}

/* Whether `name` is free, was never finished, or holds this very job, as after a flush that was
 * killed. */
static int may_use(int quarantine, const char *name, int directory)
{
    char ours[START_BYTES], theirs[START_BYTES];
    int fd = openat(quarantine, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT;
    size_t size = read_start(directory, ours);
    int may = faccessat(fd, "reason", F_OK, AT_SYMLINK_NOFOLLOW) != 0 ||
              (read_start(fd, theirs) == size && memcmp(ours, theirs, size) == 0);
    close(fd);
    return may;
}

/* JOB.RESTART, or where Slurm has given out the job's id again, JOB.RESTART-2 and so on. */
static int find_name(int quarantine, const struct spool_job *job, int directory, char *name,
                     size_t size)
{
    snprintf(name, size, "%s", job->name);
    for (unsigned next = 2; !may_use(quarantine, name, directory); next++) {
        if (next > NAMES_MAX)
            return -EEXIST;
        snprintf(name, size, "%s-%u", job->name, next);
    }
    return 0;
}

static int fill(const struct conf *conf, int directory, int target, const char *reason, int whole)
{
    int part = whole ? spool_part_open(directory) : 0;
    int result = part < 0 ? part : 0;
    if (result == 0 && whole)
        result = copy_file(part, target, "ledger", conf->ledger_bytes);
    if (result == 0 && whole)
        result = copy_file(part, target, PACKAGES_NAME, PACKAGES_BYTES + PACKAGES_LINE);
    if (part > 0)
        close(part);
    if (result == 0)
        result = copy_file(directory, target, JOURNAL_NAME, UINT64_MAX);
    if (result == 0)
        result = write_reason(target, reason, whole);
    if (result == 0 && fsync(target) != 0)
        result = -errno;
    return result;
}

static int open_quarantine(const struct conf *conf)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/quarantine", conf->state);
    return length < 0 || (size_t)length >= sizeof path ? -ENAMETOOLONG : directory_make(path, 0700);
}

/* Makes a directory there. Returns a descriptor or -errno. */
static int open_target(int quarantine, const char *name)
{
    int result = directory_make_one(quarantine, name, 0700);
    if (result != 0)
        return result;
    int target = openat(quarantine, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return target < 0 ? -errno : target;
}

int quarantine_keep(const struct conf *conf, const struct spool_job *job, int directory,
                    const char *reason, char *name, size_t size)
{
    int quarantine = open_quarantine(conf);
    if (quarantine < 0)
        return quarantine;
    int result = find_name(quarantine, job, directory, name, size);
    int target = result != 0 ? result : open_target(quarantine, name);
    result = target < 0 ? target
                        : fill(conf, directory, target, reason,
                               used_bytes(quarantine) < QUARANTINE_MAX_BYTES);
    if (result == 0 && fsync(quarantine) != 0)
        result = -errno;
    if (target >= 0)
        close(target);
    close(quarantine);
    return result;
}

/* Sessions of the user whose session this is: UID.PID.TICKS, unlike JOB.RESTART. */
static unsigned count_sessions(int quarantine, const char *session)
{
    unsigned count = 0;
    size_t uid_length = strcspn(session, ".") + 1;
    const struct dirent *entry;
    int fd = openat(quarantine, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (listing == NULL && fd >= 0)
        close(fd);
    while (listing != NULL && (entry = readdir(listing)) != NULL)
        count += strncmp(entry->d_name, session, uid_length) == 0 &&
                 strchr(entry->d_name + uid_length, '.') != NULL;
    if (listing != NULL)
        closedir(listing);
    return count;
}

int quarantine_keep_session(const struct conf *conf, const char *session, int ledger, int packages,
                            const char *reason)
{
    int quarantine = open_quarantine(conf);
    if (quarantine < 0)
        return quarantine;
    int target = count_sessions(quarantine, session) >= QUARANTINE_MAX_SESSIONS
                     ? -EDQUOT
                     : open_target(quarantine, session);
    int whole = used_bytes(quarantine) < QUARANTINE_MAX_BYTES;
    int result = target < 0             ? target
                 : whole && ledger >= 0 ? copy_open(ledger, target, "ledger", conf->ledger_bytes)
                                        : 0;
    if (result == 0 && whole && packages >= 0)
        result = copy_open(packages, target, PACKAGES_NAME, PACKAGES_BYTES + PACKAGES_LINE);
    if (result == 0)
        result = write_reason(target, reason, whole);
    if (result == 0 && (fsync(target) != 0 || fsync(quarantine) != 0))
        result = -errno;
    if (target >= 0)
        close(target);
    close(quarantine);
    return result;
}
