/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The part of a job's spool directory for the files that belong to the job's user: the ledger and
 * the packages. The directory itself belongs to root, so that nobody else can make or replace a
 * file in it. It may be a file system of its own, so that a user can fill no other one.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/directory.h"
#include "spank/spool_path.h"

/* Opens it in the job's directory. Of a job that was moved back from the quarantine, which keeps
 * all files in one directory, that is the job's directory itself. Returns a descriptor or -errno;
 * -EPERM where others could write to it. */
static inline int spool_part_open(int job)
{
    int fd = directory_open_own(job, SPOOL_USER);
    return fd == -ENOENT ? directory_open_own(job, ".") : fd;
}

/* Whether a file system is mounted there, as this process sees it. */
static inline bool spool_part_is_mounted(int job)
{
    struct stat own, part;
    return fstat(job, &own) == 0 && fstatat(job, SPOOL_USER, &part, AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev != part.st_dev;
}

/* Unmounts what is mounted there, by descriptor, since the directory may have been renamed. The
 * kernel frees the files when the last process that has them mapped ends. Returns 0 or -errno. */
static inline int spool_part_unmount(int job)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d/" SPOOL_USER, job);
    while (spool_part_is_mounted(job)) {
        if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW) != 0)
            return -errno;
    }
    return 0;
}

/* The mount namespace of this process into `size` bytes at `text`; "" where it is not known. */
static inline void spool_part_namespace(char *text, size_t size)
{
    ssize_t length = readlink("/proc/self/ns/mnt", text, size - 1);
    text[length < 0 ? 0 : length] = '\0';
}

/* Makes the mark SPOOL_MOUNTED in `directory`: something is mounted in it, or over it, in the mount
 * namespace of this process. The mark is a symbolic link, which needs no block of a full disk.
 * Returns 0 or -errno. */
static inline int spool_part_note(int directory)
{
    char text[64];
    spool_part_namespace(text, sizeof text);
    return symlinkat(text[0] == '\0' ? "unknown" : text, directory, SPOOL_MOUNTED) != 0 ? -errno
                                                                                        : 0;
}

/* Reads that mark. Returns 0 where there is none; 1 where it names the namespace of this process,
 * or this namespace is unknown; -ESTALE where it names another one. */
static inline int spool_part_noted(int directory)
{
    char own[64], noted[64];
    ssize_t length = readlinkat(directory, SPOOL_MOUNTED, noted, sizeof noted - 1);
    if (length < 0)
        return 0;
    noted[length] = '\0';
    spool_part_namespace(own, sizeof own);
    return own[0] == '\0' || strcmp(noted, own) == 0 ? 1 : -ESTALE;
}
