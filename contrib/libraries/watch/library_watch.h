/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watch of a host: it reads the kernel's events in the trees of [libraries], remembers which
 * process caused them, and says when a scan is due. The scan finds out what has changed, and asks
 * the watch who it was (who_socket.h): so hashes, names, logs and state come from scans alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"
#include "contrib/libraries/library_who.h"
#include "contrib/libraries/library_whos.h"
#include "contrib/libraries/scan/library_lock.h"

/* New directories that are to be walked. A user who renames a large one again and again makes a
 * walk for each rename: so each is noted once, and walks have a twentieth of the time. What there
 * is no room or time for is found when all trees are walked again. */
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

/* Which event the changes of a session are part of. An installation can take hours, with scans
 * meanwhile: it is one event until its session has changed nothing for ten minutes. No event takes
 * longer than a day, since a service that installs now and then has one session for ever.
 *
 * An event is of one user, and of one who has logged in: who uses su has another one, and so
 * has who gets a session of the same number. Where the leader of a session is gone, one of the
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

struct library_watch;

/* Marks all trees. `conf` must outlive it. Returns 0 or -errno of watch_marks_new();
 * library_watch_free() releases, and takes NULL. */
int library_watch_new(const struct conf *conf, struct library_watch **watch);
void library_watch_free(struct library_watch *watch);

/* To be waited on. */
int library_watch_fd(const struct library_watch *watch);

/* Reads what has happened so far, for a second at the most; returns 0 or -errno, where the watch is
 * at its end. */
int library_watch_read(struct library_watch *watch);

const struct library_whos *library_watch_whos(const struct library_watch *watch);

/* How long until a scan is due, in ms; -1: none is. One is due when it has been quiet for some
 * seconds, and after a minute at the latest. */
int library_watch_due_ms(const struct library_watch *watch);

/* A scan begins: marks all directories again where some were renamed, are gone or have no mark yet,
 * and begins a new burst. */
void library_watch_begin(struct library_watch *watch);

/* It has ended. `is_done`: it has reported all; else another one is due in a minute. After it there
 * is none for twenty times the processor time that it used. */
void library_watch_end(struct library_watch *watch, bool is_done, uint64_t used_ms);

/* For doctor. */
void library_watch_state(const struct library_watch *watch, struct library_watch_state *state);
