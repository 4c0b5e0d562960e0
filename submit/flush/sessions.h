/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Flushes what users' sessions outside of Slurm have recorded (session.h). A session may last for
 * days. Its runs that are over are sent as they are found. The file
 * <state>/sessions/<uid>.<session>, root's, keeps the names of the records that were sent;
 * <uid>.<session>.flushed keeps what has ended its reader (job_progress.h). When the leader and all
 * recorded processes have ended, the session's directory is removed.
 */
#pragma once

#include "submit/flush/flush_state.h"

/* Flushes all sessions into the outbox, for [submit] job_timeout at the most and a share of it for
 * each user. Users who have used up their share are left alone for some minutes, and come after
 * the others then. Trouble with one session is reported on stderr and does not keep the others from
 * being flushed. Makes the directory where it is missing. Returns 0 or -errno when it cannot be
 * used at all. */
int sessions_flush(const struct conf *conf, const char *node, struct outbox *outbox,
                   struct flush_count *count);
