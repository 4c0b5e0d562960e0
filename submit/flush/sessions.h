/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Flushing what users' sessions outside of Slurm have recorded (session.h). A session may go on for
 * days: the runs of it that are over are sent as they are found, and
 * <state>/sessions/<uid>.<session>, root's, keeps the names of the records that are, and
 * <uid>.<session>.flushed what has ended its reader (job_progress.h). When the
 * leader and all recorded processes have ended, the session's directory goes.
 */
#ifndef JOBTRAIL_SESSIONS_H
#define JOBTRAIL_SESSIONS_H

#include "submit/flush/flush.h"
#include "submit/outbox/outbox.h"

/* Flushes all sessions into the outbox, for [submit] job_timeout at the most and a share of it for
 * each user; one who has used up his share is left alone for some minutes, and comes after the
 * others then. Trouble with one is told on stderr and does not keep the others. Makes the directory
 * where it is missing. Returns 0 or -errno when it cannot be used at all. */
int sessions_flush(const struct conf *conf, const char *node, struct outbox *outbox,
                   struct flush_count *count);

#endif
