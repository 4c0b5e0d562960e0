/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/libraries/watch/watch_sessions.h"

#include <stdbool.h>
#include <stdio.h>

enum { QUIET_MS = 600 * 1000, LONGEST_MS = 86400 * 1000 };

static bool is_of(const struct watch_session *session, int64_t id)
{
    return session->event[0] != '\0' && session->id == id;
}

/* Where the session is, or is to be. */
static size_t place_of(const struct watch_sessions *sessions, int64_t id)
{
    size_t oldest = 0;
    if (is_of(&sessions->session[sessions->latest], id))
        return sessions->latest;
    for (size_t i = 0; i < WATCH_SESSIONS_MAX; i++) {
        if (is_of(&sessions->session[i], id))
            return i;
        if (sessions->session[i].last_ms < sessions->session[oldest].last_ms)
            oldest = i;
    }
    return oldest;
}

const char *watch_sessions_event(struct watch_sessions *sessions, int64_t id, int64_t begin_s,
                                 uint64_t now_ms)
{
    sessions->latest = place_of(sessions, id);
    struct watch_session *session = &sessions->session[sessions->latest];
    if (!is_of(session, id) || now_ms - session->last_ms > QUIET_MS ||
        now_ms - session->begin_ms > LONGEST_MS) {
        *session = (struct watch_session){.begin_ms = now_ms, .id = id};
        snprintf(session->event, sizeof session->event, "%llx-%lld", (unsigned long long)begin_s,
                 (long long)id);
    }
    session->last_ms = now_ms;
    return session->event;
}
