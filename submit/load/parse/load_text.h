/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text of one record file. Users may write into the directories that are loaded, so an entry
 * is opened without following a link and without waiting, and must be a regular file.
 */
#ifndef JOBTRAIL_LOAD_TEXT_H
#define JOBTRAIL_LOAD_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "submit/load/parse/load_reason.h"

#define LOAD_TEXT_MAX_BYTES (16u << 20)

/* Reads the file `name` in the directory `dir_fd`. `*closed` becomes whether nobody but root and
 * the effective user can change the file, or put another in its place. Returns 0 with the
 * malloc'ed, NUL-terminated text in `*text` and its size without the NUL in `*size`; -EBADMSG with
 * `*reason` when the file is to be set aside; -ENOENT when it is gone, which another loader may
 * have seen to; -ENOMEM. */
int load_text(int dir_fd, const char *name, char **text, size_t *size, bool *closed,
              struct load_reason *reason);

/* Whether nobody but root and the effective user can change the directory. */
bool load_directory_is_closed(int fd);

#endif
