/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * New directories that are to be walked. A user who renames a large one again and again makes a
 * walk for each rename: so each is noted once, and walks have a twentieth of the time. What there
 * is no room or time for is found when all trees are walked again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/libraries/library_who.h"

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

/* ---- Sessions -------------------------------------------------------------------------------- */

/* Which event the changes of a session are part of. An installation can take hours, with scans
 * meanwhile: it is one event until its session has changed nothing for ten minutes. No event takes
 * longer than a day, since a service that installs now and then has one session for ever.
 *
 * An event is of one user, and of one who has logged in: whoever uses su has another one, and so
 * has whoever gets a session of the same number. Where the leader of a session is gone, one of the
 * same user before it that had this number and was not quiet for so long counts as the same. */

/* Of more, the one that has been quiet longest is forgotten. */
enum { WATCH_SESSIONS_MAX = 256 };

struct watch_session {
    uint64_t begin_ms, last_ms;
    int32_t id;
    uint32_t uid, login_uid;
    uint64_t ticks;                 /* of the leader's start */
    char event[LIBRARY_EVENT_SIZE]; /* "": none */
};

/* {0} has none. */
struct watch_sessions {
    struct watch_session session[WATCH_SESSIONS_MAX];
    size_t latest;
};

/* Sets the event of a change by `*who`, of whom all else is known, at `now_ms`, which is monotonic:
 * that of the one before, or a new one, which is named for the time of the change. */
void watch_sessions_event(struct watch_sessions *sessions, struct library_who *who,
                          uint64_t now_ms);
