/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/library_watch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "contrib/libraries/globs.h"
#include "contrib/libraries/watch/watch_events.h"
#include "contrib/libraries/watch/watch_marks.h"
#include "contrib/libraries/watch/watch_process.h"

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

enum { SESSION_QUIET_MS = 600 * 1000, SESSION_LONGEST_MS = 86400 * 1000 };

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
           now_ms - session->last_ms <= SESSION_QUIET_MS &&
           now_ms - session->begin_ms <= SESSION_LONGEST_MS;
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

/* Quiet for so long: what a program writes at once is scanned once, and its files were written
 * longer ago than their times are exact. */
enum { QUIET_MS = 3000, LONGEST_MS = 60000, AGAIN_MS = 60000, REST = 20 };

/* Where events come all the time: signals and scans have their turn after so long. */
enum { EVENT_BYTES = 65536, READ_MS = 1000 };

struct library_watch {
    const struct conf *conf;
    struct watch_marks *marks;
    struct watch_processes *processes;
    struct library_whos *whos;
    struct globs *patterns, *except;
    struct watch_new fresh;
    struct library_watch_state state;
    struct watch_sessions sessions;
    bool is_due, is_moved;
    uint64_t first_ms, last_ms, rest_ms; /* monotonic: of the burst; before it there is no scan */
    int64_t scan_ns;                     /* since the Epoch: the begin of the scan */
};

static int get_ready(struct library_watch *watch)
{
    const struct conf *conf = watch->conf;
    int error = watch_marks_new(WATCH_CHANGES, &watch->marks);
    if (error == 0)
        error = globs_read(conf->library_patterns, &watch->patterns);
    if (error == 0)
        error = globs_read(conf->library_except, &watch->except);
    watch->processes = watch_processes_new(conf->spool);
    watch->whos = library_whos_new();
    if (error == 0 && (watch->processes == NULL || watch->whos == NULL))
        error = -ENOMEM;
    return error;
}

int library_watch_new(const struct conf *conf, struct library_watch **out)
{
    struct library_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL)
        return -ENOMEM;
    watch->conf = conf;
    int error = get_ready(watch);
    if (error != 0) {
        library_watch_free(watch);
        return error;
    }
    watch_marks_again(watch->marks, &conf->library_trees);
    watch->is_due = true; /* what has changed meanwhile */
    watch->first_ms = watch->last_ms = clock_ms() - QUIET_MS;
    *out = watch;
    return 0;
}

void library_watch_free(struct library_watch *watch)
{
    if (watch == NULL)
        return;
    watch_new_clear(&watch->fresh);
    watch_marks_free(watch->marks);
    free(watch->processes);
    library_whos_free(watch->whos);
    globs_free(watch->patterns);
    globs_free(watch->except);
    free(watch);
}

int library_watch_fd(const struct library_watch *watch)
{
    return watch_marks_fd(watch->marks);
}

const struct library_whos *library_watch_whos(const struct library_watch *watch)
{
    return watch->whos;
}

/* ---- Events ---------------------------------------------------------------------------------- */

static void note_burst(struct library_watch *watch)
{
    uint64_t now = clock_ms();
    if (!watch->is_due)
        watch->first_ms = now;
    watch->is_due = true;
    watch->last_ms = now;
}

static unsigned deeds_of(const struct watch_event *event)
{
    unsigned deeds = (event->mask & FAN_ONDIR) != 0 ? LIBRARY_DEED_DIRECTORY : 0;
    if ((event->mask & (FAN_CREATE | FAN_MOVED_TO)) != 0)
        return deeds | LIBRARY_DEED_CAME;
    if ((event->mask & (FAN_DELETE | FAN_MOVED_FROM)) != 0)
        return deeds | LIBRARY_DEED_WENT;
    return (event->mask & (FAN_MODIFY | FAN_ATTRIB)) != 0 ? deeds | LIBRARY_DEED_WROTE
                                                          : deeds | LIBRARY_DEED_CLOSED;
}

static bool is_wanted(const struct library_watch *watch, const struct watch_event *event,
                      unsigned deeds)
{
    if (event->name == NULL || event->name[0] == '\0')
        return false;
    if ((deeds & LIBRARY_DEED_DIRECTORY) != 0)
        return (deeds & (LIBRARY_DEED_CAME | LIBRARY_DEED_WENT)) != 0;
    return globs_match(watch->patterns, event->name) && !globs_match(watch->except, event->name);
}

/* Who, of the kernel's pid; what one user does in one session is one event, however many scans come
 * meanwhile. */
static void find_who(struct library_watch *watch, const struct watch_event *event,
                     struct library_who *who, int64_t time_ns)
{
    if (!watch_process_find(watch->processes, event, clock_ms(), who)) {
        watch->state.unknown++;
        return;
    }
    who->time_s = time_ns / 1000000000;
    watch_sessions_event(&watch->sessions, who, clock_ms());
}

/* Marks the new directories, as long as walks have time. What they do not come to is left to
 * library_watch_begin(). */
static void walk_new(struct library_watch *watch)
{
    struct watch_new *fresh = &watch->fresh;
    for (size_t i = 0; i < fresh->count; i++) {
        int64_t begin_ns = (int64_t)clock_ns(CLOCK_MONOTONIC);
        if (!watch_new_may_walk(fresh, begin_ns)) {
            watch->is_moved = true;
            break;
        }
        if (watch_marks_add(watch->marks, fresh->path[i]) != -E2BIG)
            library_whos_watched(watch->whos, fresh->path[i], (int64_t)clock_ns(CLOCK_REALTIME));
        watch_new_used(fresh, (int64_t)clock_ns(CLOCK_MONOTONIC) - begin_ns);
    }
    watch_new_clear(fresh);
}

static void take_event(void *context, const struct watch_event *event)
{
    struct library_watch *watch = context;
    char path[PATH_MAX];
    struct library_who who;
    watch->state.events++;
    if ((event->mask & FAN_Q_OVERFLOW) != 0) {
        /* Events were lost: what is remembered may not be the last that happened. */
        watch->state.overruns++;
        watch->is_moved = true;
        library_whos_forget(watch->whos, INT64_MAX);
        note_burst(watch);
        return;
    }
    unsigned deeds = deeds_of(event);
    if (!is_wanted(watch, event, deeds) || !watch_marks_event_path(watch->marks, event, path))
        return;
    note_burst(watch);
    int64_t time_ns = (int64_t)clock_ns(CLOCK_REALTIME);
    find_who(watch, event, &who, time_ns);
    library_whos_add(watch->whos, path, deeds, &who, time_ns);
    if ((event->mask & (FAN_MOVED_FROM | FAN_MOVED_TO)) != 0 &&
        (deeds & LIBRARY_DEED_DIRECTORY) != 0)
        watch->is_moved = true;
    if (deeds == (LIBRARY_DEED_DIRECTORY | LIBRARY_DEED_CAME)) {
        if (watch->fresh.count == WATCH_NEW_MAX)
            walk_new(watch);
        if (watch_new_note(&watch->fresh, path) != 0)
            watch->is_moved = true;
    }
}

int library_watch_read(struct library_watch *watch)
{
    _Alignas(struct fanotify_event_metadata) static char bytes[EVENT_BYTES];
    for (uint64_t begin = clock_ms(); clock_ms() - begin < READ_MS;) {
        int64_t now_ns = (int64_t)clock_ns(CLOCK_REALTIME);
        ssize_t size = read(watch_marks_fd(watch->marks), bytes, sizeof bytes);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && errno == EAGAIN)
            library_whos_since(watch->whos, now_ns);
        if (size <= 0)
            return size == 0 || errno == EAGAIN ? 0 : -errno;
        int error = watch_events_each(bytes, (size_t)size, watch_marks_has_pidfd(watch->marks),
                                      take_event, watch);
        walk_new(watch);
        if (error != 0)
            return error;
    }
    return 0;
}

/* ---- Scans ----------------------------------------------------------------------------------- */

int library_watch_due_ms(const struct library_watch *watch)
{
    if (!watch->is_due)
        return -1;
    uint64_t now = clock_ms(), at = watch->last_ms + QUIET_MS;
    if (at > watch->first_ms + LONGEST_MS)
        at = watch->first_ms + LONGEST_MS;
    if (at < watch->rest_ms)
        at = watch->rest_ms;
    return at <= now ? 0 : (int)(at - now < INT_MAX ? at - now : INT_MAX);
}

void library_watch_begin(struct library_watch *watch)
{
    if (watch->is_moved || watch_marks_is_stale(watch->marks)) {
        watch_marks_again(watch->marks, &watch->conf->library_trees);
        library_whos_watched(watch->whos, NULL, (int64_t)clock_ns(CLOCK_REALTIME));
    }
    watch->is_moved = watch->is_due = false;
    watch->scan_ns = (int64_t)clock_ns(CLOCK_REALTIME);
}

void library_watch_end(struct library_watch *watch, bool is_done, uint64_t used_ms)
{
    watch->state.scans++;
    watch->rest_ms = clock_ms() + used_ms * REST;
    if (is_done) {
        library_whos_forget(watch->whos, watch->scan_ns);
        return;
    }
    note_burst(watch);
    if (watch->rest_ms < clock_ms() + AGAIN_MS)
        watch->rest_ms = clock_ms() + AGAIN_MS;
}

void library_watch_state(const struct library_watch *watch, struct library_watch_state *state)
{
    int why;
    *state = watch->state;
    state->directories = watch_marks_count(watch->marks);
    state->unwatched = watch_marks_unwatched(watch->marks, &why);
    state->lost = library_whos_lost(watch->whos);
    state->error = -why;
}
