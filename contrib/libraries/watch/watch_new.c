/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/watch_new.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Walks of so much time may follow each other at once: those of an installation. */
enum { AT_ONCE_NS = 200000000, SHARE = 20 };

int watch_new_note(struct watch_new *fresh, const char *path)
{
    for (size_t i = 0; i < fresh->count; i++)
        if (strcmp(fresh->path[i], path) == 0)
            return 0;
    if (fresh->count == WATCH_NEW_MAX)
        return -ENOSPC;
    char *copy = strdup(path);
    if (copy == NULL)
        return -ENOMEM;
    fresh->path[fresh->count++] = copy;
    return 0;
}

bool watch_new_may_walk(struct watch_new *fresh, int64_t now_ns)
{
    fresh->used_ns -= (now_ns - fresh->at_ns) / SHARE;
    if (fresh->used_ns < 0)
        fresh->used_ns = 0;
    fresh->at_ns = now_ns;
    return fresh->used_ns < AT_ONCE_NS;
}

void watch_new_used(struct watch_new *fresh, int64_t used_ns)
{
    fresh->used_ns += used_ns;
}

void watch_new_clear(struct watch_new *fresh)
{
    for (size_t i = 0; i < fresh->count; i++)
        free(fresh->path[i]);
    fresh->count = 0;
}

/* ---- Sessions -------------------------------------------------------------------------------- */

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

void watch_sessions_event(struct watch_sessions *sessions, struct library_who *who, uint64_t now_ms)
{
    sessions->latest = place_of(sessions, who);
    struct watch_session *session = &sessions->session[sessions->latest];
    if (!goes_on(session, who, now_ms)) {
        char login[16] = "";
        *session = (struct watch_session){.begin_ms = now_ms,
                                          .id = who->session,
                                          .uid = who->uid,
                                          .login_uid = who->login_uid,
                                          .ticks = who->session_ticks};
        if (who->login_uid != LIBRARY_NO_USER)
            snprintf(login, sizeof login, "-%u", who->login_uid);
        snprintf(session->event, sizeof session->event, "%llx-%d-%u%s",
                 (unsigned long long)who->time_s, (int)who->session, who->uid, login);
    }
    session->last_ms = now_ms;
    memcpy(who->event, session->event, sizeof who->event);
}
