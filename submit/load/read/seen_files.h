/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files that stay in a directory that is followed: damaged ones, and such as cannot be removed.
 * Each is known by its path, number, size and times, until it changes.
 */
#ifndef JOBTRAIL_SEEN_FILES_H
#define JOBTRAIL_SEEN_FILES_H

#include <stdbool.h>

#include "conf/base/id_cache.h"

/* Remembers the file `name` in the directory `dir_fd`; `path` is how the caller calls it. */
void seen_files_note(struct id_cache *seen, const char *path, int dir_fd, const char *name);

/* Whether it has been noted as it is now. */
bool seen_files_has(const struct id_cache *seen, const char *path, int dir_fd, const char *name);

#endif
