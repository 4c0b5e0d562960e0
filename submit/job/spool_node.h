/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JOBTRAIL_SPOOL_NODE_H
#define JOBTRAIL_SPOOL_NODE_H

/* Opens the node's spool directory, made (0711, as the plugin does) where it is missing. With
 * `may_mount` a new one, or one without anything of jobs and without a watcher, in a file system in
 * memory, as below /run, gets one of its own: a tenth of the memory at the most, of which is taken
 * what is used. So nobody else's files take the journals' room, nor journals that of others. The
 * directory below it has a note of that (SPOOL_MOUNTED). Where it cannot be mounted it is a plain
 * directory, of which the doctor tells. Returns a descriptor or -errno. */
int spool_node_make(const char *path, int may_mount);

#endif
