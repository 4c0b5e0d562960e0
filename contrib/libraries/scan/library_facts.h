/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is read of a library's file, and how it is named.
 */
#pragma once

#include <sys/stat.h>

#include "conf/conf.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/scan/library_change.h"
#include "contrib/libraries/scan/library_owners.h"

/* What names come from, read when it is asked for first. */
struct library_naming;

/* `conf`, `patterns` and `owners` must outlive it; `root` is as for library_packages_read().
 * Returns NULL when out of memory; library_naming_free() releases. */
struct library_naming *library_naming_new(const struct conf *conf, const char *root,
                                          const struct globs *patterns,
                                          struct library_owners *owners);
void library_naming_free(struct library_naming *naming);

/* Sets name, package and version of the file of this path; its soname and owner must be set. Of a
 * file whose owner is not believed the name alone (library_owners.h). Returns 0 or -errno, where
 * the map of modules cannot be read. */
int library_name(struct library_naming *naming, const char *path, struct library_file *file);

/* What people are to be told about what names come from, once; "": nothing. */
const char *library_naming_trouble(struct library_naming *naming);

/* Inode, size, times, owner and who can read it. */
void library_identity(const struct stat *status, struct library_file *file);

/* The times of last access and of last change, in nanoseconds since the Epoch. */
int64_t library_access(const struct stat *status);
int64_t library_changed(const struct stat *status);

/* Opens the regular file `name` in the directory and reads all but its names, and its hash within
 * `bounds` (NULL: none), which count down. Neither follows a symbolic link nor moves the time of
 * last access. Returns 0; -ENOENT where it is gone or no regular file any more; -EFBIG where it has
 * no hash, being beyond the bounds; or another -errno where it cannot be read: then the next scan
 * tries again. */
int library_facts(int directory, const char *name, const struct stat *status,
                  struct file_hash_bounds *bounds, struct library_file *file);
