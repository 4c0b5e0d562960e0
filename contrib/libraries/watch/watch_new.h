/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * New directories that are to be walked. A user who renames a large one again and again makes a
 * walk for each rename: so each is noted once, and walks have a twentieth of the time. What there
 * is no room or time for is found when all trees are walked again.
 */
#ifndef JOBTRAIL_WATCH_NEW_H
#define JOBTRAIL_WATCH_NEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WATCH_NEW_MAX = 64 };

/* {0} has none. */
struct watch_new {
    char *path[WATCH_NEW_MAX]; /* owned */
    size_t count;
    int64_t used_ns; /* by walks, less what was given back since; of the time `at_ns` */
    int64_t at_ns;
};

/* Returns 0, for one that is noted already too; -ENOSPC or -ENOMEM. */
int watch_new_note(struct watch_new *fresh, const char *path);

/* Whether walks have time left. `now_ns` is monotonic. */
bool watch_new_may_walk(struct watch_new *fresh, int64_t now_ns);

/* A walk has taken so long. */
void watch_new_used(struct watch_new *fresh, int64_t used_ns);

void watch_new_clear(struct watch_new *fresh);

#endif
