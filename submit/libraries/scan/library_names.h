/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which library a file is part of, as the last scan has it (library_state.h): for readers beside
 * scans.
 */
#ifndef JOBTRAIL_LIBRARY_NAMES_H
#define JOBTRAIL_LIBRARY_NAMES_H

#include <stdbool.h>

#include "submit/libraries/scan/library_change.h"

struct library_names;

/* Opens the state in the directory `state`, for reading. Returns 0 or -errno. library_names_close()
 * releases, and takes NULL. */
int library_names_open(const char *state, struct library_names **names);
void library_names_close(struct library_names *names);

/* Whether the file of this absolute path is known; then its library's name. */
bool library_names_find(struct library_names *names, const char *path,
                        char name[LIBRARY_TEXT_SIZE]);

#endif
