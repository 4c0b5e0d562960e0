/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_MOUNT_TRUST_H
#define JOBTRAIL_MOUNT_TRUST_H

/* Whether the file open at `fd` lies where root alone decides what it holds: on a mount of this
 * process's namespace, of a kind of file system that no user makes up the content of (the list is
 * closed: FUSE is not in it), and, of those that lie on a device or in memory, mounted without
 * nosuid, as users' mounts are (the option user of fstab(5), removable media). Any doubt is a no.
 */
int mount_trust(int fd);

#endif
