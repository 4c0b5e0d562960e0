/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs the jobtrail-submit of each other version on this node (spank/job_formats.h) for the jobs,
 * sessions and records of that version.
 */
#pragma once

#include "submit/command/submit_command.h"
#include "submit/flush/flush.h"

/* What a version must have for its program to be run. */
enum hand_on {
    HAND_ON_JOBS,     /* directories of jobs in its spool, of options->job where that is not 0 */
    HAND_ON_WATCH,    /* a process watch, or one that has ended */
    HAND_ON_SESSIONS, /* directories of sessions, or records that were handed in */
    HAND_ON_OUTBOX,   /* records that wait */
};

/* Runs the command of these options by the programs of the other versions, one after the other, and
 * waits `timeout_s` for each at the most; one that takes longer goes on by itself. Where a
 * version's program is gone, or is of other formats by now, that is reported on stderr. Those of
 * its jobs that are over go to the quarantine where `flush` says what is to be flushed, and are
 * counted there; NULL: they are left alone. With --formats nothing is done. Returns SUBMIT_OK, or
 * SUBMIT_SOME_WAIT where one has not done its work, for whatever reason: this version's own work is
 * not to wait for that. */
enum submit_status hand_on(const struct submit_options *options, const struct conf *conf,
                           enum hand_on what, unsigned timeout_s, const struct flush_options *flush,
                           struct flush_count *count);

/* Writes into the outbox and the directory of sessions, where they are there, whose they are
 * (spank/version_note.h). As root; a failure is reported on stderr. */
void hand_on_note(const struct submit_options *options, const struct conf *conf);
