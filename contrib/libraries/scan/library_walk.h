/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The files of a tree in one order: that of their keys. A key is the path with a NUL for each '/',
 * the first one included, so that what lies below a directory stands together.
 *
 * The walk goes by descriptors, and follows no symbolic link, not in the path of the tree either.
 * Its memory holds names of the directories on the way to where it is, within LIBRARY_WALK_BYTES:
 * of a directory with more, which is read several times, those that come next.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "contrib/libraries/globs.h"

/* Levels of directories below the tree. */
enum { LIBRARY_WALK_DEPTH = 200 };

enum { LIBRARY_WALK_BYTES = 128 << 20 };

/* A directory with which a file system, or a mounted directory, begins. */
struct library_root {
    const char *key;
    size_t size;
    uint64_t device, inode;
    bool is_tree; /* it is that of the walk */
    uid_t owner;
};

struct library_seen {
    int directory;    /* descriptor of its directory */
    const char *name; /* in it */
    const char *key;
    size_t size; /* of the key */
    const struct stat *status;
    size_t place;    /* what `root` has set */
    bool is_private; /* others cannot pass a directory on the way from the tree to it */
};

struct library_walk {
    const struct globs *patterns, *except;
    void *context;
    size_t bytes; /* another bound than LIBRARY_WALK_BYTES; 0: none */

    /* All return 0 to go on, or a -errno that ends the walk. */

    /* The tree, and each mount point below. Sets `*place`, which the files have that are not below
     * another mount point. */
    int (*root)(void *context, const struct library_root *root, size_t *place);

    /* A directory, the tree itself too, before its names are read. NULL: is not called. */
    int (*directory)(void *context, int fd, const char *key, size_t size);

    /* A directory or file, before anything is asked of its file system. Returns whether it is to be
     * looked at, or else is unreadable by -ETIMEDOUT. NULL: all are. */
    bool (*looks)(void *context, const char *key, size_t size);

    /* A regular file whose name is one of the patterns. */
    int (*file)(void *context, const struct library_seen *seen);

    /* A file or directory of this key that cannot be read, by `error`: nothing is known of it, nor
     * of what is below. -EXDEV: a mount that is a user's, whose owners are not believed, and which
     * may never answer. */
    int (*unreadable)(void *context, const char *key, size_t size, int error);

    /* A directory below LIBRARY_WALK_DEPTH others; or a file or directory whose path has PATH_MAX
     * bytes or more, with its NUL, and which nothing can open by that path. It is not looked at. */
    void (*too_deep)(void *context);
};

/* Walks the tree of this absolute path. Returns 0; what a call has returned; or -errno where the
 * tree itself cannot be opened (-ENOENT: it is not there; -ELOOP, -ENOTDIR: a part of its path is a
 * symbolic link or no directory). */
int library_walk(const struct library_walk *walk, const char *tree);

/* The key of a path, which has as many bytes. */
void library_key(const char *path, size_t size, char *key);

/* The path of a key, with a NUL behind it. */
void library_path(const char *key, size_t size, char *path);
