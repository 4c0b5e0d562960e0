/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which event the changes of a session are part of. An installation can take hours, with scans
 * meanwhile: it is one event until its session has changed nothing for ten minutes. No event takes
 * longer than a day, since a service that installs now and then has one session for ever.
 */
#ifndef JOBTRAIL_WATCH_SESSIONS_H
#define JOBTRAIL_WATCH_SESSIONS_H

#include <stddef.h>
#include <stdint.h>

#include "submit/libraries/library_who.h"

/* Of more, the one that has been quiet longest is forgotten. */
enum { WATCH_SESSIONS_MAX = 256 };

struct watch_session {
    uint64_t begin_ms, last_ms;
    int64_t id;
    char event[LIBRARY_EVENT_SIZE]; /* "": none */
};

/* {0} has none. */
struct watch_sessions {
    struct watch_session session[WATCH_SESSIONS_MAX];
    size_t latest;
};

/* The event of a change by the session `id` at `now_ms`, which is monotonic: that of the one
 * before, or a new one, which is named for `begin_s`, since the Epoch. Valid until the next call.
 */
const char *watch_sessions_event(struct watch_sessions *sessions, int64_t id, int64_t begin_s,
                                 uint64_t now_ms);

#endif
