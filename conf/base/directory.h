/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Directories, opened for reading or made. Their parents, as far as they are in a path, may be
 * symbolic links; what is opened or made may be none, but for directory_make(). Each descriptor is
 * the caller's.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Opens the directory `path` below the descriptor `at`. Returns a descriptor or -errno (-ELOOP or
 * -ENOTDIR where it is a symbolic link). */
int directory_open(int at, const char *path);

/* The same of a directory that nobody but this user (geteuid(2)) owns and can write to: -EPERM
 * where it is another's. */
int directory_open_own(int at, const char *path);

/* Makes one directory, below the descriptor `at`; whatever the umask is, it gets this mode. One
 * that is there is left as it is. Returns 0 or -errno. */
int directory_make_one(int at, const char *path, mode_t mode);

/* The same, and opens it. Returns a descriptor or -errno. */
int directory_make_open(int at, const char *path, mode_t mode);

/* As mkdir -p; the last directory gets the mode `mode`, its parents 0755. Returns 0 or -errno. */
int directory_make_all(const char *path, mode_t mode);

/* The same, and opens it, also by a symbolic link. Returns a descriptor or -errno. */
int directory_make(const char *path, mode_t mode);

/* Whether the directory `path`, or, if it is not there, the nearest above it that is, is `other` or
 * lies in it: by device and inode, whatever links and mounts lead there. */
bool directory_is_in(const char *path, const char *other);

/* Whether the path is on a file system of the kinds that hosts share; false where that is not
 * known. */
bool directory_is_shared(const char *path);

/* ---- What is in a directory ------------------------------------------------------------------ */

/* The names in a directory, one after the other:
 *
 *     CLEANUP_LISTING DIR *listing = NULL;
 *     int error = listing_open(directory, ".", &listing);
 *     for (const char *name; (name = listing_next(listing)) != NULL;)
 *         ...dirfd(listing), name... */

/* Lists the directory `fd`, from where it stands. Takes the descriptor over, in every case; a
 * negative one is the -errno of who tried to open it. Returns 0 and a listing, which closedir(3)
 * or CLEANUP_LISTING releases, or -errno and NULL. */
int listing_take(int fd, DIR **listing);

/* The same of the directory `path` below the descriptor `at`, from its start. Symbolic links are
 * followed. */
int listing_open(int at, const char *path, DIR **listing);

/* The next name but "." and "..", valid until the next call. NULL: there are no more, and errno is
 * 0, or it cannot be read. A NULL listing has no names. */
const char *listing_next(DIR *listing);

static inline void cleanup_listing(DIR **listing)
{
    if (*listing != NULL)
        closedir(*listing);
}

#define CLEANUP_LISTING __attribute__((cleanup(cleanup_listing)))
