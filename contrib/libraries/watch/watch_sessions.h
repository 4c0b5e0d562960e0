/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which event the changes of a session are part of. An installation can take hours, with scans
 * meanwhile: it is one event until its session has changed nothing for ten minutes. No event takes
 * longer than a day, since a service that installs now and then has one session for ever.
 *
 * An event is of one user, and of one who has logged in: whoever uses su has another one, and so
 * has whoever gets a session of the same number. Where the leader of a session is gone, one of the
 * same user before it that had this number and was not quiet for so long counts as the same.
 */
#ifndef JOBTRAIL_WATCH_SESSIONS_H
#define JOBTRAIL_WATCH_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "contrib/libraries/library_who.h"

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

#endif
