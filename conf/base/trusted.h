/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What root acts on, and where it writes: nothing that others than root can change or lead
 * elsewhere, by its own mode, by a directory on the way to it, or by a symbolic link there. The one
 * such rule of ours in C; contrib/jobtrail/trusted.py is the same in Python.
 *
 * On the way from / on, each directory and each link is looked at by descriptor. All must belong to
 * root (in a user namespace, what belongs to nobody there counts as root's), and directories must
 * be writable by root alone: no group may write, root's own neither, as an access list shows in its
 * bits. A sticky directory may be writable by others: what root has there only root can replace.
 *
 * Needs no more than libc: the plugin has it, too.
 */
#ifndef JOBTRAIL_TRUSTED_H
#define JOBTRAIL_TRUSTED_H

#include <stddef.h>

/* All return -errno on failure: -EPERM with what others can change written to `size` bytes at
 * `culprit`. To others than root, who decide about nobody else, all is good that they can open. */

/* What others may do to the directory in which the way ends. */
enum trusted_others {
    TRUSTED_ALONE,    /* nothing */
    TRUSTED_STICKY,   /* add names, as in /tmp */
    TRUSTED_ANYBODYS, /* whatever they like: it is only sure that it is this directory */
};

/* Opens the regular file `path`, which is root's alone, for reading. Returns a descriptor, which
 * the caller closes, or -errno; -EINVAL when it is no regular file. */
int trusted_open(const char *path, char *culprit, size_t size);

/* Whether root would act on the file or directory `path`, whoever asks; what is the caller's own
 * counts as root's. Returns 0 or -errno. */
int trusted_check(const char *path, char *culprit, size_t size);

/* Opens the directory `path`. Returns a descriptor, which the caller closes, or -errno. */
int trusted_directory(const char *path, enum trusted_others others, char *culprit, size_t size);

/* trusted_directory() of the directory that holds the last name of `path`, which is not looked at;
 * `*name` is that, in `path`. */
int trusted_parent(const char *path, const char **name, enum trusted_others others, char *culprit,
                   size_t size);

/* Whether the file `path`, which there may be or not, can be opened by name, and files beside it:
 * the directory in which it lies, where root's links lead on to it, is root's alone. Returns 0 or
 * -errno. */
int trusted_beside(const char *path, char *culprit, size_t size);

#endif
