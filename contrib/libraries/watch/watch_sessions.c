/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/watch_sessions.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { QUIET_MS = 600 * 1000, LONGEST_MS = 86400 * 1000 };

static bool is_of(const struct watch_session *session, const struct library_who *who)
{
    return session->event[0] != '\0' && session->id == who->session && session->uid == who->uid &&
           session->login_uid == who->login_uid;
}

/* Where the session is, or is to be. */
static size_t place_of(const struct watch_sessions *sessions, const struct library_who *who)
{
    size_t oldest = 0;
    if (is_of(&sessions->session[sessions->latest], who))
        return sessions->latest;
    for (size_t i = 0; i < WATCH_SESSIONS_MAX; i++) {
        if (is_of(&sessions->session[i], who))
            return i;
        if (sessions->session[i].last_ms < sessions->session[oldest].last_ms)
            oldest = i;
    }
    return oldest;
}

/* The number of a session is free again when its last process is gone. */
static bool goes_on(const struct watch_session *session, const struct library_who *who,
                    uint64_t now_ms)
{
    return is_of(session, who) &&
           (who->session_ticks == 0 || who->session_ticks == session->ticks) &&
           now_ms - session->last_ms <= QUIET_MS && now_ms - session->begin_ms <= LONGEST_MS;
}

static void begin(struct watch_session *session, const struct library_who *who, uint64_t now_ms)
{
    char login[16] = "";
    *session = (struct watch_session){.begin_ms = now_ms,
                                      .id = who->session,
                                      .uid = who->uid,
                                      .login_uid = who->login_uid,
                                      .ticks = who->session_ticks};
    if (who->login_uid != LIBRARY_NO_USER)
        snprintf(login, sizeof login, "-%u", who->login_uid);
    snprintf(session->event, sizeof session->event, "%llx-%d-%u%s", (unsigned long long)who->time_s,
             (int)who->session, who->uid, login);
}

void watch_sessions_event(struct watch_sessions *sessions, struct library_who *who, uint64_t now_ms)
{
    sessions->latest = place_of(sessions, who);
    struct watch_session *session = &sessions->session[sessions->latest];
    if (!goes_on(session, who, now_ms))
        begin(session, who, now_ms);
    session->last_ms = now_ms;
    memcpy(who->event, session->event, sizeof who->event);
}
