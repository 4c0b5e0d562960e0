/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the files of libraries that the last scan saw (library_state.h), for other programs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "contrib/libraries/scan/library_change.h"

struct library_names;

/* Opens the state in the directory `state`, for reading. Returns 0 or -errno: -ENOENT where there
 * was no scan yet, -EIO where the file is of another version or damaged, or where a scan was killed
 * while it wrote. library_names_close() releases, and takes NULL. */
int library_names_open(const char *state, struct library_names **names);
void library_names_close(struct library_names *names);

/* Whether the file of this absolute path is known; then its library's name. */
bool library_names_find(struct library_names *names, const char *path,
                        char name[LIBRARY_TEXT_SIZE]);

/* A file that was there. */
struct library_known {
    char *path;               /* valid until the next call */
    struct library_file file; /* size, is_private, build_id and texts, but no hash, alone */
    int64_t since_s;          /* when a scan has first seen it under this path, since the Epoch */
};

/* The first file, or the one behind that of the last call, in the order of keys (library_walk.h).
 * Between the calls no scan waits: one that ends meanwhile has its part in those that follow.
 * Returns 1; 0 after the last one; or -errno, -EAGAIN where a scan has written for too long. */
int library_names_next(struct library_names *names, struct library_known *known);
