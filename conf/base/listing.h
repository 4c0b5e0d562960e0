/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The names in a directory, one after the other:
 *
 *     CLEANUP_LISTING DIR *listing = NULL;
 *     int error = listing_open(directory, ".", &listing);
 *     for (const char *name; (name = listing_next(listing)) != NULL;)
 *         ...dirfd(listing), name...
 */
#ifndef JOBTRAIL_LISTING_H
#define JOBTRAIL_LISTING_H

#include <dirent.h>
#include <stddef.h>

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

#endif
