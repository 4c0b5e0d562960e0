/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The shared libraries of this machine that rules of [routines] may be about: those that the loader
 * finds by itself, and those in the directories of the map of modules.
 */
#ifndef JOBTRAIL_ROUTINE_CANDIDATES_H
#define JOBTRAIL_ROUTINE_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"

struct routine_candidates {
    char **path, **stem; /* owned, `count` each: a file, and its name up to ".so" */
    size_t count;
    bool has_map;     /* those of the map are there */
    bool is_complete; /* nothing was left out for a bound, or since it could not be read */
};

/* Returns 0 or -ENOMEM. routine_candidates_free() releases in any case. */
int routine_candidates_find(const struct conf *conf, struct routine_candidates *candidates);
void routine_candidates_free(struct routine_candidates *candidates);

/* The name of a file that a mistyped one, up to ".so", may stand for; NULL: none is near. */
const char *routine_candidates_near(const struct routine_candidates *candidates, const char *stem);

#define CLEANUP_CANDIDATES __attribute__((cleanup(routine_candidates_free)))

#endif
