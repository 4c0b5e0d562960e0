/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Flushing one session outside of Slurm (sessions.h).
 */
#pragma once

#include "submit/flush/flush_state.h"
#include "submit/job/job_journal.h"

struct sessions {
    const struct conf *conf;
    const char *node;
    struct outbox *outbox;
    struct flush_count *count;
    int notes; /* <state>/sessions */
};

/* One whose directory is there. */
struct session_user {
    struct sessions *sessions;
    struct job_identity identity; /* owned: of no job */
    int directory;
    uint64_t deadline_ns; /* CLOCK_MONOTONIC: when nothing more is begun for them */
    uint64_t end_ns;      /* CLOCK_MONOTONIC: when what is being done for them is ended */
};

/* Flushes the session in the user's directory `name`; of another name, nothing is done. Trouble is
 * reported on stderr and counted. Where the user's other sessions are to wait for the next flush,
 * returns FLUSH_LATE (the user's files take too long) or FLUSH_NO_ROOM (half of the outbox is
 * used); what is in it by then is not taken again. Returns any other outcome else. */
enum flush_outcome session_flush(const struct session_user *user, const char *name);
