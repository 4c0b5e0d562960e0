/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that root can rely on: root reads and writes none that another user can change or
 * redirect, by its own mode, by a directory of its path, or by a symbolic link. This is the only
 * such rule in C; contrib/jobtrail/trusted.py is the same in Python.
 *
 * From / on, each directory and each link of a path is checked by its descriptor. All must belong
 * to root; in a user namespace, what belongs to nobody there counts as root's. Only root may be
 * able to write to the directories: no group may, not even root's, since an access list shows in
 * its bits. Others may write to a sticky directory: root's files in it can only be replaced by
 * root.
 *
 * Needs only libc, since the plugin has it too.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* All return -errno on failure. With -EPERM the path that others can change is in `culprit`, of
 * `size` bytes. To callers that are not root each file is good that they can open, but for
 * trusted_check(): what they read decides about nobody else. */

/* What others may be able to do in the last directory. */
enum trusted_others {
    TRUSTED_ALONE,    /* nothing */
    TRUSTED_STICKY,   /* add names, as in /tmp */
    TRUSTED_ANYBODYS, /* anything: only the path to it is checked */
};

/* Opens the regular file `path`, which nobody but root can change, for reading. Returns a
 * descriptor, which the caller closes, or -errno; -EINVAL when it is no regular file. */
int trusted_open(const char *path, char *culprit, size_t size);

/* Whether root could rely on the file or directory `path`, also for callers that are not root: what
 * belongs to the caller counts as root's. Returns 0 or -errno. */
int trusted_check(const char *path, char *culprit, size_t size);

/* Opens the directory `path`. Returns a descriptor, which the caller closes, or -errno. */
int trusted_directory(const char *path, enum trusted_others others, char *culprit, size_t size);

/* trusted_directory() of the directory of the last name of `path`. That name is not checked;
 * `*name` points to it in `path`. */
int trusted_parent(const char *path, const char **name, enum trusted_others others, char *culprit,
                   size_t size);

/* Whether the file `path`, which need not exist, and files beside it can be opened by name: only
 * root can write to their directory, which is that of the target where `path` is a link of root's.
 * Returns 0 or -errno. */
int trusted_beside(const char *path, char *culprit, size_t size);

/* Opens the directory `path`, made with this mode where it is missing, in which nobody but root can
 * write. Returns a descriptor, which the caller closes, or -errno; `culprit` may be "". */
int trusted_directory_make(const char *path, mode_t mode, char *culprit, size_t size);
