/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The directory for damaged records: each FILE beside a FILE.reason that says where it came from
 * and what is wrong with it.
 */
#pragma once

#include <stddef.h>

/* Opens the directory `path`, making it (0700) when only the last part is missing. For root it must
 * be root's, and the way there too (TRUSTED_STICKY of conf/base/trusted.h). Returns a descriptor or
 * -errno; -EPERM with what others can change written to `size` bytes at `culprit`. */
int damaged_open(const char *path, char *culprit, size_t size);

/* Moves the file `name` from the directory `dir_fd`, to NAME.2.json and so on where there is such a
 * file already; between file systems a regular file is copied and then removed. `reason` is the
 * text of the .reason file, without newline. Returns 0 or -errno; after a failure the file is where
 * it was. */
int damaged_move(int kept_fd, int dir_fd, const char *name, const char *reason);

/* Writes the `size` bytes at `text` as the file `name`, for what was no file of its own. Returns 0;
 * -EEXIST when there is such a file already, which stays; or another -errno. */
int damaged_keep(int kept_fd, const char *name, const char *text, size_t size, const char *reason);
