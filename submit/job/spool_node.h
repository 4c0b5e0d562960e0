/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SPOOL_NODE_H
#define JOBTRAIL_SPOOL_NODE_H

#include <stdbool.h>

/* Opens the node's spool directory; makes it (0711, as the plugin does) where it is missing. With
 * `may_mount`, a directory in memory, as below /run, that has neither jobs nor a watcher gets a
 * file system of its own (tmpfs of a tenth of the memory at most; it takes what is used of it). So
 * files of others cannot take the room of journals, nor journals that of others. A note of it
 * (SPOOL_MOUNTED) is left in the directory under the mount. Where it cannot be mounted the spool
 * stays a plain directory, and `jobtrail-conf doctor` says so. Returns a descriptor or -errno. */
int spool_node_make(const char *path, bool may_mount);

#endif
