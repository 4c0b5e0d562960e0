/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_MOUNT_TRUST_H
#define JOBTRAIL_MOUNT_TRUST_H

#include <stdbool.h>

/* Whether no user can decide what the file system of the file open at `fd` holds: it is on a mount
 * of this process's namespace, of a kind in a fixed list, which FUSE is not in; and, if it is on a
 * device or in memory, it is mounted without nosuid. Mounts of users (the option user of fstab(5),
 * removable media) have nosuid. False in doubt. */
bool mount_is_trusted(int fd);

#endif
