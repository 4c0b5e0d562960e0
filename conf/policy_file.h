/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The compiled policy as a file.
 */
#ifndef JOBTRAIL_POLICY_FILE_H
#define JOBTRAIL_POLICY_FILE_H

#include <stddef.h>

/* Replaces the file `path` by `size` bytes, mode 0644, at once: a reader and a second writer see
 * the old file or a whole new one, also after a power loss. Root goes there by its own links and
 * through directories that nobody else can change; the last one may be anybody's. Returns 0, or
 * -errno
 * (-EPERM: others can lead it elsewhere) and leaves the old file and nothing else. */
int policy_file_write(const char *path, const void *bytes, size_t size);

/* Whether the file `path` is a usable policy that was compiled from the configuration file `conf`
 * (absolute) as it is now: written after the configuration's content and inode last changed. The
 * latter tells when an older file has been moved into its place. To root no file is that others can
 * change. */
int policy_file_current(const char *path, const char *conf);

/* As policy_file_current(), but takes what was written within one tick of the file system's clock
 * for current too, as the plugin does, which shall not compile at each step. */
int policy_file_in_force(const char *path, const char *conf);

#endif
