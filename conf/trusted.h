/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Opening what root acts on: configuration and policy. No file is believed that others than root
 * can change: by its own mode, by a directory on the way to it, or by a symbolic link there.
 *
 * Needs no more than libc: the plugin has it, too.
 */
#ifndef JOBTRAIL_TRUSTED_H
#define JOBTRAIL_TRUSTED_H

#include <stddef.h>

/* Opens the regular file `path` for reading. As root, each directory from / on, each
 * link and the file are looked at by descriptor: all must belong to root, file and directories must
 * be writable by root alone. A sticky directory may be writable by others: what root has there only
 * root can replace. Others than root get any file that they can read, as it decides about nobody
 * else. In a user namespace what belongs to nobody there counts as root's.
 *
 * Returns a descriptor, which the caller closes, or -errno: -EPERM, with what others can change
 * written to `size` bytes at `culprit`; -EINVAL when it is no regular file. */
int trusted_open(const char *path, char *culprit, size_t size);

#endif
